package dev.fermata.insight.file;

import de.siegmar.fastcsv.writer.CsvWriter;
import de.siegmar.fastcsv.writer.LineDelimiter;
import dev.fermata.core.measure.JobResult;
import dev.fermata.core.model.Tier;
import dev.fermata.core.model.Topology;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/** One row per job, in order of submission: {@code jct_s = wait_s + run_s + overhead_s}, exactly. */
public final class JobsCsvWriter {
    private static final List<String> HEADER = List.of(
            "id",
            "submit_s",
            "first_start_s",
            "finish_s",
            "jct_s",
            "wait_s",
            "run_s",
            "overhead_s",
            "preemptions",
            "attempts",
            "gpus",
            "class",
            "state",
            "gpu_type",
            "tier");

    private JobsCsvWriter() {}

    public static void write(List<JobResult> jobs, Topology topology, AtomicFile file) {
        List<JobResult> sorted = jobs.stream()
                .sorted(Comparator.comparingLong(JobResult::submitMillis).thenComparingLong(JobResult::id))
                .toList();
        try {
            CsvWriter csv = CsvWriter.builder().lineDelimiter(LineDelimiter.LF).build(file.writer());
            csv.writeRecord(HEADER);
            for (JobResult job : sorted) {
                csv.writeRecord(line(job, topology));
            }
            csv.flush();
        } catch (UncheckedIOException e) {
            throw file.writeError(Objects.requireNonNullElseGet(e.getCause(), () -> new IOException(e)));
        } catch (IOException e) {
            throw file.writeError(e);
        }
    }

    private static List<String> line(JobResult job, Topology topology) {
        Tier tier = job.tier();
        return List.of(
                Long.toString(job.id()),
                seconds(job.submitMillis()),
                job.firstStartMillis() < 0 ? "" : seconds(job.firstStartMillis()),
                seconds(job.finishMillis()),
                seconds(job.jctMillis()),
                seconds(job.waitMillis()),
                seconds(job.runMillis()),
                seconds(job.overheadMillis()),
                Integer.toString(job.preemptions()),
                Integer.toString(job.attempts()),
                Integer.toString(job.gpus()),
                job.jobClass().label(),
                job.state().name(),
                job.gpuType() < 0 ? "" : topology.types().get(job.gpuType()).name(),
                tier == null ? "" : tier.name().toLowerCase(Locale.ROOT));
    }

    /** To the millisecond, so that sums hold. */
    private static String seconds(long millis) {
        return BigDecimal.valueOf(millis, 3).toPlainString();
    }
}
