package dev.fermata.engine.slurm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Topology;
import dev.fermata.live.engine.EngineContract.Behaviour;
import dev.fermata.live.engine.EngineEvent;
import dev.fermata.live.engine.EngineOrder;
import dev.fermata.live.engine.ExpectedAttempts;
import dev.fermata.live.engine.Launch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What users, administrators and crashes do to a real Slurm behind the engine's back. */
class SlurmFaultTest {
    @TempDir
    private Path folder;

    private final TestSlurm slurm = TestSlurm.shared();
    private SlurmBench bench;

    @BeforeEach
    void open() {
        bench = new SlurmBench(slurm, folder);
        open(ExpectedAttempts.NONE);
    }

    @AfterEach
    void close() {
        bench.close();
    }

    private void open(ExpectedAttempts expected) {
        bench.open(expected);
        await(EngineEvent.Reachable.class::isInstance);
    }

    private void await(Predicate<EngineEvent> wanted) {
        bench.await(() -> bench.events().stream().anyMatch(wanted));
    }

    private Launch startAndAwait(long job, Behaviour behaviour, int gpus) {
        Launch launch = bench.launch(job, 1, behaviour, gpus);
        bench.engine().submit(new EngineOrder.Start(launch));
        await(event -> event instanceof EngineEvent.Bound bound && bound.jobId() == job);
        bench.await(() -> bench.begun(job, 1) > 0);
        return launch;
    }

    private EngineEvent.StateChanged awaitEnd(long job) {
        await(event -> isEnd(event, job));
        return (EngineEvent.StateChanged) bench.events().stream()
                .filter(event -> isEnd(event, job))
                .findFirst()
                .orElseThrow();
    }

    private static boolean isEnd(EngineEvent event, long job) {
        return event instanceof EngineEvent.StateChanged changed
                && changed.event() instanceof Event.AttemptEnded ended
                && ended.jobId() == job;
    }

    private static boolean isCondition(
            EngineEvent event, String node, EngineEvent.Condition condition, boolean drained) {
        return event instanceof EngineEvent.NodeConditionReported reported
                && reported.nodeId().equals(node)
                && reported.condition() == condition
                && reported.drained() == drained;
    }

    private EngineEvent.NodeConditionReported lastCondition(String node) {
        return bench.events().stream()
                .filter(EngineEvent.NodeConditionReported.class::isInstance)
                .map(EngineEvent.NodeConditionReported.class::cast)
                .filter(reported -> reported.nodeId().equals(node))
                .reduce((first, second) -> second)
                .orElseThrow();
    }

    private static Outcome outcome(EngineEvent.StateChanged end) {
        return ((Event.AttemptEnded) end.event()).outcome();
    }

    private String slurmId(long job) throws IOException {
        return Files.readString(bench.attemptFolder(job, 1).resolve("claim/job"))
                .strip();
    }

    @Test
    void aKilledControllerIsAnOutageInWhichNothingIsLost() {
        startAndAwait(1, Behaviour.SAVES, 1);
        slurm.awaitSavedState();
        slurm.stop("ctld");
        try {
            await(EngineEvent.Unreachable.class::isInstance);
            bench.engine().submit(new EngineOrder.Start(bench.launch(2, 1, Behaviour.COMPLETES, 1)));
            await(event -> event instanceof EngineEvent.OrderFailed failed
                    && failed.kind() == EngineEvent.FailureKind.TRANSIENT);
            bench.events().removeIf(EngineEvent.Reachable.class::isInstance);
        } finally {
            slurm.start("ctld");
        }
        await(EngineEvent.Reachable.class::isInstance);
        assertThat(bench.events()).noneMatch(event -> isEnd(event, 1));
        bench.engine().submit(new EngineOrder.Start(bench.launch(2, 1, Behaviour.COMPLETES, 1)));
        assertThat(outcome(awaitEnd(2))).isEqualTo(Outcome.COMPLETED);
        assertThat(bench.begun(2, 1)).isEqualTo(1);
        bench.engine().submit(new EngineOrder.Preempt(1, 1, 60_000));
        assertThat(outcome(awaitEnd(1))).isEqualTo(Outcome.PREEMPTED);
    }

    @Test
    void aJobThatIsCancelledInSlurmIsCancelled() throws IOException {
        startAndAwait(1, Behaviour.IGNORES_SIGNALS, 1);
        slurm.execute("scancel", slurmId(1));
        EngineEvent.StateChanged end = awaitEnd(1);
        assertThat(outcome(end)).isEqualTo(Outcome.CANCELLED);
        assertThat(String.valueOf(end.exit())).contains("cancelled in Slurm (job " + slurmId(1));
    }

    @Test
    void theAttemptOfAFailedNodeIsLost() {
        startAndAwait(1, Behaviour.SAVES, 1);
        slurm.execute("scontrol", "update", "nodename=g1", "state=down", "reason=test");
        try {
            EngineEvent.StateChanged end = awaitEnd(1);
            assertThat(outcome(end)).isEqualTo(Outcome.LOST);
            assertThat(String.valueOf(end.exit())).contains("a node of it failed");
            await(event -> isCondition(event, "g1", EngineEvent.Condition.DOWN, false));
        } finally {
            slurm.execute("scontrol", "update", "nodename=g1", "state=resume");
        }
        bench.await(() -> lastCondition("g1").condition() == EngineEvent.Condition.UP
                && !lastCondition("g1").drained());
    }

