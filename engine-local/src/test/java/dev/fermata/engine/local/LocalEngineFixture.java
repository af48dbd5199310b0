package dev.fermata.engine.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.model.Allocation;
import dev.fermata.live.attempt.GpuUsage;
import dev.fermata.live.engine.EngineEvent;
import dev.fermata.live.engine.EngineOrder;
import dev.fermata.live.engine.ExpectedAttempts;
import dev.fermata.live.engine.JobSpecBuilder;
import dev.fermata.live.engine.Launch;
import dev.fermata.live.profile.AttemptMeasurements;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import org.awaitility.core.ConditionTimeoutException;

/** A local engine on its own folder, with all of its events. Everything it started is killed at the end. */
final class LocalEngineFixture implements AutoCloseable {
    static final Duration TIMEOUT = Duration.ofSeconds(30);

    final Path data;
    final List<EngineEvent> events = new CopyOnWriteArrayList<>();
    private final UnaryOperator<LocalEngineSettings> settings;
    private final LongSupplier nanos;
    LocalEngine engine;

    LocalEngineFixture(Path data) {
        this(data, settings -> settings);
    }

    LocalEngineFixture(Path data, UnaryOperator<LocalEngineSettings> settings) {
        this(data, settings, System::nanoTime);
    }

    LocalEngineFixture(Path data, UnaryOperator<LocalEngineSettings> settings, LongSupplier nanos) {
        this.data = data;
        this.settings = settings;
        this.nanos = nanos;
        this.engine = createEngine();
        openAndAwait(ExpectedAttempts.NONE);
    }

    /** Opens the engine and waits until it has reported what it found. */
    private void openAndAwait(ExpectedAttempts expected) {
        engine.open(engine.topology(), expected, events::add);
        awaitUntil(() -> events.stream().anyMatch(event -> event instanceof EngineEvent.Reachable));
    }

    void preempt(long job, int attempt, long graceMillis) {
        engine.submit(new EngineOrder.Preempt(job, attempt, graceMillis));
    }

    void kill(long job, int attempt) {
        engine.submit(new EngineOrder.Kill(job, attempt));
    }

    void setTimeLimit(long job, int attempt, long limitMillis) {
        engine.submit(new EngineOrder.Limit(job, attempt, 1, limitMillis));
    }

    private LocalEngine createEngine() {
        return LocalEngine.create(
                settings.apply(LocalEngineSettings.forDataFolder(data)
                        .gpus("virtual:8")
                        .killGraceMillis(300)),
                nanos);
    }

    /** As after a crash: a new engine opens with the attempts that the scheduler expects. */
    LocalEngineFixture reopen(Launch... expectedAttempts) {
        engine.close();
        events.clear();
        engine = createEngine();
        openAndAwait(ExpectedAttempts.accepted(List.of(expectedAttempts)));
        return this;
    }

    void reopenWith(ExpectedAttempts expected) {
        engine.close();
        events.clear();
        engine = createEngine();
        openAndAwait(expected);
    }

    /** The same, when the processes of this attempt are suspended. */
    LocalEngineFixture reopenSuspended(Launch suspended) {
        engine.close();
        events.clear();
        engine = createEngine();
        openAndAwait(new ExpectedAttempts(List.of(), List.of(), List.of(suspended)));
        return this;
    }

    /** The next attempt, which resumes the processes of an earlier one. */
    static Launch resuming(Launch earlier, int attempt) {
        return new Launch(
                earlier.jobId(),
                attempt,
                earlier.arrayId(),
                earlier.user(),
                earlier.spec(),
                earlier.allocation(),
                new Launch.PriorWork(true, 1_000, 1_000, earlier.process()),
                Launch.LearnedLimits.NONE);
    }

    Launch launch(long job, int attempt, JobSpecBuilder builder) {
        return launch(job, attempt, builder, 0, 0);
    }

    Launch launch(long job, int attempt, JobSpecBuilder builder, long saved, long ran) {
        var spec = builder.build();
        int[] gpus = new int[spec.maxGpus()];
        for (int i = 0; i < gpus.length; i++) {
            gpus[i] = i;
        }
        return new Launch(
                job,
                attempt,
                spec.array().size() > 0 ? job : -1,
                System.getProperty("user.name"),
                spec,
                Allocation.of(engine.topology(), gpus, false),
                new Launch.PriorWork(attempt > 1, saved, ran),
                Launch.LearnedLimits.NONE);
    }

