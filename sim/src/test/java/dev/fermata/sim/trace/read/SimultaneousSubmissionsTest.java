package dev.fermata.sim.trace.read;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.sim.trace.TraceRecord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The order of jobs submitted at the same time. */
class SimultaneousSubmissionsTest {
    @TempDir
    Path folder;

    @Test
    void withRandomIdsSmallerThenShorterJobsComeFirst() throws IOException {
        List<String> rows = new ArrayList<>(List.of("c9,60,900,4", "a1,60,700,4", "f3,60,2000,1", "b7,10,50,8"));
        for (int seed = 0; seed < 10; seed++) {
            Collections.shuffle(rows, new Random(seed));

            List<TraceRecord> records = read("job_id,submission_time,duration,num_gpu", rows);

            assertThat(records).extracting(TraceRecord::id).containsExactly("b7", "f3", "a1", "c9");
        }
    }

    @Test
    void withoutIdsSmallerThenShorterJobsComeFirst() throws IOException {
        List<String> rows = List.of(
                "2017-10-02 09:00:00,500.0,2,1000.0,x",
                "2017-10-01 09:00:00,90.0,2,180.0,x",
                "2017-10-02 09:00:00,400.5,2,801.0,x");

        List<TraceRecord> records = read("timestamp,duration,num_gpus,gpu_time,cluster", rows);

        assertThat(records).extracting(TraceRecord::durationMillis).containsExactly(90_000L, 400_500L, 500_000L);
    }

    @Test
    void chronologicalRowsKeepTheirOrder() throws IOException {
        List<String> rows = List.of("x,0,8,900", "y,0,1,5", "z,0,4,70");

        List<TraceRecord> records = read("id,submit_s,gpus,duration_s", rows);

        assertThat(records).extracting(TraceRecord::id).containsExactly("x", "y", "z");
    }

    private List<TraceRecord> read(String header, List<String> rows) throws IOException {
        Path file = folder.resolve("trace.csv");
        Files.writeString(file, header + "\n" + String.join("\n", rows) + "\n");
        return new TraceReader(Optional.empty(), false).read(file).records();
    }
}
