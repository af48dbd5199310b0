package dev.fermata.sim.trace.text;

import dev.fermata.sim.trace.DropReason;
import dev.fermata.sim.trace.TraceCollector;
import dev.fermata.sim.trace.TraceRecord;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * What every trace has of a job: submission, size and duration. It has the rules by which a record is no job: no GPU,
 * never begun, not ended, no time. They apply in this order, so that each job is counted once.
 */
public final class JobColumns {
    private static final double MAX_MILLIS = 4e12;
    private static final TraceColumn NONE = new TraceColumn("", TraceColumn.MISSING);

    private final TraceCollector collector;
    private final TraceColumn gpus;
    private final ToLongFunction<TraceRow> submitMillis;
    private final ToLongFunction<TraceRow> durationMillis;
    private TraceColumn start = NONE;
    private TraceColumn end = NONE;

    public JobColumns(
            TraceCollector collector,
            TraceColumn gpus,
            ToLongFunction<TraceRow> submitMillis,
            ToLongFunction<TraceRow> durationMillis) {
        this.collector = collector;
        this.gpus = gpus;
        this.submitMillis = submitMillis;
        this.durationMillis = durationMillis;
    }

    /** The columns of clusters run by Slurm, as their owners published them. */
    public static JobColumns ofSlurm(TraceHeader header, TraceCollector collector) {
        return new JobColumns(
                        collector,
                        header.require("gpu_num"),
                        date(header.require("submit_time")),
                        length(header.require("duration"), 1000))
                .withTimes(header.require("start_time"), header.find("end_time"));
    }

    /** CPUs of a whole job, in thousandths; 0 where none are stated. */
    public static long cpuMilli(TraceRow row, TraceColumn cpus) {
        return row.hasValue(cpus) ? 1000 * row.integer(cpus, 0L, TraceRecord.MAX_CPUS) : 0;
    }

    /** Time since the trace's own zero. */
    public static ToLongFunction<TraceRow> elapsed(TraceColumn column, double unitMillis) {
        return row -> Math.round(row.number(column, 0, MAX_MILLIS / unitMillis) * unitMillis);
    }

    /** A length of time; zero and less are for {@link #startRecord} to judge. */
    public static ToLongFunction<TraceRow> length(TraceColumn column, double unitMillis) {
        double max = MAX_MILLIS / unitMillis;
        return row -> Math.round(row.number(column, -max, max) * unitMillis);
    }

    /** A date, in milliseconds since 1970. */
    public static ToLongFunction<TraceRow> date(TraceColumn column) {
        return row -> row.timestamp(column);
    }

    /** A job that has nothing in the first column never ran; one that has nothing in the second has not ended. */
    public JobColumns withTimes(TraceColumn from, TraceColumn to) {
        start = from;
        end = to;
        return this;
    }

    /** The beginnings of a record, or nothing where the job was dropped. */
    public TraceRecord.@Nullable Builder startRecord(TraceRow row, String id) {
        int count = row.integer(gpus, 0, TraceRecord.MAX_GPUS);
        if (count == 0) {
            collector.drop(DropReason.NO_GPU);
            return null;
        }
        if (start.exists() && !row.hasValue(start)) {
            collector.drop(DropReason.NEVER_RAN);
            return null;
        }
        if (end.exists() && !row.hasValue(end)) {
            collector.drop(DropReason.NOT_ENDED);
            return null;
        }
        long submit = submitMillis.applyAsLong(row);
        long duration = durationMillis.applyAsLong(row);
        if (duration <= 0) {
            collector.drop(DropReason.NO_TIME);
            return null;
        }
        return TraceRecord.builder(id, submit, count, duration);
    }
}
