package dev.fermata.sim.trace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.sim.trace.fermata.FermataCsvWriter;
import dev.fermata.sim.trace.read.TraceReader;
import dev.fermata.sim.workload.TrueJob;
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
class RoundTripTest {
    @TempDir
    private Path folder;

    static Stream<String> formats() {
        return Samples.all().keySet().stream();
    }

    @ParameterizedTest
    @MethodSource("formats")
    void givesTheSameJobs(String format) throws IOException {
        same(Samples.read(folder, Samples.of(format)));
    }

    @Test
    void alsoWhereIdsAreNotUnique() throws IOException {
        String half = "job_id,submission_time,duration,num_gpu\nx,5,1,1\ny,5,2,1\n";
        Samples.write(folder, "a.csv", half);
        Samples.write(folder, "b.csv", half);

        same(new TraceReader(Optional.empty(), false).read(folder));
    }

    private void same(Trace trace) throws IOException {
        List<TrueJob> jobs = Adoption.jobs(trace, Casting.rule(1));
        StringWriter text = new StringWriter();
        FermataCsvWriter.write(
                trace.records(), trace.zeroMillis(), i -> jobs.get(i).durationMillis(), text);

        Trace again = Samples.read(folder, text.toString());

        assertThat(again.format().name()).isEqualTo("fermata");
        assertThat(Adoption.adopt(again, 1).jobs())
                .isEqualTo(Adoption.adopt(trace, 1).jobs());
    }
}
