package dev.fermata.sim.trace.fermata;

import de.siegmar.fastcsv.writer.CsvWriter;
import de.siegmar.fastcsv.writer.LineDelimiter;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.JobClass;
import dev.fermata.sim.trace.Trace;
import dev.fermata.sim.trace.TraceRecord;
import dev.fermata.sim.workload.TrueJob;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes records in Fermata's own format, so that reading them gives the same jobs: columns that would be empty throughout
 * are left out, and so is every value that is the default.
 */
public final class FermataCsvWriter {
    private FermataCsvWriter() {}

    /**
     * Writes to the end and flushes; closing is the caller's.
     *
     * @param trace whose zero becomes time zero, and which tells whether ids do
     * @param records all or some of it
     * @param jobs made of these records when all of the trace was: they have the run times, which records need not tell, and
     *     the numbers that jobs without ids go by, so that each keeps its own when others are left out
     */
    public static void write(Trace trace, List<TraceRecord> records, List<TrueJob> jobs, Writer to) throws IOException {
        boolean ownIds = TraceRecord.haveIdsOfTheirOwn(trace.records());
        boolean[] used = new boolean[FermataCsv.COLUMNS.size()];
        for (int i = 0; i < FermataCsv.REQUIRED.size(); i++) {
            used[i] = true;
        }
        for (int i = 0; i < records.size(); i++) {
            List<String> cells = cells(records.get(i), jobs.get(i), ownIds, trace.zeroMillis());
            for (int c = 0; c < used.length; c++) {
                used[c] |= !cells.get(c).isEmpty();
            }
        }
        try {
            CsvWriter csv = CsvWriter.builder().lineDelimiter(LineDelimiter.LF).build(to);
            csv.writeRecord(chosen(FermataCsv.COLUMNS, used));
            for (int i = 0; i < records.size(); i++) {
                csv.writeRecord(chosen(cells(records.get(i), jobs.get(i), ownIds, trace.zeroMillis()), used));
            }
            csv.flush();
        } catch (UncheckedIOException e) {
            throw e.getCause() == null ? new IOException(e) : e.getCause();
        }
    }

    private static List<String> chosen(List<String> cells, boolean[] used) {
        List<String> kept = new ArrayList<>();
        for (int c = 0; c < used.length; c++) {
            if (used[c]) {
                kept.add(cells.get(c));
            }
        }
        return kept;
    }

    /** In the order of {@link FermataCsv#COLUMNS}. */
    private static List<String> cells(TraceRecord r, TrueJob job, boolean ownIds, long zeroMillis) {
        String name = ownIds || !r.name().isEmpty() ? r.name() : r.id();
        return List.of(
                ownIds ? r.id() : Long.toString(job.job().id()),
                seconds(r.submitMillis() - zeroMillis),
                Integer.toString(r.maxGpus()),
                seconds(job.durationMillis()),
                name,
                unless("nobody", r.user()),
                unless("default", r.queue()),
                r.jobClass() == JobClass.BATCH ? "" : r.jobClass().label(),
                r.model(),
                unless(0, r.batch()),
                String.join("|", r.gpuTypes()),
                unless(TraceRecord.UNKNOWN, r.gpuMemoryMib()),
                r.cpuMilli() == 0 ? "" : seconds(r.cpuMilli()),
                unless(0, r.memoryMib()),
                unless(r.maxGpus(), r.minGpus()),
                "",
                r.graceMillis() == Job.DEFAULT_GRACE_MILLIS ? "" : seconds(r.graceMillis()),
                unless(0, r.iterations()),
                r.declaredMillis() == 0 ? "" : seconds(r.declaredMillis()),
                unless(0, r.priority()),
                unless(1000, r.gpuMilli()),
                String.join(" ", r.after()),
                r.array(),
                unless(0, r.arrayLimit()));
    }

    private static String unless(String usual, String value) {
        return value.equals(usual) ? "" : value;
    }

    private static String unless(long usual, long value) {
        return value == usual ? "" : Long.toString(value);
    }

    /** Thousandths as a decimal fraction: exact, and without zeros at its end. */
    private static String seconds(long thousandths) {
        return thousandths % 1000 == 0
                ? Long.toString(thousandths / 1000)
                : BigDecimal.valueOf(thousandths, 3).stripTrailingZeros().toPlainString();
    }
}
