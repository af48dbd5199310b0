package dev.fermata.engine.local;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.PreemptWay;
import dev.fermata.core.model.SuspendCosts;
import dev.fermata.core.model.Topology;
import dev.fermata.live.attempt.AttemptLogFiles;
import dev.fermata.live.attempt.AttemptRegistry;
import dev.fermata.live.attempt.AttemptVariables;
import dev.fermata.live.attempt.EngineExecutor;
import dev.fermata.live.attempt.ReportTokens;
import dev.fermata.live.attempt.TerminationCause;
import dev.fermata.live.engine.Capabilities;
import dev.fermata.live.engine.DataFolderClaim;
import dev.fermata.live.engine.EngineEvent;
import dev.fermata.live.engine.EngineOrder;
import dev.fermata.live.engine.EngineScripts;
import dev.fermata.live.engine.ExecutionEngine;
import dev.fermata.live.engine.ExpectedAttempts;
import dev.fermata.live.engine.Launch;
import dev.fermata.live.engine.PythonModule;
import dev.fermata.live.engine.ReportInbox;
import dev.fermata.live.spec.JobSpec;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs jobs as processes of this machine. A shell script, the shim, supervises each attempt and outlives the daemon; {@code
 * docs/operator/engine-local.md} describes it.
 */
public final class LocalEngine implements ExecutionEngine {
    private static final Logger LOG = LoggerFactory.getLogger(LocalEngine.class);
    private static final long SAMPLE_MILLIS = 500;
    /** GPUs are sampled for this long after the last job: the next may come soon, and nvidia-smi is slow to start. */
    private static final long SAMPLER_IDLE_MILLIS = 30_000;

    private static final int MAX_ENDED = 10_000;
    private static final Capabilities CAPABILITIES = new Capabilities(
            EnumSet.of(
                    Capabilities.Feature.EXACT_DEVICES,
                    Capabilities.Feature.SIGNALS,
                    Capabilities.Feature.LOGS,
                    Capabilities.Feature.USAGE),
            Long.MAX_VALUE,
            Capabilities.START_TIMEOUT_MILLIS,
            Set.of());

    private final LocalEngineSettings settings;
    private final DataFolderClaim claim;
    private final EngineServices services;
    private final GpuSampler sampler;
    /** By {@code JOB.ATTEMPT}. */
    private final Map<String, LocalAttempt> attempts = new ConcurrentHashMap<>();

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

    /** Complete when no unknown process holds a GPU any more. */
    private volatile CompletableFuture<Void> opened = new CompletableFuture<>();

    private final AtomicBoolean sampling = new AtomicBoolean();
    private final AtomicBoolean watching = new AtomicBoolean();
    private final AttemptCleaning cleaning;
    private volatile @Nullable Consumer<EngineEvent> inbox;

    private LocalEngine(LocalEngineSettings settings, LongSupplier nanos) throws IOException, InterruptedException {
        this.settings = settings;
        Hardware found = Hardware.of(settings.gpus(), settings.sampling().program());
        Path data = settings.data();
        claim = new DataFolderClaim(data);
        Path attemptFolders = attemptsFolder(data);
        Path scripts = Files.createDirectories(data.resolve("engine"));
        AccountResolver accounts = new AccountResolver(settings.runAs(), attemptFolders);
        accounts.makeTraversable(attemptFolders);
        accounts.makeTraversable(scripts);
        AttemptMarkers markers = AttemptMarkers.forDataFolder(data);
        AttemptLogFiles logs = new AttemptLogFiles(attemptFolders);
        EngineExecutor executor = new EngineExecutor();
        services = new EngineServices(
                settings,
                new EngineServices.MachineServices(
                        new DeviceWatch(
                                () -> Hardware.of(
                                        settings.gpus(), settings.sampling().program()),
                                found,
                                this::emit),
                        Files.readString(Path.of("/proc/sys/kernel/random/boot_id"))
                                .strip(),
                        settings.containment().controlGroups()
                                ? ControlGroups.discover(
                                        markers.prefix().replace("-", ""),
                                        settings.containment().limits(Hardware.memoryMib()))
                                : ControlGroups.none(),
                        accounts,
                        Suspender.of(settings.gpus(), scripts)),
                new EngineServices.EngineFiles(
                        attemptFolders,
                        EngineScripts.install(scripts, LocalEngine.class, "shim.sh"),
                        EngineScripts.install(scripts, LocalEngine.class, "step.sh"),
                        PythonModule.install(data)),
                markers,
                logs,
                executor,
                new AttemptRegistry(
                        executor,
                        new AttemptRegistry.EngineSide(this::cluster, this::samplesGpus, logs, this::emit),
                        ReportTokens.in(data)),
                this::emit);
        cleaning = new AttemptCleaning(services, nanos);
        sampler = new GpuSampler(settings.sampling(), services::hardware, services.executor(), markers);
    }

