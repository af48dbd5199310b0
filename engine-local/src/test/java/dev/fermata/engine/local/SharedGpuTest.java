package dev.fermata.engine.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Outcome;
import dev.fermata.core.model.Allocation;
import dev.fermata.live.engine.EngineOrder;
import dev.fermata.live.engine.ExhaustedResource;
import dev.fermata.live.engine.JobSpecBuilder;
import dev.fermata.live.engine.Launch;
import dev.fermata.live.profile.AttemptMeasurements;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Jobs that share a GPU within their memory reservations, on virtual GPUs and on GPUs that a script simulates. */
class SharedGpuTest {
    private static final String LOOP = "while :; do sleep 0.02; done";

    @TempDir
    Path data;

    @SuppressWarnings("NullAway.Init") // each test opens the one it needs
    private LocalEngineFixture fixture;

    @AfterEach
    void close() {
        fixture.close();
        assertThat(fixture.aliveProcesses()).isEmpty();
    }

    private Launch launchOn(int gpu, long job, int gpuMemoryReservationMib, JobSpecBuilder builder) {
        Launch like = fixture.launch(job, 1, builder);
        return new Launch(
                job,
                1,
                -1,
                like.user(),
                like.spec(),
                Allocation.of(fixture.engine.topology(), new int[] {gpu}, gpuMemoryReservationMib > 0),
                Launch.PriorWork.NONE,
                new Launch.LearnedLimits(gpuMemoryReservationMib, 0, List.of()));
    }

    private static JobSpecBuilder jobHoldingMib(int mib) {
        String line = "{\\\"type\\\":\\\"step\\\",\\\"step\\\":1,\\\"memoryMib\\\":" + mib + ",\\\"busy\\\":0.4}";
        return new JobSpecBuilder("echo \"" + line + "\" >>$FERMATA_REPORT; echo up $FERMATA_GPU_MEMORY_MIB; " + LOOP);
    }

    private Launch startAndAwait(Launch launch) {
        fixture.engine.submit(new EngineOrder.Start(launch));
        fixture.awaitRunning(launch);
        LocalEngineFixture.awaitUntil(() -> fixture.stdout(launch).contains("up"));
        return launch;
    }

    @Test
    void jobBeyondItsReservationIsEndedAndItsNeighbourContinues() {
        fixture = new LocalEngineFixture(data, settings -> settings.gpus("virtual:1:V100"));
        Launch modest = startAndAwait(launchOn(0, 1, 6_000, jobHoldingMib(5_900)));
        Launch greedy = startAndAwait(launchOn(0, 2, 4_000, jobHoldingMib(7_000)));
        assertThat(fixture.stdout(greedy)).contains("up 4000");

        LocalEngineFixture.AttemptEndRecord end = fixture.awaitEnd(greedy);

        assertThat(end.outcome()).isEqualTo(Outcome.OOM);
        assertThat(end.exit().exhaustedResource()).isEqualTo(ExhaustedResource.GPU_MEMORY);
        assertThat(end.exit().detail()).contains("4000 MiB of a shared GPU that were reserved for it");
        assertThat(fixture.ends(modest)).isEmpty();
        fixture.kill(1, 1);
        fixture.awaitEnd(modest);
    }

    @Test
    void jobAloneMayExceedItsReservationUntilAnotherStarts() {
        fixture = new LocalEngineFixture(data, settings -> settings.gpus("virtual:2:V100"));
        Launch greedy = startAndAwait(launchOn(0, 1, 4_000, jobHoldingMib(7_000)));
        Launch neighbour = startAndAwait(launchOn(1, 2, 4_000, jobHoldingMib(100)));
        Launch probe = startAndAwait(launchOn(1, 4, 4_000, jobHoldingMib(9_000)));
        assertThat(fixture.awaitEnd(probe).outcome()).as("all were looked at").isEqualTo(Outcome.OOM);
        assertThat(fixture.ends(greedy)).isEmpty();
        fixture.kill(2, 1);
        fixture.awaitEnd(neighbour);

        Launch newcomer = startAndAwait(launchOn(0, 3, 4_000, jobHoldingMib(100)));
        assertThat(fixture.awaitEnd(greedy).outcome()).isEqualTo(Outcome.OOM);
        assertThat(fixture.ends(newcomer)).isEmpty();
        fixture.kill(3, 1);
        fixture.awaitEnd(newcomer);
    }

    @Test
    void smallExcessUsesTheReserve() {
        fixture = new LocalEngineFixture(data, settings -> settings.gpus("virtual:1:V100"));
        Launch one = startAndAwait(launchOn(0, 1, 4_000, jobHoldingMib(4_100)));
        Launch two = startAndAwait(launchOn(0, 2, 4_000, jobHoldingMib(4_000)));
        Launch probe = startAndAwait(launchOn(0, 3, 4_000, jobHoldingMib(9_000)));
        assertThat(fixture.awaitEnd(probe).outcome()).as("they were looked at").isEqualTo(Outcome.OOM);

        assertThat(fixture.ends(one)).isEmpty();
        assertThat(fixture.ends(two)).isEmpty();
        fixture.kill(1, 1);
        fixture.kill(2, 1);
        fixture.awaitEnd(one);
        fixture.awaitEnd(two);
    }

