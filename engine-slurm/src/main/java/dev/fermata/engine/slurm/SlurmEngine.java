package dev.fermata.engine.slurm;

import dev.fermata.core.model.Topology;
import dev.fermata.live.attempt.AttemptLogFiles;
import dev.fermata.live.attempt.AttemptRegistry;
import dev.fermata.live.attempt.AttemptVariables;
import dev.fermata.live.attempt.EngineExecutor;
import dev.fermata.live.attempt.ReportTokens;
import dev.fermata.live.attempt.SingleLine;
import dev.fermata.live.attempt.SteadyClock;
import dev.fermata.live.attempt.TerminationCause;
import dev.fermata.live.engine.Capabilities;
import dev.fermata.live.engine.DataFolderClaim;
import dev.fermata.live.engine.EngineEvent;
import dev.fermata.live.engine.EngineOrder;
import dev.fermata.live.engine.EngineScripts;
import dev.fermata.live.engine.ExecutionEngine;
import dev.fermata.live.engine.ExpectedAttempts;
import dev.fermata.live.engine.JobLogs;
import dev.fermata.live.engine.Launch;
import dev.fermata.live.engine.PythonModule;
import dev.fermata.live.engine.ReportInbox;
import dev.fermata.live.spec.EngineOption;
import dev.fermata.live.spec.JobSpec;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs each attempt as a job of Slurm on exactly the nodes decided. It reads the state of all jobs by one command at a bounded
 * rate, and never touches a job that it did not submit.
 */
public final class SlurmEngine implements ExecutionEngine {
    private static final Logger LOG = LoggerFactory.getLogger(SlurmEngine.class);
    private static final long KILL_GRACE_MILLIS = 2_000;
    /** Slurm may start a job late, when others were there first; then another placement is decided. */
    private static final long START_TIMEOUT_MILLIS = 180_000;

    private static final long ORPHANS_MILLIS = 60_000;
    private static final int MAX_ENDED = 10_000;
    private static final Capabilities CAPABILITIES = new Capabilities(
            EnumSet.of(Capabilities.Feature.SIGNALS, Capabilities.Feature.SEVERAL_NODES, Capabilities.Feature.LOGS),
            Long.MAX_VALUE,
            START_TIMEOUT_MILLIS,
            Set.of(EngineOption.SLURM));

    private final SlurmSettings settings;
    private final DataFolderClaim claim;
    private final SlurmServices services;
    private final AttemptLogFiles logs;
    private final SlurmWatch watch;
    /** By {@code JOB.ATTEMPT}. */
    private final Map<String, SlurmAttempt> attempts = new ConcurrentHashMap<>();