    /** The same attempt for another user. */
    static Launch forUser(String user, Launch launch) {
        return copyOf(launch, user, launch.maxLoadMillis());
    }

    /** The same attempt with a profile that reports the end of the load, within this time. */
    static Launch withMaxLoad(long maxLoadMillis, Launch launch) {
        return copyOf(launch, launch.user(), maxLoadMillis);
    }

    private static Launch copyOf(Launch launch, String user, long maxLoadMillis) {
        return new Launch(
                launch.jobId(),
                launch.attempt(),
                launch.arrayId(),
                user,
                launch.spec(),
                launch.allocation(),
                launch.prior(),
                new Launch.LearnedLimits(launch.gpuMemoryReservationMib(), maxLoadMillis, launch.batchShares()));
    }

    Launch start(long job, JobSpecBuilder builder) {
        Launch launch = launch(job, 1, builder);
        engine.submit(new EngineOrder.Start(launch));
        return launch;
    }

    /** Starts it and waits until it runs. */
    Launch startAndAwaitRunning(long job, JobSpecBuilder builder) {
        Launch launch = start(job, builder);
        awaitRunning(launch);
        return launch;
    }

    void awaitRunning(Launch launch) {
        awaitUntil(() -> events.stream()
                .anyMatch(event -> event instanceof EngineEvent.StateChanged happened
                        && happened.event() instanceof Event.Running running
                        && running.jobId() == launch.jobId()
                        && running.attempt() == launch.attempt()));
    }

    /** How it ended. */
    record AttemptEndRecord(Outcome outcome, Usage usage, EngineEvent.AttemptExit exit) {}

    AttemptEndRecord awaitEnd(Launch launch) {
        try {
            awaitUntil(() -> !ends(launch).isEmpty());
        } catch (ConditionTimeoutException e) {
            throw new AssertionError("told only " + events, e);
        }
        assertThat(ends(launch)).as("ends of %s", launch).hasSize(1);
        return ends(launch).get(0);
    }

    /** Its observed GPU use. */
    GpuUsage gpuUsage(Launch launch) {
        return engine.findAttempt(launch.jobId(), launch.attempt()).accounting().gpuUsage();
    }

    /** Its measurements when it ended. */
    AttemptMeasurements measurements(Launch launch) {
        AttemptEndRecord unused = awaitEnd(launch);
        return events.stream()
                .filter(event -> event instanceof EngineEvent.StateChanged happened
                        && happened.event() instanceof Event.AttemptEnded left
                        && left.jobId() == launch.jobId())
                .map(event -> ((EngineEvent.StateChanged) event).measurements())
                .findFirst()
                .orElseThrow();
    }

    List<AttemptEndRecord> ends(Launch launch) {
        return events.stream()
                .filter(event -> event instanceof EngineEvent.StateChanged happened
                        && happened.event() instanceof Event.AttemptEnded left
                        && left.jobId() == launch.jobId()
                        && left.attempt() == launch.attempt())
                .map(EngineEvent.StateChanged.class::cast)
                .map(happened -> {
                    Event.AttemptEnded left = (Event.AttemptEnded) happened.event();
                    return new AttemptEndRecord(left.outcome(), left.usage(), Objects.requireNonNull(happened.exit()));
                })
                .toList();
    }

    Path folder(Launch launch) {
        return data.resolve("attempts/" + launch.jobId() + "/" + launch.attempt());
    }

    Path workFolder(Launch launch) {
        return data.resolve("attempts/" + launch.jobId() + "/work");
    }

    String readFile(Path path) {
        try {
            return Files.exists(path) ? Files.readString(path) : "";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String stdout(Launch launch) {
        return readFile(folder(launch).resolve("stdout.0"));
    }

    void awaitFile(Path path) {
        awaitUntil(() -> Files.exists(path) && Files.size(path) > 0);
    }

    static void awaitUntil(Callable<Boolean> condition) {
        await().atMost(TIMEOUT).pollInterval(Duration.ofMillis(5)).until(condition);
    }

    /** Processes with a marker of this fixture's attempts. */
    List<Proc> aliveProcesses() {
        try {
            String prefix = AttemptMarkers.forDataFolder(data).prefix();
            return Proc.listAll().stream()
                    .filter(proc -> {
                        String id = AttemptMarkers.of(proc);
                        return id != null && id.startsWith(prefix);
                    })
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        engine.close();
        awaitUntil(() -> {
            aliveProcesses().forEach(Proc::kill);
            return aliveProcesses().isEmpty();
        });
        engine.removeEmptyGroups();
    }
}