    @Test
    void jobThatSavesOnRequestKeepsItsWork() {
        fixture = new LocalEngineFixture(data, settings -> settings.gpus("virtual:1:V100"));
        Launch modest = startAndAwait(launchOn(0, 1, 6_000, jobHoldingMib(10)));
        JobSpecBuilder saves =
                new JobSpecBuilder("trap 'echo saved; exit 75' TERM; echo '{\"type\":\"step\",\"memoryMib\":9000}'"
                        + " >>$FERMATA_REPORT; echo up; " + LOOP);
        Launch greedy = startAndAwait(launchOn(0, 2, 4_000, saves));

        assertThat(fixture.awaitEnd(greedy).outcome()).isEqualTo(Outcome.OOM);
        assertThat(fixture.stdout(greedy)).contains("saved");
        fixture.kill(1, 1);
        fixture.awaitEnd(modest);
    }

    /** Behaves like nvidia-smi: one GPU, with the content of two files. */
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
                case "$*" in *--loop-ms=50*) ;; *) touch "$d/died"; exit 2 ;; esac
                while cat "$d/$f"; do sleep 0.05; done
                """);
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
        setSmiOutput("apps", "");
        setSmiOutput("gpus", "GPU-aa, 4, 0\n");
        return program.toString();
    }

    /** Its output from now on. */
    private void setSmiOutput(String file, String lines) throws IOException {
        Path next = Files.writeString(data.resolve(file + ".next"), lines);
        Files.move(next, data.resolve(file), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private void openWithSmi(boolean hostPids) throws IOException {
        String program = smi();
        fixture = new LocalEngineFixture(
                data,
                settings -> settings.gpus("auto").sampling(new LocalEngineSettings.GpuSampling(program, 50, hostPids)));
    }

    /** The job writes the pids of two of its processes, one of which has cleared its environment. */
    private static JobSpecBuilder twoProcesses() {
        return new JobSpecBuilder(
                "env -i sh -c 'while :; do sleep 0.02; done' & echo up $$ $!; trap 'exit 0' TERM; " + LOOP);
    }

    private String[] pids(Launch launch) {
        return fixture.stdout(launch).strip().split(" ");
    }

    @Test
    void memoryOfAllProcessesIsSummed() throws Exception {
        openWithSmi(true);
        Launch launch = startAndAwait(launchOn(0, 1, 0, twoProcesses()));
        String[] pids = pids(launch);
        setSmiOutput("gpus", "GPU-aa, 30000, 60\n");
        setSmiOutput(
                "apps",
                "GPU-aa, " + pids[1] + ", 3000\nGPU-aa, " + pids[2] + ", 500\nGPU-aa, 1, 20000\n" + "GPU-bb, " + pids[1]
                        + ", 9000\nGPU-aa, " + pids[1] + ", [N/A]\n");

        LocalEngineFixture.awaitUntil(() -> fixture.gpuUsage(launch).peakMib() >= 3500
                && fixture.gpuUsage(launch).busyPermille() > 0);
        fixture.kill(1, 1);

        AttemptMeasurements measured = fixture.measurements(launch);
        assertThat(measured.peakMemoryMib()).isEqualTo(3500);
        assertThat(measured.busyPermille())
                .as("a mean of 0 and 600")
                .isPositive()
                .isLessThanOrEqualTo(600);
    }

    @Test
    void withoutHostPidsTheWholeGpuCountsForAJobAlone() throws Exception {
        openWithSmi(false);
        Launch launch = startAndAwait(launchOn(0, 1, 0, twoProcesses()));
        setSmiOutput("apps", "GPU-aa, " + pids(launch)[1] + ", 9999\n");
        setSmiOutput("gpus", "GPU-aa, 2222, 10\n");
        LocalEngineFixture.awaitUntil(() -> fixture.gpuUsage(launch).peakMib() == 2222);
        fixture.kill(1, 1);
        assertThat(fixture.measurements(launch).peakMemoryMib()).isEqualTo(2222);
    }

    @Test
    void jobBeyondItsReservationIsEndedByNvidiaSmiSamples() throws Exception {
        openWithSmi(true);
        Launch modest = startAndAwait(launchOn(0, 1, 10_000, twoProcesses()));
        Launch greedy = startAndAwait(launchOn(0, 2, 10_000, twoProcesses()));
        setSmiOutput("apps", "GPU-aa, " + pids(modest)[1] + ", 9000\nGPU-aa, " + pids(greedy)[1] + ", 20000\n");

        assertThat(fixture.awaitEnd(greedy).outcome()).isEqualTo(Outcome.OOM);
        assertThat(fixture.ends(modest)).isEmpty();
        fixture.kill(1, 1);
        fixture.awaitEnd(modest);
    }

    @Test
    void samplerDeathDoesNotAffectJobs() throws Exception {
        String program = smi();
        fixture = new LocalEngineFixture(
                data,
                settings -> settings.gpus("auto")
                        .sampling(new LocalEngineSettings.GpuSampling(program, 51, true))); // it exits with 2
        String untilItDied = "while [ ! -e " + data.resolve("died") + " ]; do sleep 0.02; done";
        Launch launch = launchOn(0, 1, 0, new JobSpecBuilder(untilItDied));
        fixture.engine.submit(new EngineOrder.Start(launch));
        assertThat(fixture.awaitEnd(launch).outcome()).isEqualTo(Outcome.COMPLETED);
    }

    @Test
    void driverMemoryOfRealGpuIsNeverReserved() throws Exception {
        openWithSmi(true);
        assertThat(fixture.engine.topology().types().get(0).memoryMib()).isEqualTo(40_960 - 640);
    }
}
