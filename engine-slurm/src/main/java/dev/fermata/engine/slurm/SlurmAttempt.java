package dev.fermata.engine.slurm;

import dev.fermata.live.attempt.AttemptAccounting;
import dev.fermata.live.attempt.AttemptControl;
import dev.fermata.live.attempt.AttemptEnd;
import dev.fermata.live.attempt.SingleLine;
import dev.fermata.live.attempt.TerminationCause;
import dev.fermata.live.attempt.TerminationRequest;
import dev.fermata.live.engine.EngineEvent;
import dev.fermata.live.engine.EngineOrder;
import dev.fermata.live.engine.Launch;
import dev.fermata.live.engine.OrderId;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One attempt, which is one job of Slurm. What Slurm says about that job comes in by {@link #observe}; requests go out as
 * signals. Commands run on the engine's threads, never under the lock.
 */
final class SlurmAttempt implements AttemptControl {
    private static final Logger LOG = LoggerFactory.getLogger(SlurmAttempt.class);
    /** {@code attempt.sh} kills what is left when the grace is over; if it cannot, Slurm does, so much later. */
    private static final long CANCEL_AFTER_MILLIS = 5_000;

    private static final long CANCEL_AGAIN_MILLIS = 30_000;

    private final SlurmServices services;
    private final Launch launch;
    private final AttemptFiles files;
    private final AttemptAccounting accounting;
    private final Consumer<SlurmAttempt> onReleased;

    /** Orders that are answered when Slurm has the job. */
    private final List<OrderId> unanswered = new ArrayList<>();

    private @Nullable OrderId startOrder;
    private @Nullable TerminationRequest request;
    private long slurmId;
    /** Listings that began before this say nothing about its job. */
    private long knownMillis;
    /** Slurm may have got a submission that seemed to fail. */
    private boolean uncertain;

    private SlurmJob.Phase phase = SlurmJob.Phase.WAITING;
    private boolean adopted;
    private boolean bound;
    private boolean signalled;
    private boolean ended;
    private Runnable cancelTimer = () -> {};

    SlurmAttempt(SlurmServices services, Launch launch, Consumer<SlurmAttempt> released) {
        this.services = services;
        this.launch = launch;
        this.files = new AttemptFiles(services.attemptsFolder(), launch.jobId(), launch.attempt());
        this.onReleased = released;
        this.accounting = services.attempts().open(launch, files.path(), this);
    }

    Launch launch() {
        return launch;
    }

    AttemptAccounting accounting() {
        return accounting;
    }

    AttemptFiles files() {
        return files;
    }

    @Override
    public String toString() {
        return launch.jobId() + "." + launch.attempt();
    }

    /** The id of its Slurm job, 0 for none. */
    synchronized long slurmId() {
        return slurmId;
    }

    /** Listings that began before this time say nothing about its job. */
    synchronized long knownMillis() {
        return knownMillis;
    }

    synchronized String externalId() {
        return slurmId == 0 ? "" : Long.toString(slurmId);
    }

    // ---- orders ----

    /** Accepts the order as soon as Slurm has the job. */
    void answer(OrderId order) {
        synchronized (this) {
            startOrder = order.type() == EngineOrder.Type.START ? order : startOrder;
            if (slurmId == 0) {
                unanswered.add(order);
                return;
            }
        }
        services.events().accept(new EngineEvent.Accepted(order, externalId()));
    }

    /** Whether a listing is needed before it may be submitted, and that listing must have begun after this time. */
    synchronized long uncertainSinceMillis() {
        return uncertain ? knownMillis : -1;
    }

    /** Submits it, unless Slurm has it already. */
    void start(JobListing listing) throws InterruptedException {
        synchronized (this) {
            if (ended || slurmId != 0) {
                return;
            }
        }
        if (attach(listing)) {
            return;
        }
        if (terminationRequest() != null) {
            endUnstarted(false, "it was cancelled before it began");
            return;
        }
        try {
            if (launch.allocation().shared()) {
                throw new SlurmException("Slurm gives whole GPUs only; this job would share one", false);
            }
            JobSubmission submission = new JobSubmission(services, launch, files);
            submission.writeFiles(accounting);
            accept(services.controller().submit(submission.arguments(), submission.environment()));
        } catch (SlurmException e) {
            fail(e.mayPass(), String.valueOf(e.getMessage()));
        } catch (IOException | RuntimeException e) {
            fail(false, "its files cannot be written: " + SingleLine.of(e.toString(), 200));
        }
    }

    /** Finds the job that Slurm has for it. */
    private boolean attach(JobListing listing) {
        long owner = files.owner();
        SlurmJob job =
                owner > 0 ? listing.find(owner) : listing.find(services.marker(launch), services.account(launch));
        if (job == null && owner == 0) {
            return false;
        }
        accept(job == null ? owner : job.id());
        observe(job, listing.beganMillis());
        return true;
    }

    private void accept(long id) {
        List<OrderId> answers;
        boolean exit;
        synchronized (this) {
            slurmId = id;
            uncertain = false;
            knownMillis = services.nowMillis();
            answers = List.copyOf(unanswered);
            unanswered.clear();
            exit = request != null;
        }
        answers.forEach(order -> services.events().accept(new EngineEvent.Accepted(order, Long.toString(id))));
        if (exit) {
            services.executor().submit(this::carryOutRequest);
        }
    }

    private void fail(boolean mayPass, String cause) {
        OrderId order;
        synchronized (this) {
            order = startOrder;
            uncertain = mayPass;
            knownMillis = services.nowMillis();
            unanswered.clear();
            ended = ended || !mayPass;
        }
        if (!mayPass) {
            release();
            accounting.discard();
        }
        if (order != null) {
            services.events()
                    .accept(new EngineEvent.OrderFailed(
                            order,
                            mayPass ? EngineEvent.FailureKind.TRANSIENT : EngineEvent.FailureKind.PERMANENT,
                            SingleLine.of(cause, 200)));
        }
    }

    // ---- adoption ----

    /** Determines its state; without a job of Slurm it is lost, and can never start later. */
    void adopt(JobListing listing) {
        synchronized (this) {
            adopted = true;
            request = files.request();
        }
        accounting.requested(files.orderedMillis(accounting.requestedMillis()));
        accounting.adopt();
        find(listing);
    }

    /** An adopted attempt whose job is not known yet: it may just have claimed the attempt. */
    void find(JobListing listing) {
        synchronized (this) {
            if (!adopted || ended || slurmId != 0) {
                return;
            }
        }
        try {
            if (!attach(listing) && files.claim()) {
                endUnstarted(false, "Slurm never had it");
            }
        } catch (IOException e) {
            LOG.warn("attempt {}: its folder cannot be claimed: {}; retry", this, e.toString());
        }
    }

    /** Whether an earlier daemon prepared it. */
    boolean wasOrdered() {
        return files.orderedMillis(0) > 0;
    }

    // ---- what Slurm says ----

    /**
     * @param job null where Slurm does not know it any more
     * @param beganMillis when the reading began
     */
    void observe(@Nullable SlurmJob job, long beganMillis) {
        synchronized (this) {
            if (ended || slurmId == 0 || (job == null && beganMillis < knownMillis)) {
                return;
            }
            if (job != null && job.id() != slurmId) {
                return;
            }
            phase = job == null ? SlurmJob.Phase.ENDED : job.phase();
        }
        switch (phase) {
            case WAITING -> {}
            case RUNNING -> bind(job);
            case ENDING -> {
                if (files.begunMillis() > 0) {
                    bind(job);
                }
            }
            case ENDED -> {
                end(job);
                return;
            }
        }
        if (terminationRequest() != null) {
            services.executor().submit(this::carryOutRequest);
        }
    }

    private void bind(@Nullable SlurmJob job) {
        synchronized (this) {
            if (bound) {
                return;
            }
            bound = true;
        }
        List<String> devices = new ArrayList<>();
        if (job != null) {
            new TreeMap<>(job.shares())
                    .forEach((node, share) -> share.gpus().forEach(gpu -> devices.add(SlurmCluster.gpuId(node, gpu))));
        }
        if (devices.isEmpty()) { // Slurm has forgotten them
            for (int gpu : launch.allocation().toArray()) {
                devices.add(services.topology().gpuId(gpu));
            }
        }
        services.events().accept(new EngineEvent.Bound(launch.jobId(), launch.attempt(), devices));
        long began = files.begunMillis() > 0 ? files.begunMillis() : job == null ? 0 : job.startMillis();
        long now = services.nowMillis();
        accounting.started(Math.max(Math.min(began == 0 ? now : began, now), accounting.requestedMillis()));
    }

    private void end(@Nullable SlurmJob job) {
        long owner = files.owner();
        synchronized (this) {
            if (owner > 0 && owner != slurmId) {
                slurmId = owner; // an earlier submission arrived after all, and runs it
                knownMillis = services.nowMillis();
                return;
            }
            if (ended) {
                return;
            }
            ended = true;
        }
        boolean began = files.begunMillis() > 0;
        if (began) {
            bind(job);
        }
        release();
        accounting.left(new SlurmEnding(launch, files, job, adoptedUnwatched(job))
                .of(terminationRequest(), services.nowMillis(), began));
    }

    /** Whether it ended while no daemon was watching. */
    private synchronized boolean adoptedUnwatched(@Nullable SlurmJob job) {
        return adopted && (job == null || !bound);
    }

    private void endUnstarted(boolean failed, String cause) {
        synchronized (this) {
            if (ended) {
                return;
            }
            ended = true;
        }
        release();
        accounting.left(AttemptEnd.unstarted(failed, terminationRequest(), services.nowMillis(), cause));
    }

    private void release() {
        synchronized (this) {
            cancelTimer.run();
        }
        onReleased.accept(this);
    }

    // ---- requests to exit ----

    @Override
    public synchronized @Nullable TerminationRequest terminationRequest() {
        return request;
    }

    @Override
    public void terminate(TerminationCause cause, long graceMillis) {
        synchronized (this) {
            boolean stronger =
                    request == null || (cause == TerminationCause.KILL && request.cause() != TerminationCause.KILL);
            if (ended || !stronger) {
                return;
            }
            long now = services.nowMillis();
            request = new TerminationRequest(cause, now, now + Math.max(0, graceMillis), false);
            signalled = false;
        }
        services.executor().submit(this::carryOutRequest);
    }

    /** Signals it once; a job that has not begun is removed. */
    private void carryOutRequest() throws InterruptedException {
        TerminationRequest current;
        long id;
        boolean running;
        synchronized (this) {
            current = request;
            id = slurmId;
            running = phase == SlurmJob.Phase.RUNNING;
            if (current == null || ended || signalled || id == 0 || phase == SlurmJob.Phase.ENDING) {
                return;
            }
            signalled = running;
            if (running) {
                long wait = current.deadlineMillis() - services.nowMillis() + CANCEL_AFTER_MILLIS;
                cancelTimer.run();
                cancelTimer = services.executor().scheduleCancellable(wait, this::cancel);
            }
        }
        try {
            files.request(current, SlurmSignals.nameOf(launch.spec(), current.cause()));
            if (!running) {
                services.controller().cancelPending(id);
                return;
            }
            services.controller().signalBatch(id, SlurmSignals.REQUEST);
            signalSteps(id, current);
        } catch (SlurmException e) {
            LOG.warn("attempt {}: exit signal failed: {}", this, e.getMessage());
            synchronized (this) {
                signalled = false; // the next listing repeats it
            }
        } catch (IOException e) {
            LOG.warn("attempt {}: its exit request cannot be written: {}; it is cancelled", this, e.toString());
            cancel();
        }
    }

    /** The supervisors of ranks on other nodes; or the programs that a script started by srun. */
    private void signalSteps(long id, TerminationRequest current) throws IOException, InterruptedException {
        boolean supervised = launch.ranks() > 1;
        try {
            services.controller()
                    .signalSteps(
                            id,
                            supervised ? SlurmSignals.REQUEST : SlurmSignals.nameOf(launch.spec(), current.cause()));
        } catch (SlurmException e) {
            if (supervised) {
                throw e;
            }
            LOG.debug("attempt {}: no step to signal", this, e);
        }
    }

    /** Its supervisor has not ended it in time. */
    private void cancel() throws InterruptedException {
        long id;
        synchronized (this) {
            if (ended || slurmId == 0) {
                return;
            }
            id = slurmId;
            cancelTimer = services.executor().scheduleCancellable(CANCEL_AGAIN_MILLIS, this::cancel);
        }
        try {
            files.write("killed", "");
            services.controller().cancel(List.of(id));
        } catch (IOException e) {
            LOG.warn("attempt {}: cancellation of Slurm job {} failed: {}", this, id, e.getMessage());
        }
    }
}
