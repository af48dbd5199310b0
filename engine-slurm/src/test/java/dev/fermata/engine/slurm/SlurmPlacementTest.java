package dev.fermata.engine.slurm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Outcome;
import dev.fermata.live.engine.EngineEvent;
import dev.fermata.live.engine.EngineOrder;
import dev.fermata.live.engine.ExpectedAttempts;
import dev.fermata.live.engine.JobSpecBuilder;
import dev.fermata.live.engine.Launch;
import dev.fermata.live.spec.JobSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where a real Slurm runs an attempt, and what its ranks find there. GPUs 0 to 7 are on g1, 8 to 15 on g2, and so on. */
class SlurmPlacementTest {
    @TempDir
    private Path folder;

    private SlurmBench bench;

    @BeforeEach
    void open() {
        bench = new SlurmBench(TestSlurm.shared(), folder);
        bench.open(ExpectedAttempts.NONE);
        bench.await(() -> bench.events().contains(new EngineEvent.Reachable()));
    }

    @AfterEach
    void close() {
        bench.close();
    }

    private Launch run(JobSpec spec, int... gpus) {
        Launch launch = bench.launch(1, 1, spec, gpus);
        bench.engine().submit(new EngineOrder.Start(launch));
        return launch;
    }

    private Outcome awaitEnd() {
        bench.await(() -> !outcomes().isEmpty());
        return outcomes().get(0);
    }

    private List<Outcome> outcomes() {
        return bench.events().stream()
                .filter(event -> event instanceof EngineEvent.StateChanged changed
                        && changed.event() instanceof Event.AttemptEnded)
                .map(event -> ((Event.AttemptEnded) ((EngineEvent.StateChanged) event).event()).outcome())
                .toList();
    }

    private List<String> bound() {
        return bench.events().stream()
                .filter(EngineEvent.Bound.class::isInstance)
                .flatMap(event -> ((EngineEvent.Bound) event).devices().stream())
                .map(device -> device.substring(0, device.indexOf('/')))
                .toList();
    }

    private String output(String name) throws IOException {
        return Files.readString(bench.attemptFolder(1, 1).resolve(name)).strip();
    }

    @Test
    void ranksOfAnUnevenGangRunOnTheirNodes() throws IOException {
        run(
                new JobSpecBuilder("echo $RANK of $WORLD_SIZE, $LOCAL_RANK on $NODE_RANK $SLURMD_NODENAME,"
                                + " $SLURM_PROCID, gpus $CUDA_VISIBLE_DEVICES, $MASTER_ADDR; sleep 2")
                        .gpus(4)
                        .ranks(JobSpec.RANK_PER_GPU)
                        .build(),
                8,
                9,
                10,
                24);
        assertThat(awaitEnd()).as(() -> bench.events().toString()).isEqualTo(Outcome.COMPLETED);
        assertThat(bound()).containsExactly("g2", "g2", "g2", "g4");
        assertThat(output("stdout-0.0")).isEqualTo("0 of 4, 0 on 0 g2, 0, gpus 0,1,2, 127.0.0.1");
        assertThat(output("stdout-2.0")).isEqualTo("2 of 4, 2 on 0 g2, 2, gpus 0,1,2, 127.0.0.1");
        assertThat(output("stdout-3.0")).isEqualTo("3 of 4, 0 on 1 g4, 3, gpus 0, 127.0.0.1");
    }

    @Test
    void aGangOverTwoNodesSavesOnTheSignalAndEndsAsOne() {
        Launch launch = run(
                new JobSpecBuilder(
                                "trap 'sleep 0.3; echo saved; exit 0' USR1; echo ready; while :; do sleep 0.05; done")
                        .gpus(4)
                        .ranks(JobSpec.RANK_PER_NODE)
                        .signal("USR1")
                        .build(),
                0,
                1,
                8,
                9);
        bench.await(() -> isReady("stdout-0.0") && isReady("stdout-1.0"));
        bench.engine().submit(new EngineOrder.Preempt(launch.jobId(), launch.attempt(), 60_000));
        assertThat(awaitEnd()).as(() -> bench.events().toString()).isEqualTo(Outcome.PREEMPTED);
        assertThat(isSaved("stdout-0.0") && isSaved("stdout-1.0")).isTrue();
    }

    private boolean isReady(String name) {
        return contains(name, "ready");
    }

    private boolean isSaved(String name) {
        return contains(name, "saved");
    }

    private boolean contains(String name, String text) {
        try {
            Path file = bench.attemptFolder(1, 1).resolve(name);
            return Files.exists(file) && Files.readString(file).contains(text);
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    void aShellThatDoesNotHandleTheSignalDoesNotTakeTheProgramWithIt() {
        run(
                new JobSpecBuilder("bash -c \"trap 'sleep 0.5; echo saved; exit 0' USR1; echo ready;"
                                + " while :; do sleep 0.05; done\"; true")
                        .signal("USR1")
                        .build(),
                0);
        bench.await(() -> isReady("stdout.0"));
        bench.engine().submit(new EngineOrder.Preempt(1, 1, 60_000));
        assertThat(awaitEnd()).isEqualTo(Outcome.PREEMPTED);
        assertThat(isSaved("stdout.0")).isTrue();
    }

    @Test
    void aJobFindsSlurmsVariablesAndFermatas() throws IOException {
        run(
                new JobSpecBuilder(
                                "echo $SLURM_JOB_ID $SLURM_JOB_NODELIST $FERMATA_JOB_ID.$FERMATA_ATTEMPT $FERMATA_GPUS $MY; pwd")
                        .gpus(2)
                        .env("MY", "it's mine")
                        .build(),
                16,
                17);
        assertThat(awaitEnd()).isEqualTo(Outcome.COMPLETED);
        assertThat(output("stdout.0"))
                .isEqualTo(output("claim/job") + " g3 1.1 2 it's mine\n"
                        + bench.attemptFolder(1, 1).resolveSibling("work"));
    }
}
