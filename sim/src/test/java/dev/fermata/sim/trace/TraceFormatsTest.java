package dev.fermata.sim.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.fermata.core.model.JobClass;
import dev.fermata.sim.trace.openb.OpenbPods;
import dev.fermata.sim.trace.openb.Pod;
import dev.fermata.sim.workload.SimulatedJob;
import dev.fermata.sim.workload.Workload;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What each format keeps of the samples, and what it drops. */
class TraceFormatsTest {
    @TempDir
    private Path folder;

    private Trace read(String format) throws IOException {
        Trace trace = TraceSamples.read(folder, TraceSamples.of(format));
        assertThat(trace.format().name()).isEqualTo(format);
        return trace;
    }

    private static Workload jobs(Trace trace) {
        return TraceImporter.toWorkload(trace, 1);
    }

    @Test
    void phillyCsvStartsAtItsFirstSubmissionWithTheSmallerJobFirst() throws IOException {
        Trace trace = read("philly");

        assertThat(jobs(trace).jobs())
                .extracting(
                        j -> j.job().id(),
                        SimulatedJob::submitMillis,
                        SimulatedJob::durationMillis,
                        j -> j.job().queue())
                .containsExactly(
                        tuple(1L, 0L, 30_500L, "cd34"),
                        tuple(2L, 5000L, 12_000L, "ab12"),
                        tuple(3L, 5000L, 90_000L, "ab12"));
        assertThat(trace.describe())
                .isEqualTo(
                        "philly: 5 jobs read, 3 kept; dropped: 1 without a GPU, 1 that ran for no time, 1 blank row");
        assertThat(trace.date()).hasValue(1_551_520_800_000L);
    }

    @Test
    void phillyLogAddsUpAttempts() throws IOException {
        Trace trace = read("philly-json");

        assertThat(trace.records())
                .extracting(
                        TraceRecord::id,
                        TraceRecord::maxGpus,
                        TraceRecord::durationMillis,
                        TraceRecord::user,
                        TraceRecord::queue)
                .containsExactly(
                        tuple("application_7", 3, 90_000L, "ann", "vc1"),
                        tuple("application_13", 1, 9000L, TraceRecord.NO_USER, "vc2"));
        assertThat(trace.readSummary().dropped())
                .isEqualTo(Map.of(
                        DropReason.NEVER_RAN,
                        2L,
                        DropReason.NOT_ENDED,
                        1L,
                        DropReason.NO_GPU,
                        1L,
                        DropReason.NO_TIME,
                        1L));
        assertThat(trace.describe()).contains("7 jobs read, 2 kept", "1 ran in several attempts");
        assertThat(jobs(trace).jobs()).extracting(SimulatedJob::submitMillis).containsExactly(0L, 60_000L);
    }

    @Test
    void droppedPhillyJobsNeedNoDates() throws IOException {
        String undated = TraceSamples.of("philly-json")
                .replace("\"2019-03-02 09:00:00\"", "null")
                .replace("\"2019-03-02 09:45:00\"", "null")
                .replace("\"2019-03-02 09:46:00\"", "null");

        Trace trace = TraceSamples.read(folder, undated);

        assertThat(trace.readSummary()).isEqualTo(read("philly-json").readSummary());
    }

    @Test
    void itpKeepsItsOwnTimeOrigin() throws IOException {
        assertThat(jobs(read("itp")).jobs())
                .extracting(j -> j.job().name(), SimulatedJob::submitMillis, SimulatedJob::durationMillis)
                .containsExactly(
                        tuple("2e-bb", 500_000L, 900_000L),
                        tuple("3d-cc", 700_000L, 600_000L),
                        tuple("1f-aa", 700_000L, 650_000L));
    }

    @Test
    void muriIsInMillisecondsAndHasNoPriorities() throws IOException {
        assertThat(read("muri").records())
                .extracting(
                        TraceRecord::submitMillis,
                        TraceRecord::durationMillis,
                        TraceRecord::model,
                        TraceRecord::batch,
                        TraceRecord::iterations,
                        TraceRecord::priority)
                .containsExactly(
                        tuple(0L, 250_000L, "vgg16", 16, 1000L, 0), tuple(1500L, 61_000L, "dqn", 64, 2000L, 0));
    }

