package dev.fermata.engine.slurm;

import dev.fermata.core.contract.Event;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Node;
import dev.fermata.live.engine.EngineContract;
import dev.fermata.live.engine.EngineContract.Behaviour;
import dev.fermata.live.engine.EngineEvent;
import dev.fermata.live.engine.EngineOrder;
import dev.fermata.live.engine.ExpectedAttempts;
import dev.fermata.live.engine.JobSpecBuilder;
import dev.fermata.live.engine.Launch;
import dev.fermata.live.spec.EngineSpec;
import dev.fermata.live.spec.JobSpec;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;

/** An engine on a real Slurm, with a folder of its own. Nothing of it is left at the end. */
final class SlurmBench implements EngineContract.Bench {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    static final long POLL_MILLIS = 200;

    private final TestSlurm slurm;
    private final Path folder;
    /** One line for each time that a command begins. */
    private final Path begun;

    private final List<EngineEvent> events = new CopyOnWriteArrayList<>();
    private SlurmEngine engine;
    private int settled;

    SlurmBench(TestSlurm slurm, Path folder) {
        this.slurm = slurm;
        this.folder = folder;
        this.begun = folder.resolve("begun-lines");
        this.engine = newEngine();
    }

    private SlurmEngine newEngine() {
        return SlurmEngine.create(new SlurmSettings(
                slurm.conf().toString(), folder.resolve("data"), folder.resolve("shared"), "", POLL_MILLIS, false));
    }

    Path attemptFolder(long job, int attempt) {
        return folder.resolve("shared/attempts/" + job + "/" + attempt);
    }

    @Override
    public SlurmEngine engine() {
        return engine;
    }

    @Override
    public Launch launch(long job, int attempt, Behaviour behaviour, int gpus) {
        EngineSpec.SlurmSpec options = behaviour == Behaviour.CANNOT_START
                ? new EngineSpec.SlurmSpec("nosuch", "", "", "", "")
                : EngineSpec.SlurmSpec.NONE;
        JobSpecBuilder spec = new JobSpecBuilder(command(behaviour)).gpus(gpus).slurm(options);
        if (behaviour == Behaviour.LOSES_RANK) {
            spec.ranks(gpus);
        }
        return launch(job, attempt, spec.build(), IntStream.range(0, gpus).toArray());
    }

    Launch launch(long job, int attempt, JobSpec spec, int... gpus) {
        return new Launch(
                job,
                attempt,
                -1,
                System.getProperty("user.name"),
                spec,
                Allocation.of(engine.topology(), gpus, false),
                Launch.PriorWork.NONE,
                Launch.LearnedLimits.NONE);
    }

    private String command(Behaviour behaviour) {
        String mark = "echo $FERMATA_JOB_ID.$FERMATA_ATTEMPT >>" + begun + "; ";
        return switch (behaviour) {
            case SAVES -> "trap 'exit 0' TERM; " + mark + "while :; do sleep 0.05; done";
            case IGNORES_SIGNALS -> "trap '' TERM; " + mark + "while :; do sleep 0.05; done";
            case COMPLETES, CANNOT_START -> mark + "exit 0";
            case FAILS -> mark + "exit 3";
            case LOSES_RANK -> "if [ $RANK = 1 ]; then exit 3; fi; " + mark + "while :; do sleep 0.05; done";
        };
    }

    @Override
    public void restart() {
        engine.close();
        events.clear();
        engine = newEngine();
    }

    @Override
    public List<EngineEvent> events() {
        return events;
    }

    @Override
    public void open(ExpectedAttempts expected) {
        engine.open(engine.topology(), expected, events::add);
    }

    @Override
    public void await(BooleanSupplier condition) {
        try {
            awaitUntil(condition);
        } catch (ConditionTimeoutException e) {
            throw new AssertionError("reported only " + events, e);
        }
    }

    static void awaitUntil(BooleanSupplier condition) {
        Awaitility.await().atMost(TIMEOUT).pollInterval(Duration.ofMillis(20)).until(condition::getAsBoolean);
    }

    /** Until an attempt that starts after everything else has its end reported. */
    @Override
    public void settle() {
        Launch marker = launch(900 + settled++, 1, Behaviour.COMPLETES, 1);
        engine.submit(new EngineOrder.Start(marker));
        await(() -> events.stream()
                .anyMatch(event -> event instanceof EngineEvent.StateChanged changed
                        && changed.event() instanceof Event.AttemptEnded ended
                        && ended.jobId() == marker.jobId()));
    }

    @Override
    public void disturbCluster() {
        slurm.execute("scontrol", "update", "nodename=" + lastNode(), "state=drain", "reason=test");
    }

    @Override
    public void restoreCluster() {
        slurm.execute("scontrol", "update", "nodename=" + lastNode(), "state=resume");
    }

    private String lastNode() {
        List<Node> nodes = engine.topology().nodes();
        return SlurmCluster.hostOf(nodes.get(nodes.size() - 1).name());
    }

    @Override
    public int begun(long job, int attempt) {
        try {
            List<String> lines = Files.exists(begun) ? Files.readAllLines(begun) : List.of();
            return (int) lines.stream().filter((job + "." + attempt)::equals).count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        engine.close();
        SlurmEngine last = newEngine(); // cancels what is left
        List<EngineEvent> seen = new CopyOnWriteArrayList<>();
        last.open(last.topology(), ExpectedAttempts.NONE, seen::add);
        await(() -> seen.contains(new EngineEvent.Reachable()));
        last.close();
    }
}
