package dev.fermata.engine.slurm;

import dev.fermata.live.engine.EngineEvent;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the state of all jobs while there are attempts, by one command at a time, and tells each attempt of its own. When the
 * controller does not answer, the engine is unreachable until it does.
 */
final class SlurmWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SlurmWatch.class);

    private final SlurmServices services;
    private final Supplier<Collection<SlurmAttempt>> attempts;
    private final Object reading = new Object();
    private volatile JobListing latest = JobListing.NONE;
    private volatile boolean closed;
    private volatile boolean reachable = true;
    private final ClusterWatch cluster;
    /** In shadow mode. */
    private volatile @Nullable JobObserver observer;

    private final AtomicLong nodesReadMillis = new AtomicLong(Long.MIN_VALUE);

    SlurmWatch(SlurmServices services, Supplier<Collection<SlurmAttempt>> attempts) {
        this.services = services;
        this.attempts = attempts;
        this.cluster = new ClusterWatch(services);
    }

    JobListing latest() {
        return latest;
    }

    /** From now on it reports the jobs of others too; what they hold is no foreign load then. */
    void observeJobs() throws InterruptedException {
        observer = new JobObserver(services.markerPrefix(), services.events());
        update(awaitListing());
        observeCluster();
    }

    private void update(JobListing listing) {
        JobObserver observes = observer;
        if (observes == null) {
            cluster.update(listing);
        } else {
            observes.update(listing);
            cluster.update(listing.withoutGpuJobs());
        }
    }

    /** Begins to watch. */
    void start() {
        services.executor().runLater(services.settings().pollMillis(), this::round);
    }

    private void round() throws InterruptedException {
        try {
            boolean nodesDue = services.nowMillis() - services.settings().nodePollMillis() >= nodesReadMillis.get();
            // Jobs of others come and go at any time, and Slurm forgets those that have ended.
            boolean jobsDue = observer != null || !attempts.get().isEmpty();
            if (nodesDue || jobsDue || !reachable) {
                JobListing listing = read();
                update(listing);
                observeAll(listing);
                if (nodesDue) {
                    readNodes();
                }
                markReachable();
            }
        } catch (IOException e) {
            markUnreachable(String.valueOf(e.getMessage()));
        } finally {
            if (!closed) {
                services.executor().runLater(services.settings().pollMillis(), this::round);
            }
        }
    }

    /** Reports the nodes and the load of others before anything is decided. */
    void observeCluster() throws InterruptedException {
        try {
            readNodes();
            update(latest);
        } catch (IOException e) {
            LOG.warn("nodes of Slurm cannot be read: {}; retry", e.getMessage());
        }
    }

    /** Nodes change rarely, and are read rarely. */
    private void readNodes() throws IOException, InterruptedException {
        cluster.update(services.controller().nodes(), services.controller().leafSwitches());
        nodesReadMillis.set(services.nowMillis());
    }

    /** Tells every attempt what the listing has of its job. */
    void observeAll(JobListing listing) throws InterruptedException {
        for (SlurmAttempt attempt : attempts.get()) {
            attempt.find(listing);
            SlurmJob job = listing.find(attempt.slurmId());
            if (job != null) {
                attempt.observe(job, listing.beganMillis());
            }
        }
        observeMissing(listing);
    }

    /** Jobs that the controller has forgotten: their records, where Slurm keeps any, else their own files say how they ended. */
    private void observeMissing(JobListing listing) throws InterruptedException {
        List<SlurmAttempt> missing = attempts.get().stream()
                .filter(attempt -> attempt.slurmId() > 0
                        && attempt.knownMillis() <= listing.beganMillis()
                        && listing.find(attempt.slurmId()) == null)
                .toList();
        if (missing.isEmpty()) {
            return;
        }
        JobListing recorded = JobListing.NONE;
        if (services.site().keepsRecords()) {
            try {
                recorded = services.controller()
                        .recordsOf(missing.stream().map(SlurmAttempt::slurmId).toList());
            } catch (IOException e) {
                LOG.warn("ended Slurm jobs: their records cannot be read: {}; retry", e.getMessage());
                return;
            }
        }
        for (SlurmAttempt attempt : missing) {
            attempt.observe(recorded.find(attempt.slurmId()), listing.beganMillis());
        }
    }

    private JobListing read() throws IOException, InterruptedException {
        synchronized (reading) {
            long began = services.nowMillis();
            JobListing listing = JobListing.of(began, services.controller().jobs());
            latest = listing;
            return listing;
        }
    }

    /** A listing that began after this time; the latest one if it did. */
    JobListing listingAfter(long millis) throws IOException, InterruptedException {
        synchronized (reading) {
            return latest.beganMillis() > millis ? latest : read();
        }
    }

    /** A new listing, as soon as the controller answers. */
    JobListing awaitListing() throws InterruptedException {
        while (true) {
            try {
                JobListing listing = read();
                markReachableSilently();
                return listing;
            } catch (IOException e) {
                markUnreachable(String.valueOf(e.getMessage()));
                Thread.sleep(services.settings().pollMillis());
            }
        }
    }

    private void markUnreachable(String cause) {
        if (reachable && !closed) {
            reachable = false;
            services.events().accept(new EngineEvent.Unreachable(cause));
        }
        LOG.debug("Slurm cannot be read: {}", cause);
    }

    private void markReachable() {
        if (!reachable) {
            reachable = true;
            services.events().accept(new EngineEvent.Reachable());
        }
    }

    /** The caller reports it when everything else is reported. */
    private void markReachableSilently() {
        reachable = true;
    }

    @Override
    public void close() {
        closed = true;
    }
}