    @Test
    void aNodeWhoseDaemonIsKilledGoesOnWhenItIsBack() {
        startAndAwait(1, Behaviour.SAVES, 1);
        slurm.stop("g1");
        slurm.start("g1");
        bench.engine().submit(new EngineOrder.Preempt(1, 1, 60_000));
        assertThat(outcome(awaitEnd(1))).isEqualTo(Outcome.PREEMPTED);
    }

    @Test
    void aDrainedNodeIsReportedWhileItsJobsGoOn() {
        startAndAwait(1, Behaviour.SAVES, 1);
        slurm.execute("scontrol", "update", "nodename=g1", "state=drain", "reason=test");
        try {
            await(event -> isCondition(event, "g1", EngineEvent.Condition.UP, true));
            assertThat(bench.events()).noneMatch(event -> isEnd(event, 1));
        } finally {
            slurm.execute("scontrol", "update", "nodename=g1", "state=resume");
        }
        bench.await(() -> lastCondition("g1").condition() == EngineEvent.Condition.UP
                && !lastCondition("g1").drained());
    }

    @Test
    void jobsOfOthersAreNeverTouched() {
        String id = slurm.execute(
                "sbatch", "--parsable", "--gpus=1", "--mem=100", "--output=/dev/null", "--wrap", "sleep 300");
        try {
            await(event ->
                    event instanceof EngineEvent.ForeignLoadReported load && load.gpus() == 1 && load.cpuMilli() > 0);
            bench.restart();
            open(ExpectedAttempts.NONE);
            Launch unexpected = startAndAwait(1, Behaviour.SAVES, 1);
            bench.restart();
            open(ExpectedAttempts.NONE);
            assertThat(bench.events()).noneMatch(event -> isEnd(event, unexpected.jobId()));
            assertThat(slurm.execute("squeue", "--noheader", "--format=%i")).isEqualTo(id);
        } finally {
            slurm.execute("scancel", id);
        }
    }

    @Test
    void aJobThatSlurmHasForgottenLeftItsExitCode() throws IOException {
        startAndAwait(1, Behaviour.FAILS, 1);
        awaitEnd(1);
        Files.writeString(bench.attemptFolder(1, 1).resolve("claim/job"), "99999999\n");
        Launch launch = bench.launch(1, 1, Behaviour.FAILS, 1);
        bench.restart();
        open(ExpectedAttempts.accepted(List.of(launch)));
        EngineEvent.StateChanged end = awaitEnd(1);
        assertThat(outcome(end)).isEqualTo(Outcome.FAILED);
        assertThat(bench.events().indexOf(end)).isLessThan(bench.events().indexOf(new EngineEvent.Reachable()));
    }

    @Test
    void aSecondSubmissionOfAnAttemptDoesNotRun() throws IOException {
        Launch launch = startAndAwait(1, Behaviour.SAVES, 1);
        Path scripts = folder.resolve("shared/engine");
        Path script;
        try (var files = Files.list(scripts)) {
            script = files.findFirst().orElseThrow();
        }
        String second = slurm.execute(
                "sbatch",
                "--parsable",
                "--wait",
                "--output=/dev/null",
                "--mem=100",
                script.toString(),
                bench.attemptFolder(1, 1).toString(),
                "batch");
        assertThat(second).isNotEqualTo(slurmId(1));
        assertThat(bench.begun(1, 1)).isEqualTo(1);
        bench.engine().submit(new EngineOrder.Preempt(launch.jobId(), launch.attempt(), 60_000));
        assertThat(outcome(awaitEnd(1))).isEqualTo(Outcome.PREEMPTED);
    }

    @Test
    void aNodeThatSlurmDoesNotHaveRefusesTheStart() {
        Topology found = bench.engine().topology();
        Topology.Builder builder = Topology.builder();
        found.nodes().forEach(node -> {
            if (node.index() == 0 || node.rack() != found.node(node.index() - 1).rack()) {
                builder.rack(found.racks().get(node.rack()).name());
            }
            builder.node(node.name(), found.types().get(node.type()), node.gpus(), 64_000, 512_000);
        });
        Topology grown =
                builder.node("gone", found.types().get(0), 8, 64_000, 512_000).build();
        bench.restart();
        bench.engine().open(grown, ExpectedAttempts.NONE, bench.events()::add);
        await(EngineEvent.Reachable.class::isInstance);
        Launch model = bench.launch(1, 1, Behaviour.COMPLETES, 1);
        bench.engine()
                .submit(new EngineOrder.Start(new Launch(
                        1,
                        1,
                        -1,
                        model.user(),
                        model.spec(),
                        Allocation.of(grown, new int[] {found.gpuCount()}, false),
                        Launch.PriorWork.NONE,
                        Launch.LearnedLimits.NONE)));
        await(event -> event instanceof EngineEvent.OrderFailed failed
                && failed.kind() == EngineEvent.FailureKind.PERMANENT
                && failed.cause().contains("Invalid node name"));
    }
}