    /** Orders to these attempts come late. */
    private final Set<String> recentlyEnded =
            Collections.synchronizedSet(Collections.newSetFromMap(new LinkedHashMap<>() {
                @Override
                protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
                    return size() > MAX_ENDED;
                }
            }));

    /** Attempts whose start order an earlier daemon may have given. */
    private final Set<String> unconfirmed = ConcurrentHashMap.newKeySet();

    /** Complete when nothing unexpected holds a GPU any more. */
    private volatile CompletableFuture<Void> opened = new CompletableFuture<>();

    private volatile @Nullable Consumer<EngineEvent> inbox;

    private SlurmEngine(SlurmSettings settings) throws IOException, InterruptedException {
        this.settings = settings;
        Path folder = Files.createDirectories(settings.folder()).toRealPath();
        claim = new DataFolderClaim(settings.data());
        SlurmController controller = new SlurmController(new SlurmCommands(folder, settings.conf()));
        Map<String, String> config = controller.config();
        SlurmCluster cluster = SlurmCluster.of(controller.nodes(), controller.leafSwitches());
        Path attemptsFolder = Files.createDirectories(folder.resolve("attempts"));
        Path scripts = Files.createDirectories(folder.resolve("engine"));
        EngineExecutor executor = new EngineExecutor();
        logs = new AttemptLogFiles(attemptsFolder);
        AtomicReference<Topology> topology = new AtomicReference<>(cluster.topology());
        services = new SlurmServices(
                settings,
                controller,
                new SlurmServices.SlurmSite(
                        idOf(folder), new AtomicReference<>(cluster), controller.partitions(), config, topology),
                new SlurmServices.SharedFiles(
                        attemptsFolder,
                        EngineScripts.install(scripts, SlurmEngine.class, "attempt.sh"),
                        PythonModule.install(folder)),
                executor,
                new AttemptRegistry(
                        executor,
                        new AttemptRegistry.EngineSide(topology::get, () -> false, logs, this::emit),
                        ReportTokens.in(settings.data())),
                this::emit);
        watch = new SlurmWatch(services, attempts::values);
    }

    /** Asks Slurm for its nodes; throws if it does not answer. */
    public static SlurmEngine create(SlurmSettings settings) {
        try {
            return new SlurmEngine(settings);
        } catch (SlurmException e) {
            throw new IllegalStateException("Slurm cannot be used: " + e.getMessage(), e);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot use Slurm's commands, or the folder (" + settings.folder() + ")", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while the engine was set up", e);
        }
    }

    /** Identifies the shared folder, wherever it is mounted. */
    private static String idOf(Path folder) throws IOException {
        Path file = folder.resolve("engine.id");
        if (!Files.exists(file)) {
            Path next = Files.createTempFile(folder, "engine", ".new");
            Files.writeString(next, UUID.randomUUID().toString().substring(0, 13));
            Files.move(next, file);
        }
        return Files.readString(file).strip();
    }

    @Override
    public String name() {
        return "slurm";
    }

    @Override
    public String identity() {
        return services.site().id() + "@" + clusterName();
    }

    private String clusterName() {
        return services.site().config().getOrDefault("ClusterName", "slurm");
    }

    @Override
    public String describeLocation() {
        return "folder " + settings.folder().toAbsolutePath().normalize() + " on the Slurm cluster " + clusterName();
    }

    @Override
    public void claim(long timeoutMillis) throws InterruptedException {
        claim.acquire(timeoutMillis);
    }

    @Override
    public Topology topology() {
        return services.cluster().topology();
    }

    @Override
    public List<String> notices() {
        return List.of("All jobs run as " + System.getProperty("user.name") + " in Slurm (cluster " + clusterName()
                + "); their files are in " + settings.folder() + ", which all nodes must share.");
    }

    @Override
    public @Nullable String rejectionReason(JobSpec spec, String user) {
        String variables = AttemptVariables.rejectionReason(spec);
        if (variables != null) {
            return variables;
        }
        if (!spec.workdir().isEmpty() && !spec.workdir().startsWith("/")) {
            return "workdir (" + SingleLine.of(spec.workdir(), 80) + ") must be an absolute path";
        }
        String partition = spec.engine().slurm().partition();
        if (!partition.isEmpty() && services.partition(partition) == null) {
            return "slurm.partition (" + SingleLine.of(partition, 64) + ") is no partition of the Slurm cluster "
                    + clusterName();
        }
        return null;
    }

    @Override
    public ReportInbox reports() {
        return services.attempts();
    }

    @Override
    public JobLogs logs() {
        return logs;
    }

    @Override
    public Capabilities capabilities() {
        return CAPABILITIES;
    }

    // ---- reconciliation ----

    @Override
    public void open(Topology cluster, ExpectedAttempts expected, Consumer<EngineEvent> listener) {
        inbox = listener;
        services.site().topology().set(cluster);
        CompletableFuture<Void> reconciled = new CompletableFuture<>();
        opened = reconciled;
        unconfirmed.clear();
        expected.unconfirmed().forEach(launch -> unconfirmed.add(launch.jobId() + "." + launch.attempt()));
        Set<String> known = expected.all().map(services::marker).collect(Collectors.toSet());
        List<SlurmAttempt> accepted =
                expected.accepted().stream().map(this::register).toList();
        services.executor().submit(() -> reconcile(accepted, known, reconciled));
    }

    @Override
    public void observe(Topology cluster, Consumer<EngineEvent> listener) {
        inbox = listener;
        services.site().topology().set(cluster);
        services.executor().submit(() -> {
            watch.observeJobs();
            watch.start();
            emit(new EngineEvent.Reachable());
        });
    }

    /** Reports the state of every accepted attempt, and cancels the jobs of unknown ones, before anything starts. */
    private void reconcile(List<SlurmAttempt> accepted, Set<String> known, CompletableFuture<Void> reconciled)
            throws InterruptedException {
        JobListing listing = watch.awaitListing();
        accepted.forEach(attempt -> attempt.adopt(listing));
        if (accepted.stream().anyMatch(attempt -> listing.find(attempt.slurmId()) == null)) {
            watch.observeAll(watch.awaitListing()); // a job that began in between is in this one
        }
        cancelOrphans(listing, known);
        watch.observeCluster();
        watch.start();
        emit(new EngineEvent.Reachable());
        reconciled.complete(null);
    }

    private void cancelOrphans(JobListing first, Set<String> known) throws InterruptedException {
        long until = SteadyClock.elapsed() + ORPHANS_MILLIS;
        List<Long> orphans = orphans(first, known);
        if (!orphans.isEmpty()) {
            LOG.warn("unexpected attempts: cancelling their Slurm jobs {}", orphans);
        }
        while (!orphans.isEmpty() && SteadyClock.elapsed() < until) {
            try {
                services.controller().cancel(orphans);
            } catch (IOException e) {
                LOG.warn("unexpected attempts: cancellation failed: {}", e.getMessage());
            }
            Thread.sleep(settings.pollMillis());
            orphans = orphans(watch.awaitListing(), known);
        }
    }

    private List<Long> orphans(JobListing listing, Set<String> known) {
        return listing.byId().values().stream()
                .filter(job -> job.comment().startsWith(services.markerPrefix())
                        && job.phase() != SlurmJob.Phase.ENDED
                        && !known.contains(job.comment())
                        && !attempts.containsKey(
                                job.comment().substring(services.markerPrefix().length())))
                .map(SlurmJob::id)
                .toList();
    }

    @Override
    public void clusterChanged(Topology cluster) {
        services.site().topology().set(cluster);
    }

    // ---- orders ----

    @Override
    public void submit(EngineOrder order) {
        SlurmAttempt attempt = attempts.get(order.id().attemptName());
        if (attempt != null) {
            carryOut(order, attempt);
        } else if (recentlyEnded.contains(order.id().attemptName())) {
            emit(new EngineEvent.Accepted(order.id(), "")); // its end is reported
        } else {
            switch (order.type()) {
                case START -> start((EngineOrder.Start) order);
                case ADOPT -> {
                    SlurmAttempt found = register(((EngineOrder.Adopt) order).launch());
                    found.answer(order.id());
                    services.executor().submit(() -> found.adopt(watch.listingAfter(services.nowMillis())));
                }
                case PREEMPT, KILL, LIMIT ->
                    emit(new EngineEvent.OrderFailed(
                            order.id(), EngineEvent.FailureKind.PERMANENT, "this engine has no such attempt"));
            }
        }
    }

    private void carryOut(EngineOrder order, SlurmAttempt attempt) {
        switch (order.type()) {
            case START -> {
                attempt.answer(order.id());
                submitAgain(attempt);
            }
            case ADOPT -> attempt.answer(order.id());
            case PREEMPT -> {
                attempt.terminate(TerminationCause.PREEMPTION, ((EngineOrder.Preempt) order).graceMillis());
                emit(new EngineEvent.Accepted(order.id(), attempt.externalId()));
            }
            case KILL -> {
                attempt.terminate(TerminationCause.KILL, KILL_GRACE_MILLIS);
                emit(new EngineEvent.Accepted(order.id(), attempt.externalId()));
            }
            case LIMIT -> {
                attempt.accounting().setTimeLimit(((EngineOrder.Limit) order).limitMillis());
                emit(new EngineEvent.Accepted(order.id(), attempt.externalId()));
            }
        }
    }

    /** A submission that seemed to fail may have arrived: a later listing shows it. */
    private void submitAgain(SlurmAttempt attempt) {
        long since = attempt.uncertainSinceMillis();
        if (since >= 0) {
            services.executor().submit(() -> attempt.start(watch.listingAfter(since)));
        }
    }

    /** An order that may have come before, to an earlier daemon, finds what that one began. */
    private void start(EngineOrder.Start order) {
        SlurmAttempt attempt = register(order.launch());
        attempt.answer(order.id());
        boolean mayExist = unconfirmed.remove(attempt.toString()) && attempt.wasOrdered();
        var unused = opened.thenRun(
                () -> services.executor().submit(() -> attempt.start(mayExist ? watch.latest() : JobListing.NONE)));
    }

    private SlurmAttempt register(Launch launch) {
        SlurmAttempt attempt = new SlurmAttempt(services, launch, this::unregister);
        attempts.put(attempt.toString(), attempt);
        return attempt;
    }

    private void unregister(SlurmAttempt attempt) {
        recentlyEnded.add(attempt.toString());
        attempts.remove(attempt.toString());
    }

    private void emit(EngineEvent event) {
        Consumer<EngineEvent> listener = inbox;
        if (listener != null) {
            listener.accept(event);
        }
    }

    /** How many commands of Slurm it has executed. */
    long commandsExecuted() {
        return services.controller().commands().executed();
    }

    @Override
    public void close() {
        inbox = null;
        watch.close();
        services.executor().close();
        claim.close();
    }
}