    @Override
    public SuspendCosts suspendCosts() {
        return services.suspender().costs();
    }

    public static LocalEngine create(LocalEngineSettings settings) {
        return create(settings, System::nanoTime);
    }

    /** @param nanos the clock for the removal of old attempts */
    static LocalEngine create(LocalEngineSettings settings, LongSupplier nanos) {
        try {
            return new LocalEngine(settings, nanos);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot use the data folder (" + settings.data() + ")", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while the engine was set up", e);
        }
    }

    /**
     * The folder of attempts. That of 0.1.0 keeps its name: running jobs know the paths of their checkpoints and reports in it.
     */
    private static Path attemptsFolder(Path data) throws IOException {
        Path old = data.resolve("runs");
        return Files.isDirectory(old) ? old : Files.createDirectories(data.resolve("attempts"));
    }

    @Override
    public String name() {
        return "local";
    }

    /**
     * Identifies the data folder, wherever it is moved to, on this machine: a copy elsewhere cannot see the processes here.
     */
    @Override
    public String identity() {
        return services.markers().folderId() + "@" + MachineIdentity.id();
    }

    @Override
    public String describeLocation() {
        return "data folder " + settings.data().toAbsolutePath().normalize() + " on " + MachineIdentity.name();
    }

    @Override
    public void claim(long timeoutMillis) throws InterruptedException {
        claim.acquire(timeoutMillis);
    }

    @Override
    public Topology topology() { // half of the RAM is for suspended jobs, the other half for those that run
        Topology found = services.machine().devices().found().topology();
        return services.suspender().costs().possible() ? found.withSuspendMemoryMib(Hardware.memoryMib() / 2) : found;
    }

    @Override
    public List<String> notices() {
        List<String> notices = new ArrayList<>(services.accounts().notices());
        notices.add(
                settings.gpus().startsWith("virtual")
                        ? "GPUs are virtual: jobs run as ordinary processes of this machine."
                        : "GPUs are assigned by environment variables: nothing keeps a job from using others.");
        notices.addAll(services.groups().notices());
        if (!services.suspender().reason().isEmpty() && !settings.gpus().startsWith("virtual")) {
            notices.add(
                    "Jobs cannot be suspended in place: " + services.suspender().reason() + ".");
        }
        return notices;
    }

    @Override
    public @Nullable String rejectionReason(JobSpec spec, String user) {
        String variables = AttemptVariables.rejectionReason(spec);
        if (variables != null) {
            return variables;
        }
        String account = userRejectionReason(user);
        if (account != null) {
            return account;
        }
        String workdir = JobPaths.problem("workdir", spec.workdir());
        return workdir != null
                ? workdir
                : JobPaths.problem("checkpoint.dir", spec.checkpoint().dir());
    }

    @Override
    public boolean separatesAccounts() {
        return services.accounts().canSwitchUser();
    }

    @Override
    public @Nullable String userRejectionReason(String user) {
        try {
            services.accounts().resolve(user);
            return null;
        } catch (AccountResolver.AccountUnavailable e) {
            return e.getMessage();
        }
    }

    @Override
    public ReportInbox reports() {
        return services.attempts();
    }

    @Override
    public AttemptLogFiles logs() {
        return services.logs();
    }

    @Override
    public Capabilities capabilities() {
        return CAPABILITIES;
    }

    @Override
    public void open(Topology cluster, ExpectedAttempts expected, Consumer<EngineEvent> listener) {
        inbox = listener;
        services.machine().devices().number(cluster);
        if (services.hardware().real() && watching.compareAndSet(false, true)) {
            services.executor().runLater(settings.sampling().searchMillis(), this::watchDevices);
        }
        CompletableFuture<Void> reconciled = new CompletableFuture<>();
        opened = reconciled;
        Set<String> known = expected.all()
                .map(launch -> services.markers().of(launch.jobId(), launch.process()))
                .collect(Collectors.toSet());
        unconfirmed.clear();
        expected.unconfirmed().forEach(launch -> unconfirmed.add(launch.jobId() + "." + launch.attempt()));
        List<LocalAttempt> accepted = new ArrayList<>();
        expected.accepted().forEach(launch -> accepted.add(register(launch)));
        expected.suspended().forEach(launch -> accepted.add(register(launch).markSuspended()));
        expected.unconfirmed().stream()
                .filter(launch -> launch.process() != launch.attempt())
                .forEach(launch -> accepted.add(register(launch).markSuspended()));
        services.executor().submit(() -> reconcile(accepted, known, reconciled));
    }

    @Override
    public void clusterChanged(Topology cluster) {
        services.machine().devices().number(cluster);
    }

    private void watchDevices() {
        services.machine().devices().check();
        services.executor().runLater(settings.sampling().searchMillis(), this::watchDevices);
    }

    /** Reports the state of every accepted attempt, and kills the processes of unknown ones, before anything starts. */
    private void reconcile(List<LocalAttempt> accepted, Set<String> known, CompletableFuture<Void> reconciled)
            throws InterruptedException {
        CountDownLatch reported = new CountDownLatch(accepted.size());
        for (LocalAttempt attempt : accepted) {
            services.executor().submit(() -> {
                try {
                    attempt.adopt();
                } finally {
                    reported.countDown();
                }
            });
        }
        try {
            new OrphanedProcesses(services.markers().prefix(), known, this::isRegistered).kill();
            reported.await();
            StuckGpus.restore(services);
        } catch (IOException e) {
            LOG.warn("stuck GPUs: cannot read their state: {}", e.toString());
        }
        emit(new EngineEvent.Reachable());
        reconciled.complete(null);
        clean();
    }

    private boolean isRegistered(String marker) {
        return attempts.values().stream().anyMatch(attempt -> attempt.marker().equals(marker));
    }

    @Override
    public void submit(EngineOrder order) {
        LocalAttempt attempt = find(order.jobId(), order.attempt());
        if (order instanceof EngineOrder.Start start && start.launch().process() != order.attempt()) {
            resume(start);
        } else if (attempt != null) {
            carryOut(order, attempt);
        } else if (recentlyEnded.contains(order.id().attemptName())) {
            emit(new EngineEvent.Accepted(order.id(), "")); // its end is reported
        } else {
            switch (order.type()) {
                case START -> start((EngineOrder.Start) order);
                case ADOPT -> {
                    LocalAttempt found = register(((EngineOrder.Adopt) order).launch());
                    found.answer(order.id());
                    services.executor().submit(found::adopt);
                }
                case PREEMPT, KILL, LIMIT ->
                    emit(new EngineEvent.OrderFailed(
                            order.id(), EngineEvent.FailureKind.PERMANENT, "this engine has no such attempt"));
            }
        }
    }

    private @Nullable LocalAttempt find(long job, int attempt) {
        return attempts.values().stream()
                .filter(other -> other.isNamed(job, attempt))
                .findFirst()
                .orElse(null);
    }

    /** Resumes suspended processes; an order that came before is answered again. */
    private void resume(EngineOrder.Start order) {
        LocalAttempt found = attempts.get(order.launch().processName());
        if (found != null && found.isSuspended()) {
            var unused =
                    roomFor(order.launch()).thenRun(() -> found.suspension().resume(order.launch(), order.id()));
        } else if (found != null && found.isNamed(order.jobId(), order.attempt())) {
            found.answer(order.id());
        } else {
            String cause = "its suspended processes are gone";
            emit(new EngineEvent.OrderFailed(order.id(), EngineEvent.FailureKind.PERMANENT, cause));
            emit(new EngineEvent.StateChanged(new Event.SuspensionLost(order.jobId(), cause), null));
        }
    }

    private void carryOut(EngineOrder order, LocalAttempt attempt) {
        switch (order.type()) {
            case START, ADOPT -> attempt.answer(order.id());
            case PREEMPT -> {
                EngineOrder.Preempt preempt = (EngineOrder.Preempt) order;
                if (preempt.way() == PreemptWay.SUSPEND) {
                    attempt.suspension().suspend(preempt);
                } else {
                    attempt.terminate(TerminationCause.PREEMPTION, preempt.graceMillis());
                }
                emit(new EngineEvent.Accepted(order.id(), attempt.externalId()));
            }
            case KILL -> {
                if (attempt.isSuspended()) {
                    attempt.discard();
                } else {
                    attempt.terminate(TerminationCause.KILL, settings.killGraceMillis());
                }
                emit(new EngineEvent.Accepted(order.id(), attempt.externalId()));
            }
            case LIMIT -> {
                attempt.accounting().setTimeLimit(((EngineOrder.Limit) order).limitMillis());
                emit(new EngineEvent.Accepted(order.id(), attempt.externalId()));
            }
        }
    }

    /** An order that may have come before, to an earlier daemon, finds what that one began. */
    private void start(EngineOrder.Start order) {
        LocalAttempt attempt = register(order.launch());
        attempt.answer(order.id());
        boolean mayExist = unconfirmed.remove(attempt.toString()) && attempt.wasOrdered();
        var unused = roomFor(order.launch())
                .thenRun(() -> services.executor().submit(mayExist ? attempt::adopt : attempt::start));
    }

    /** Done when the memory of suspended attempts has left these GPUs, or leaves enough. */
    private CompletableFuture<Void> roomFor(Launch launch) {
        return opened.thenCompose(unused -> CompletableFuture.allOf(attempts.values().stream()
                .map(attempt -> attempt.suspension().vacatedFor(launch))
                .toArray(CompletableFuture[]::new)));
    }

    private LocalAttempt register(Launch launch) {
        LocalAttempt attempt = new LocalAttempt(services, launch, this::unregister);
        attempts.put(attempt.toString(), attempt);
        if (services.hardware().real() && sampling.compareAndSet(false, true)) {
            services.executor().runLater(SAMPLE_MILLIS, this::sampleGpus);
        }
        return attempt;
    }

    /** Runs as long as there are attempts. */
    private void sampleGpus() {
        sampler.watch(attempts.values());
        if (attempts.isEmpty()) {
            sampling.set(false);
            if (attempts.isEmpty() || !sampling.compareAndSet(false, true)) {
                services.executor().runLater(SAMPLER_IDLE_MILLIS, this::stopSamplerIfIdle);
                return;
            }
        }
        services.executor().runLater(SAMPLE_MILLIS, this::sampleGpus);
    }

    private void stopSamplerIfIdle() {
        if (attempts.isEmpty()) {
            sampler.close();
        }
    }

    private void unregister(LocalAttempt attempt) {
        recentlyEnded.add(attempt.toString());
        attempts.remove(attempt.toString());
        if (cleaning.isDue()) {
            clean();
        }
    }

    private void clean() {
        services.executor().submit(() -> {
            services.groups().removeStale(attempts.keySet());
            cleaning.clean(attempts::containsKey);
        });
    }

    /** The cluster in the numbers of the history. */
    private Topology cluster() {
        return services.hardware().topology();
    }

    private boolean samplesGpus() {
        return services.hardware().real();
    }

    private void emit(EngineEvent event) {
        Consumer<EngineEvent> listener = inbox;
        if (listener != null) {
            listener.accept(event);
        }
    }

    /** A running attempt. */
    LocalAttempt findAttempt(long jobId, int number) {
        return Objects.requireNonNull(find(jobId, number));
    }

    /** The number of pending timers. */
    int pendingTimers() {
        return services.executor().pendingTimers();
    }

    /** Removes empty control groups, once everything has ended. */
    void removeEmptyGroups() {
        services.groups().removeStale(Set.of());
    }

    @Override
    public void close() {
        inbox = null;
        sampler.close();
        services.executor().close();
        claim.close();
    }
}