    @Test
    void tiresiasIsInSeconds() throws IOException {
        assertThat(read("tiresias").records())
                .extracting(TraceRecord::submitMillis, TraceRecord::durationMillis, TraceRecord::maxGpus)
                .containsExactly(tuple(0L, 164_000L, 1), tuple(30_000L, 147_000L, 8));
    }

    @Test
    void heliosDropsJobsWithoutGpusAndThoseThatNeverRan() throws IOException {
        Trace trace = read("helios");

        assertThat(trace.describe())
                .isEqualTo(
                        "helios: 5 jobs read, 2 kept; dropped: 1 without a GPU, 1 that never ran, 1 that ran for no time");
        assertThat(jobs(trace).jobs())
                .extracting(
                        j -> j.job().id(),
                        SimulatedJob::submitMillis,
                        j -> j.job().name(),
                        j -> j.job().queue())
                .containsExactly(tuple(504L, 0L, "train_6", "vcY"), tuple(501L, 70_000L, "train_3", "vcX"));
        assertThat(jobs(trace).jobs().get(1).job().demand().cpuMilliPerGpu()).isEqualTo(4000);
    }

    @Test
    void acmeCountsWithTheOffsetsOfItsDates() throws IOException {
        Trace trace = read("acme");

        assertThat(jobs(trace).jobs())
                .extracting(
                        j -> j.job().user(),
                        SimulatedJob::submitMillis,
                        j -> j.job().name())
                .containsExactly(tuple("u1", 0L, "Pretrain"), tuple("u2", 30_000L, "Debug"));
        assertThat(trace.records().get(0).memoryMib()).isEqualTo((long) Math.ceil(200e9 / (1 << 20)));
        assertThat(trace.readSummary().dropped()).isEqualTo(Map.of(DropReason.NO_GPU, 1L));
    }

    @Test
    void paiMergesTasksAndReadsTheJobTable() throws IOException {
        Trace alone = read("pai");
        assertThat(alone.records())
                .extracting(
                        TraceRecord::id,
                        TraceRecord::submitMillis,
                        TraceRecord::maxGpus,
                        TraceRecord::gpuMilli,
                        TraceRecord::durationMillis,
                        TraceRecord::cpuMilli)
                .containsExactly(
                        tuple("j1", 110_000L, 2, 250, 300_000L, 14_000L),
                        tuple("j2", 50_000L, 1, 500, 100_000L, 6000L),
                        tuple("j3", 10_000L, 6, 1000, 60_000L, 12_000L));
        assertThat(alone.readSummary().dropped())
                .isEqualTo(Map.of(
                        DropReason.NO_GPU,
                        1L,
                        DropReason.NOT_ENDED,
                        1L,
                        DropReason.NEVER_RAN,
                        1L,
                        DropReason.NO_TIME,
                        1L));

        Files.writeString(
                folder.resolve("pai_job_table.csv"),
                "job_name,inst_id,user,status,start_time,end_time\nj1,h1,ann,Terminated,90.0,410.0\nj0,h0,eve,Failed,,\n");
        Trace joined = read("pai");
        assertThat(joined.records().get(0).user()).isEqualTo("ann");
        assertThat(joined.records().get(0).submitMillis()).isEqualTo(90_000);
        assertThat(joined.records().get(1).user()).isEqualTo(TraceRecord.NO_USER);
    }

    @Test
    void openbKeepsSharesAndTypes() throws IOException {
        Trace trace = read("openb");

        assertThat(trace.records())
                .extracting(
                        TraceRecord::id,
                        TraceRecord::durationMillis,
                        TraceRecord::gpuMilli,
                        TraceRecord::gpuTypes,
                        TraceRecord::cpuMilli,
                        TraceRecord::queue)
                .containsExactly(
                        tuple("p0", 990_000L, 1000, List.of(), 12_000L, "LS"),
                        tuple("p1", 60_000L, 460, List.of("V100M16", "V100M32"), 6001L, "BE"));
        assertThat(trace.describe())
                .isEqualTo("openb: 6 jobs read, 2 kept; dropped: 1 without a GPU, 1 that never ran, 1 without an end, "
                        + "1 that ran for no time");
        assertThat(jobs(trace).jobs().get(1).job().demand().gpuMilli()).isEqualTo(460);
        List<Pod> pods = new ArrayList<>();
        OpenbPods.pods(new TraceFile(folder.resolve("sample")), new TraceCollector(r -> {}, false), pods::add);
        assertThat(pods).hasSize(6);
    }

