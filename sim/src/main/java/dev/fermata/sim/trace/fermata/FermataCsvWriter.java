package dev.fermata.sim.trace.fermata;

import de.siegmar.fastcsv.writer.CsvWriter;
import de.siegmar.fastcsv.writer.LineDelimiter;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.JobClass;
import dev.fermata.sim.trace.Trace;
import dev.fermata.sim.trace.TraceRecord;
import dev.fermata.sim.workload.SimulatedJob;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes records in Fermata's own format, so that reading them gives the same jobs. Columns that would be empty
 * throughout are left out, and so is every value that is the default.
 */
public final class FermataCsvWriter {
    private FermataCsvWriter() {}

    /**
     * Writes to the end and flushes; closing is the caller's.
     *
     * @param trace whose zero becomes time zero, and which says whether ids are kept
     * @param records all or some of it
     * @param jobs made of these records when all of the trace was: they have the run times, which records need not
     *     have, and the numbers that jobs without ids go by, so that each keeps its own when others are left out
     */
    public static void write(Trace trace, List<TraceRecord> records, List<SimulatedJob> jobs, Writer to)
            throws IOException {
        boolean uniqueIds = TraceRecord.haveUniqueIds(trace.records());
        boolean[] used = new boolean[FermataCsv.COLUMNS.size()];
        for (int i = 0; i < FermataCsv.REQUIRED.size(); i++) {
            used[i] = true;
        }
        for (int i = 0; i < records.size(); i++) {
            List<String> cells = cells(records.get(i), jobs.get(i), uniqueIds, trace.originMillis());
            for (int c = 0; c < used.length; c++) {
                used[c] |= !cells.get(c).isEmpty();
            }
        }
        try {
            CsvWriter csv = CsvWriter.builder().lineDelimiter(LineDelimiter.LF).build(to);
            csv.writeRecord(chosen(FermataCsv.COLUMNS, used));
            for (int i = 0; i < records.size(); i++) {
                csv.writeRecord(chosen(cells(records.get(i), jobs.get(i), uniqueIds, trace.originMillis()), used));
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
    private static List<String> cells(TraceRecord r, SimulatedJob job, boolean uniqueIds, long originMillis) {
        String name = uniqueIds || !r.name().isEmpty() ? r.name() : r.id();
        return List.of(
                uniqueIds ? r.id() : Long.toString(job.job().id()),
                seconds(r.submitMillis() - originMillis),
                Integer.toString(r.maxGpus()),
                seconds(job.durationMillis()),
                name,
                emptyIf(TraceRecord.NO_USER, r.user()),
                emptyIf("default", r.queue()),
                r.jobClass() == JobClass.BATCH ? "" : r.jobClass().label(),
                r.model(),
                emptyIf(0, r.batch()),
                String.join("|", r.gpuTypes()),
                emptyIf(TraceRecord.UNKNOWN, r.gpuMemoryMib()),
                r.cpuMilli() == 0 ? "" : seconds(r.cpuMilli()),
                emptyIf(0, r.memoryMib()),
                emptyIf(r.maxGpus(), r.minGpus()),
                "",
                r.graceMillis() == Job.DEFAULT_GRACE_MILLIS ? "" : seconds(r.graceMillis()),
                emptyIf(0, r.iterations()),
                r.declaredMillis() == 0 ? "" : seconds(r.declaredMillis()),
                emptyIf(0, r.priority()),
                emptyIf(1000, r.gpuMilli()),
                String.join(" ", r.dependencies()),
                r.array(),
                emptyIf(0, r.arrayLimit()));
    }

    private static String emptyIf(String usual, String value) {
        return value.equals(usual) ? "" : value;
    }

    private static String emptyIf(long usual, long value) {
        return value == usual ? "" : Long.toString(value);
    }

    /** Thousandths as a decimal fraction: exact, and without zeros at its end. */
    private static String seconds(long thousandths) {
        return thousandths % 1000 == 0
                ? Long.toString(thousandths / 1000)
                : BigDecimal.valueOf(thousandths, 3).stripTrailingZeros().toPlainString();
    }
}
