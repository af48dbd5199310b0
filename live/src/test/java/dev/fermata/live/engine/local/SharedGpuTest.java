package dev.fermata.live.engine.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Outcome;
import dev.fermata.core.model.Allocation;
import dev.fermata.live.engine.Launch;
import dev.fermata.live.engine.Shortage;
import dev.fermata.live.learn.Measured;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Jobs that share a GPU inside what they promised, on GPUs that are made up and on some that a script plays. */
class SharedGpuTest {
    private static final String LOOP = "while :; do sleep 0.02; done";

    @TempDir
    Path data;

    @SuppressWarnings("NullAway.Init") // each test opens the one it needs
    private Stage stage;

    @AfterEach
    void close() {
        stage.close();
        assertThat(stage.alive()).isEmpty();
    }

    private Launch on(int gpu, long job, int promisedMib, SpecDraft draft) {
        Launch like = stage.launch(job, 1, draft);
        return new Launch(
                job,
                1,
                false,
                Allocation.of(stage.engine.topology(), new int[] {gpu}, promisedMib > 0),
                like.spec(),
                like.user(),
                0,
                0,
                -1,
                promisedMib,
                0);
    }

    private static SpecDraft holding(int mib) {
        String line = "{\\\"kind\\\":\\\"step\\\",\\\"step\\\":1,\\\"memoryMib\\\":" + mib + ",\\\"busy\\\":0.4}";
        return new SpecDraft("echo \"" + line + "\" >>$FERMATA_REPORT; echo up $FERMATA_GPU_MEMORY_MIB; " + LOOP);
    }

    private Launch up(Launch launch) {
        stage.engine.start(launch);
        stage.awaitRunning(launch);
        Stage.until(() -> stage.stdout(launch).contains("up"));
        return launch;
    }

    @Test
    void whoTakesWhatANeighbourWasPromisedIsEndedAndTheNeighbourLives() {
        stage = new Stage(data, settings -> settings.gpus("virtual:1:V100"));
        Launch modest = up(on(0, 1, 6_000, holding(5_900)));
        Launch greedy = up(on(0, 2, 4_000, holding(7_000)));
        assertThat(stage.stdout(greedy)).contains("up 4000");

        Stage.End end = stage.end(greedy);

        assertThat(end.outcome()).isEqualTo(Outcome.OOM);
        assertThat(end.exit().shortage()).isEqualTo(Shortage.GPU_MEMORY);
        assertThat(end.exit().detail()).contains("4000 MiB of a shared GPU that it was promised");
        assertThat(stage.ends(modest)).isEmpty();
        stage.engine.kill(1, 1);
        stage.end(modest);
    }

    @Test
    void aloneItMayHoldMoreUntilSomebodyComes() {
        stage = new Stage(data, settings -> settings.gpus("virtual:2:V100"));
        Launch greedy = up(on(0, 1, 4_000, holding(7_000)));
        Launch elsewhere = on(1, 2, 0, new SpecDraft("sleep 1.2")); // as long as two looks
        stage.engine.start(elsewhere);
        stage.end(elsewhere);
        assertThat(stage.ends(greedy)).isEmpty();

        Launch newcomer = up(on(0, 3, 4_000, holding(100)));
        assertThat(stage.end(greedy).outcome()).isEqualTo(Outcome.OOM);
        assertThat(stage.ends(newcomer)).isEmpty();
        stage.engine.kill(3, 1);
        stage.end(newcomer);
    }

    @Test
    void aLittleMoreLivesOnTheReserve() {
        stage = new Stage(data, settings -> settings.gpus("virtual:1:V100"));
        Launch one = up(on(0, 1, 4_000, holding(4_100)));
        Launch two = up(on(0, 2, 4_000, holding(4_000)));
        Launch probe = up(on(0, 3, 4_000, holding(9_000)));
        assertThat(stage.end(probe).outcome()).as("they were looked at").isEqualTo(Outcome.OOM);

        assertThat(stage.ends(one)).isEmpty();
        assertThat(stage.ends(two)).isEmpty();
        stage.engine.kill(1, 1);
        stage.engine.kill(2, 1);
        stage.end(one);
        stage.end(two);
    }

    @Test
    void aJobThatSavesWhenAskedKeepsItsWork() {
        stage = new Stage(data, settings -> settings.gpus("virtual:1:V100"));
        Launch modest = up(on(0, 1, 6_000, holding(10)));
        SpecDraft saves = new SpecDraft("trap 'echo saved; exit 75' TERM; echo '{\"kind\":\"step\",\"memoryMib\":9000}'"
                + " >>$FERMATA_REPORT; echo up; " + LOOP);
        Launch greedy = up(on(0, 2, 4_000, saves));

        assertThat(stage.end(greedy).outcome()).isEqualTo(Outcome.OOM);
        assertThat(stage.stdout(greedy)).contains("saved");
        stage.engine.kill(1, 1);
        stage.end(modest);
    }

