package dev.fermata.sim.trace.text;

import dev.fermata.sim.trace.Drop;
import dev.fermata.sim.trace.Intake;
import dev.fermata.sim.trace.TraceRecord;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * What every trace tells of a job, when, how large and how long, and the rules by which a record is none: no GPU, never
 * begun, not ended, no time. They are asked in this order, so that each job is counted once.
 */
public final class JobColumns {
    private static final double MOST_MILLIS = 4e12;
    private static final Column NONE = new Column("", Column.NOWHERE);

    private final Intake intake;
    private final Column gpus;
    private final ToLongFunction<Row> submitMillis;
    private final ToLongFunction<Row> durationMillis;
    private Column start = NONE;
    private Column end = NONE;

    public JobColumns(
            Intake intake, Column gpus, ToLongFunction<Row> submitMillis, ToLongFunction<Row> durationMillis) {
        this.intake = intake;
        this.gpus = gpus;
        this.submitMillis = submitMillis;
        this.durationMillis = durationMillis;
    }

    /** The columns of clusters run by Slurm, as their owners published them. */
    public static JobColumns ofSlurm(Header header, Intake intake) {
        return new JobColumns(
                        intake,
                        header.need("gpu_num"),
                        date(header.need("submit_time")),
                        length(header.need("duration"), 1000))
                .ran(header.need("start_time"), header.find("end_time"));
    }

    /** CPUs of a whole job, in thousandths; 0 where nothing is said. */
    public static long cpuMilli(Row row, Column cpus) {
        return row.knows(cpus) ? 1000 * row.whole(cpus, 0L, TraceRecord.MOST_CPUS) : 0;
    }

    /** Time since the trace's own zero. */
    public static ToLongFunction<Row> elapsed(Column column, double unitMillis) {
        return row -> Math.round(row.number(column, 0, MOST_MILLIS / unitMillis) * unitMillis);
    }

    /** A length of time; zero and less are for {@link #begin} to judge. */
    public static ToLongFunction<Row> length(Column column, double unitMillis) {
        double most = MOST_MILLIS / unitMillis;
        return row -> Math.round(row.number(column, -most, most) * unitMillis);
    }

    /** A date, in milliseconds since 1970. */
    public static ToLongFunction<Row> date(Column column) {
        return row -> row.timestamp(column);
    }

    /** A job that has nothing in the first column never ran; one that has nothing in the second has not ended. */
    public JobColumns ran(Column from, Column to) {
        start = from;
        end = to;
        return this;
    }

    /** The beginnings of a record, or nothing where the job was dropped. */
    public TraceRecord.@Nullable Builder begin(Row row, String id) {
        int count = row.whole(gpus, 0, TraceRecord.MOST_GPUS);
        if (count == 0) {
            intake.drop(Drop.NO_GPU);
            return null;
        }
        if (start.exists() && !row.knows(start)) {
            intake.drop(Drop.NEVER_RAN);
            return null;
        }
        if (end.exists() && !row.knows(end)) {
            intake.drop(Drop.NOT_ENDED);
            return null;
        }
        long submit = submitMillis.applyAsLong(row);
        long duration = durationMillis.applyAsLong(row);
        if (duration <= 0) {
            intake.drop(Drop.NO_TIME);
            return null;
        }
        return TraceRecord.builder(id, submit, count, duration);
    }
}
