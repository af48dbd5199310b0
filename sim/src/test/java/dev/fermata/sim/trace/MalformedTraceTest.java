package dev.fermata.sim.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** One wrong value in each sample: named with line, field and rule, or passed over and counted. */
class MalformedTraceTest {
    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource(
            delimiter = '!',
            value = {
                "philly! 2019-03-02 10:00:00,30.5! 2019-13-02 10:00:00,30.5! :3: timestamp (2019-13-02 10:00:00) must be a date",
                "philly! 05,90.0,2! 05,long,2! :2: duration (long) must be a number",
                "philly! 05,90.0,2! 05,90.0,2.5! :2: num_gpus (2.5) must be a whole number",
                "philly! 05,90.0,2! 05,90.0,-2! :2: num_gpus (-2) must be from 0",
                "philly! ,180.0,ab12! ,180.0! :2: the row has 4 cells, and there are 5 columns",
                "philly-json! 2019-03-02 10:00:00! yesterday! :2: submitted_time (yesterday) must be a date",
                "philly-json! 2019-03-02 10:01:00! 10:01! :2: start_time (10:01) must be a date",
                "philly-json! 2019-03-02 11:00:30! 2019-03-02! :2: end_time (2019-03-02) must be a date",
                "itp! 700,650! -7,650! :2: submission_time (-7) must be from 0 to 4000000000",
                "itp! 650,8! 6x,8! :2: duration (6x) must be a number",
                "itp! 650,8! 650,! :2: num_gpu () must be a number",
                "itp! 650,8! 650,8000000! :2: num_gpu (8000000) must be from 0 to 1000000",
                "muri! vgg16,16! vgg16,many! :2: batch_size (many) must be a number",
                "muri! 0,1000! 0,1.5! :2: iterations (1.5) must be a whole number",
                "helios! 2020-04-02 00:00:10,2020! 2020-04-31 00:00:10,2020! :2: submit_time (2020-04-31 00:00:10) must be a date",
                "helios! train_3,8,32! train_3,8,-1! :2: cpu_num (-1) must be from 0",
                "acme! 2023-05-01 08:00:00+08:00! 2023-05-01 08:00:00+8! :2: submit_time (2023-05-01 08:00:00+8) must be a date",
                "acme! 256,100! 256,lots! :2: mem_per_pod_GB (lots) must be a number",
                "pai! 110.0,410.0! soon,410.0! :3: start_time (soon) must be a number",
                "pai! j3,worker,3.0! j3,worker,1e6! :4: plan_gpu (200.0) times 1000000 instances must be at most",
                "pai! j3,worker,3.0! j1,worker,5e5! :4: plan_gpu (200.0) times 500000 instances and 2 GPUs of other tasks must be at",
                "pai! j1,worker! ,worker! :3: job_name () is missing",
                "openb! 1,460! 1,4600! :3: gpu_milli (4600) must be from 1 to 1000",
                "openb! 5,1005,15! 5,x,15! :2: deletion_time (x) must be a number",
                "tiresias! 0,600! 0,-1! :2: iterations (-1) must be from 0",
                "gavel! 1200! -5! :1: total_steps (-5) must be from 1",
                "gavel! 12.5! noon! :2: arrival_time (noon) must be a number",
                "dally! 0.0001! fast! :2: time_per_iteration (fast) must be a number",
                "dally! 2694.5! -3! :2: gmem (-3) must be from 0",
                "swf! 100   4! 100   4.5! :3: allocated (4.5) must be a whole number",
                "swf! 7  2 -1! 7  2! :3: the row has 17 cells, and there are 18 columns",
                "fermata! V100|A100,4096! V100|A100,much! :2: gpu_mem_mib (much) must be a number",
                "fermata! -3,500! -3,1001! :2: gpu_milli (1001) must be from 1 to 1000",
            })
    void malformedValuesAreNamed(String format, String right, String wrong, String message) throws IOException {
        String sample = TraceSamples.of(format);
        String replacement = wrong == null ? "" : wrong;
        assertThat(sample).contains(right);
        String broken = sample.replaceFirst(java.util.regex.Pattern.quote(right), replacement);

        assertThatThrownBy(() -> TraceSamples.read(folder, broken))
                .isInstanceOf(TraceException.class)
                .hasMessageContaining("sample" + message);
        Trace lenient = TraceSamples.lenient(folder, broken);
        assertThat(lenient.readSummary().malformed()).isEqualTo(1);
        assertThat(lenient.readSummary().firstMalformed()).contains("sample" + message);
        assertThat(lenient.records()).isNotEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"fermata", "philly", "itp", "muri", "helios", "acme", "openb", "tiresias", "swf", "gavel", "pai"
            })
    void extraCellsAreNamed(String format) {
        List<String> lines = TraceSamples.of(format).lines().toList();
        String last = lines.get(lines.size() - 1);
        String more = TraceSamples.of(format) + last
                + (format.equals("gavel") ? "\t" : format.equals("swf") ? " " : ",") + "9\n";

        assertThatThrownBy(() -> TraceSamples.read(folder, more))
                .hasMessageContaining("sample:" + (lines.size() + 1) + ": the row has");
    }
}