    /** Answers like nvidia-smi: one GPU, and what is in two files beside it. */
    private String smi() throws IOException {
        Path program = data.resolve("nvidia-smi");
        Files.writeString(program, """
                #!/bin/sh
                d=${0%/*}
                case "$*" in
                *memory.total*) echo "0, GPU-aa, NVIDIA A100-SXM4-40GB, 40960"; exit ;;
                *compute-apps*) f=apps ;;
                *) f=gpus ;;
                esac
                case "$*" in *--loop-ms=50*) ;; *) exit 2 ;; esac
                while cat "$d/$f"; do sleep 0.05; done
                """);
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
        says("apps", "");
        says("gpus", "GPU-aa, 4, 0\n");
        return program.toString();
    }

    /** What it says from now on. */
    private void says(String file, String lines) throws IOException {
        Path next = Files.writeString(data.resolve(file + ".next"), lines);
        Files.move(next, data.resolve(file), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private void openWithSmi(boolean pidsAreOurs) throws IOException {
        String program = smi();
        stage = new Stage(
                data, settings -> settings.gpus("auto").sampling(new LocalSettings.Sampling(program, 50, pidsAreOurs)));
    }

    /** The job writes the pids of two processes of its own, one of which has forgotten its environment. */
    private static SpecDraft twoProcesses() {
        return new SpecDraft(
                "env -i sh -c 'while :; do sleep 0.02; done' & echo up $$ $!; trap 'exit 0' TERM; " + LOOP);
    }

    private String[] pids(Launch launch) {
        return stage.stdout(launch).strip().split(" ");
    }

    @Test
    void whatItsProcessesHoldIsSeenAndCountedTogether() throws Exception {
        openWithSmi(true);
        Launch launch = up(on(0, 1, 0, twoProcesses()));
        String[] pids = pids(launch);
        says("gpus", "GPU-aa, 30000, 60\n");
        says(
                "apps",
                "GPU-aa, " + pids[1] + ", 3000\nGPU-aa, " + pids[2] + ", 500\nGPU-aa, 1, 20000\n" + "GPU-bb, " + pids[1]
                        + ", 9000\nGPU-aa, " + pids[1] + ", [N/A]\n");

        Stage.until(
                () -> stage.use(launch).peakMib() >= 3500 && stage.use(launch).busyPermille() > 0);
        stage.engine.kill(1, 1);

        Measured measured = stage.measured(launch);
        assertThat(measured.peakMemoryMib()).isEqualTo(3500);
        assertThat(measured.busyPermille()).isBetween(1L, 600L);
    }

    @Test
    void whereItsPidsMeanNothingTheWholeGpuCountsWhileItIsAlone() throws Exception {
        openWithSmi(false);
        Launch launch = up(on(0, 1, 0, twoProcesses()));
        says("apps", "GPU-aa, " + pids(launch)[1] + ", 9999\n");
        says("gpus", "GPU-aa, 2222, 10\n");
        Stage.until(() -> stage.use(launch).peakMib() == 2222);
        stage.engine.kill(1, 1);
        assertThat(stage.measured(launch).peakMemoryMib()).isEqualTo(2222);
    }

    @Test
    void beyondItsPromiseBesideAnotherItIsEndedByWhatNvidiaSmiSays() throws Exception {
        openWithSmi(true);
        Launch modest = up(on(0, 1, 10_000, twoProcesses()));
        Launch greedy = up(on(0, 2, 10_000, twoProcesses()));
        says("apps", "GPU-aa, " + pids(modest)[1] + ", 9000\nGPU-aa, " + pids(greedy)[1] + ", 20000\n");

        assertThat(stage.end(greedy).outcome()).isEqualTo(Outcome.OOM);
        assertThat(stage.ends(modest)).isEmpty();
        stage.engine.kill(1, 1);
        stage.end(modest);
    }

    @Test
    void aWatcherThatDiesHarmsNobody() throws Exception {
        String program = smi();
        stage = new Stage(
                data,
                settings -> settings.gpus("auto")
                        .sampling(new LocalSettings.Sampling(program, 51, true))); // it exits with 2
        Launch launch = on(0, 1, 0, new SpecDraft("sleep 1.2"));
        stage.engine.start(launch);
        assertThat(stage.end(launch).outcome()).isEqualTo(Outcome.COMPLETED);
    }

    @Test
    void theDriversPartOfARealGpuIsPromisedToNobody() throws Exception {
        openWithSmi(true);
        assertThat(stage.engine.topology().types().get(0).memoryMib()).isEqualTo(40_960 - 640);
    }
}
