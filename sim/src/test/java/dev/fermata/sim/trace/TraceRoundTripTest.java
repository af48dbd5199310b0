package dev.fermata.sim.trace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.sim.trace.fermata.FermataCsvWriter;
import dev.fermata.sim.trace.read.TraceReader;
import dev.fermata.sim.workload.SimulatedJob;
import dev.fermata.sim.workload.Workload;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What is converted to Fermata's CSV and read again is the same jobs. */
class TraceRoundTripTest {
    @TempDir
    private Path folder;

    static Stream<String> formats() {
        return TraceSamples.all().keySet().stream();
    }

    @ParameterizedTest
    @MethodSource("formats")
    void givesTheSameJobs(String format) throws IOException {
        assertSameJobs(TraceSamples.read(folder, TraceSamples.of(format)));
    }

    @Test
    void givesTheSameJobsWithDuplicateIds() throws IOException {
        String half = "job_id,submission_time,duration,num_gpu\nx,5,1,1\ny,5,2,1\n";
        TraceSamples.write(folder, "a.csv", half);
        TraceSamples.write(folder, "b.csv", half);

        assertSameJobs(new TraceReader(Optional.empty(), false).read(folder));
    }

    @Test
    void givesTheSameJobsOfASubset() throws IOException {
        StringBuilder ofDates = new StringBuilder("timestamp,duration,num_gpus,gpu_time,cluster\n");
        StringBuilder ofDoubtfulIds = new StringBuilder("job_id,submission_time,duration,num_gpu\nx7,0,9,1\n");
        for (int i = 0; i < 40; i++) {
            ofDates.append("2019-03-02 10:00:").append(10 + i).append(",90.0,1,90.0,ab12\n");
            ofDoubtfulIds.append('x').append(i).append(',').append(i).append(",90,1\n");
        }
        for (StringBuilder text : List.of(ofDates, ofDoubtfulIds)) {
            Trace trace = TraceSamples.read(folder, text.toString());
            int all = trace.records().size();
            assertSameJobs(trace, 3, all);
            assertSameJobs(trace, 20, 30);
        }
    }

    private void assertSameJobs(Trace trace) throws IOException {
        assertSameJobs(trace, 0, trace.records().size());
    }

    /** Those from one place to another, written and read, are what they were among all. */
    private void assertSameJobs(Trace trace, int from, int to) throws IOException {
        List<SimulatedJob> jobs =
                TraceImporter.toJobs(trace, ModelAssignment.byRule(1)).subList(from, to);
        StringWriter text = new StringWriter();
        FermataCsvWriter.write(trace, trace.records().subList(from, to), jobs, text);

        Trace again = TraceSamples.read(folder, text.toString());

        assertThat(again.format().name()).isEqualTo("fermata");
        assertThat(TraceImporter.toWorkload(again, 1).jobs()).isEqualTo(new Workload(trace.name(), jobs).jobs());
    }
}