    @Test
    void gavelGivesStepsInsteadOfTime() throws IOException {
        Trace trace = read("gavel");

        assertThat(trace.records())
                .extracting(
                        TraceRecord::model,
                        TraceRecord::batch,
                        TraceRecord::iterations,
                        TraceRecord::maxGpus,
                        TraceRecord::submitMillis,
                        TraceRecord::durationMillis)
                .containsExactly(tuple("ResNet-18", 64, 1200L, 2, 0L, 0L), tuple("LM", 20, 900L, 1, 12_500L, 0L));
        assertThat(jobs(trace).jobs()).allMatch(j -> j.durationMillis() > 1);
    }

    @Test
    void dallysWorkIsDividedAmongItsGpus() throws IOException {
        assertThat(read("dally").records())
                .extracting(
                        TraceRecord::id,
                        TraceRecord::durationMillis,
                        TraceRecord::maxGpus,
                        TraceRecord::submitMillis,
                        TraceRecord::gpuMemoryMib,
                        TraceRecord::cpuMilli,
                        TraceRecord::iterations)
                .containsExactly(
                        tuple("900", 100_000_000L, 4, 12_000L, 2695, 16_000L, 4_000_000_000L),
                        tuple("800", 200_000L, 1, 5000L, TraceRecord.UNKNOWN, 0L, 100L));
    }

    @Test
    void swfReadsProcessorsAsGpus() throws IOException {
        Trace trace = read("swf");

        assertThat(trace.records())
                .extracting(
                        TraceRecord::id,
                        TraceRecord::maxGpus,
                        TraceRecord::durationMillis,
                        TraceRecord::declaredMillis,
                        TraceRecord::user,
                        TraceRecord::name,
                        TraceRecord::queue,
                        TraceRecord::memoryMib)
                .containsExactly(
                        tuple("1", 4, 100_000L, 200_000L, "user3", "program7", "queue2", 8L),
                        tuple("6", 2, 60_500L, 0L, "user4", "", "default", 0L));
        assertThat(trace.readSummary().dropped())
                .isEqualTo(Map.of(DropReason.NEVER_RAN, 2L, DropReason.NO_TIME, 1L, DropReason.NO_GPU, 1L));
        assertThat(trace.readSummary().blankRows()).isEqualTo(1);
    }

    @Test
    void swfsCommentsMayBeIndented() throws IOException {
        Trace trace = TraceSamples.read(folder, "  ; first\n" + TraceSamples.of("swf") + "\t;; last\n");

        assertThat(trace.records()).isEqualTo(read("swf").records());
    }

    @Test
    void fermataCsvHasEveryField() throws IOException {
        Trace trace = read("fermata");
        TraceRecord a = trace.records().get(0);

        assertThat(a.gpuMilli()).isEqualTo(500);
        assertThat(a.cpuMilli()).isEqualTo(11_908);
        assertThat(a.iterations()).isEqualTo(5_000_000_000L);
        assertThat(a.jobClass()).isEqualTo(JobClass.TRIAL);
        assertThat(trace.records().get(2).name()).isEqualTo("odd, \"name\"");
        assertThat(trace.describe()).isEqualTo("fermata: 3 jobs read");
    }

    @Test
    void idsOfTheTraceAreKeptOnlyIfTheyFollowItsOrder() throws IOException {
        String head = "job_id,submit_time,duration,num_gpu,iterations,model_name,interval\n";

        assertThat(ids(head + "9,50,1,1,1,m,0\n3,70,1,1,1,m,0\n")).containsExactly(9L, 3L);
        assertThat(ids(head + "9,70,1,1,1,m,0\n3,50,1,1,1,m,0\n")).containsExactly(3L, 9L);
        assertThat(ids(head + "9,50,1,1,1,m,0\n3,50,1,1,1,m,0\n"))
                .as("same second")
                .containsExactly(1L, 2L);
        assertThat(ids(head + "9,50,1,1,1,m,0\n9,60,1,1,1,m,0\n")).as("twice").containsExactly(1L, 2L);
        assertThat(ids(head + "09,50,1,1,1,m,0\n3,60,1,1,1,m,0\n")).as("padded").containsExactly(1L, 2L);
    }

    private List<Long> ids(String text) throws IOException {
        return jobs(TraceSamples.read(folder, text)).jobs().stream()
                .map(j -> j.job().id())
                .toList();
    }
}
