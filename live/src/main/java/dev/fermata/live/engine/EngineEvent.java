package dev.fermata.live.engine;

import dev.fermata.core.contract.Event;
import dev.fermata.history.ObservedJob;
import dev.fermata.live.profile.AttemptMeasurements;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What an engine reports to the scheduler loop. */
public sealed interface EngineEvent {
    /** One constant for each type of engine event, so that a switch must handle all of them. */
    enum Type {
        STATE_CHANGED,
        MEASUREMENTS_REPORTED,
        PROGRESS_REPORTED,
        SAVE_ABILITY_SHOWN,
        ACCEPTED,
        ORDER_FAILED,
        BOUND,
        NODE_REPORTED,
        NODE_GONE,
        NODE_CONDITION_REPORTED,
        FOREIGN_LOAD_REPORTED,
        JOB_OBSERVED,
        REACHABLE,
        UNREACHABLE
    }

    Type type();

    /**
     * An event for the scheduler.
     *
     * @param exit how an attempt ended, null for other events
     * @param measurements the measurements of an attempt that ended
     */
    record StateChanged(Event event, @Nullable AttemptExit exit, AttemptMeasurements measurements)
            implements EngineEvent {
        public StateChanged(Event event, @Nullable AttemptExit exit) {
            this(event, exit, AttemptMeasurements.NONE);
        }

        @Override
        public Type type() {
            return Type.STATE_CHANGED;
        }
    }

    /**
     * The measurements of a running attempt: reported once there is {@link dev.fermata.live.profile.EnoughEvidence enough
     * evidence}, and again when it holds clearly more memory.
     */
    record MeasurementsReported(long jobId, int attempt, AttemptMeasurements measurements) implements EngineEvent {
        @Override
        public Type type() {
            return Type.MEASUREMENTS_REPORTED;
        }
    }

    /**
     * The progress of an attempt, as its script reports it or as its output shows it.
     *
     * @param receivedMillis when the engine read it
     */
    record ProgressReported(long jobId, int attempt, JobReport report, ProgressOrigin origin, long receivedMillis)
            implements EngineEvent {
        /** Reported by the script. */
        public ProgressReported(long jobId, int attempt, JobReport report, long receivedMillis) {
            this(jobId, attempt, report, ProgressOrigin.REPORTED, receivedMillis);
        }

        @Override
        public Type type() {
            return Type.PROGRESS_REPORTED;
        }
    }

    /** Something shows that the attempt saves on its signal: it reports, or has a handler for its signal. */
    record SaveAbilityShown(long jobId, int attempt) implements EngineEvent {
        @Override
        public Type type() {
            return Type.SAVE_ABILITY_SHOWN;
        }
    }

    /**
     * The engine has the order and will carry it out, whatever happens to the daemon.
     *
     * @param externalId the engine's own id of the attempt, such as a pid, a Slurm job id, a pod UID; empty for none
     */
    record Accepted(OrderId order, String externalId) implements EngineEvent {
        @Override
        public Type type() {
            return Type.ACCEPTED;
        }
    }

    /** Whether an order may succeed when it is repeated. */
    enum FailureKind {
        /** It may: the order is repeated. */
        TRANSIENT,
        /** It never will: nothing of the order is carried out, now or later. */
        PERMANENT
    }

    /**
     * The order failed.
     *
     * @param cause one line for users and operators
     * @param node the node that is the cause, -1 for none or unknown
     */
    record OrderFailed(OrderId order, FailureKind kind, String cause, int node) implements EngineEvent {
        public OrderFailed(OrderId order, FailureKind kind, String cause) {
            this(order, kind, cause, -1);
        }

        @Override
        public Type type() {
            return Type.ORDER_FAILED;
        }
    }

    /**
     * The attempt has its GPUs, and its processes begin: its start is confirmed.
     *
     * @param devices the ids of its GPUs, as the engine bound them
     */
    record Bound(long jobId, int attempt, List<String> devices) implements EngineEvent {
        public Bound {
            devices = List.copyOf(devices);
        }

        @Override
        public Type type() {
            return Type.BOUND;
        }
    }

    /**
     * A machine is part of the cluster, and is described like this: it is new, has changed, or is back. The same description
     * again changes nothing.
     */
    record NodeReported(EngineNode node) implements EngineEvent {
        @Override
        public Type type() {
            return Type.NODE_REPORTED;
        }
    }

    /** The machine of this id is no longer part of the cluster. Attempts on it end by events of their own. */
    record NodeGone(String nodeId) implements EngineEvent {
        @Override
        public Type type() {
            return Type.NODE_GONE;
        }
    }

    /** What a machine is fit for. */
    enum Condition {
        UP,
        /** It does not work; attempts on it end by events of their own. */
        DOWN,
        /** Nothing is heard of it. What runs there is not known to have ended. */
        UNREACHABLE
    }

    /**
     * The condition of a machine has changed.
     *
     * @param drained whether the engine starts nothing there, for instance because its own operator drained it
     * @param cause one line for operators, empty for none
     */
    record NodeConditionReported(String nodeId, Condition condition, boolean drained, String cause)
            implements EngineEvent {
        @Override
        public Type type() {
            return Type.NODE_CONDITION_REPORTED;
        }
    }

    /**
     * What others than Fermata use of a machine from now on.
     *
     * @param gpus how many GPUs, where {@code gpuIds} does not say which ones
     * @param gpuIds the ids of the GPUs, where they are known
     */
    record ForeignLoadReported(String nodeId, int gpus, List<String> gpuIds, long cpuMilli, long memoryMib)
            implements EngineEvent {
        public ForeignLoadReported {
            gpuIds = List.copyOf(gpuIds);
        }

        @Override
        public Type type() {
            return Type.FOREIGN_LOAD_REPORTED;
        }
    }

    /** A job of another scheduler is there, or has changed; in shadow mode only. The same again changes nothing. */
    record JobObserved(ObservedJob job) implements EngineEvent {
        @Override
        public Type type() {
            return Type.JOB_OBSERVED;
        }
    }

    /** The engine can be reached, and has reported what happened to the attempts that it accepted. */
    record Reachable() implements EngineEvent {
        @Override
        public Type type() {
            return Type.REACHABLE;
        }
    }

    /**
     * The engine cannot be reached. What runs there is not known to have ended, and no order is believed done.
     *
     * @param cause one line for operators
     */
    record Unreachable(String cause) implements EngineEvent {
        @Override
        public Type type() {
            return Type.UNREACHABLE;
        }
    }

    /**
     * How an attempt ended.
     *
     * @param code its exit code, null for unknown
     * @param signal the signal that ended it, 0 for none
     * @param detail one sentence for users: why it failed, what was cleaned up; empty for none
     * @param exhaustedResource what it ran out of, if that is why it failed
     * @param endedMillis when it ended, if the engine was not watching then and knows the time; else -1
     */
    record AttemptExit(
            @Nullable Integer code, int signal, String detail, ExhaustedResource exhaustedResource, long endedMillis) {
        public AttemptExit(@Nullable Integer code, int signal, String detail, ExhaustedResource exhaustedResource) {
            this(code, signal, detail, exhaustedResource, -1);
        }

        public AttemptExit(@Nullable Integer code, int signal, String detail) {
            this(code, signal, detail, ExhaustedResource.NONE);
        }

        /** The same with another detail. */
        public AttemptExit withDetail(String text) {
            return new AttemptExit(code, signal, text, exhaustedResource, endedMillis);
        }
    }

    /**
     * One report of the Python helper, or of another program that writes the same lines.
     *
     * @param type {@code hello}, {@code loaded}, {@code step}, {@code saving}, {@code saved}, {@code finished}
     * @param total steps in all, 0 for unknown
     */
    record JobReport(
            long atMillis, String type, long step, long total, ReportedMetric latest, ReportedFigures figures) {
        public JobReport(long atMillis, String type, long step, long total, String metricName, double metric) {
            this(atMillis, type, step, total, new ReportedMetric(metricName, metric), ReportedFigures.NONE);
        }

        public String metricName() {
            return latest.name;
        }

        public double metric() {
            return latest.value;
        }

        public int memoryMib() {
            return figures.memoryMib;
        }

        public int busyPermille() {
            return figures.busyPermille;
        }

        public long durationMillis() {
            return figures.durationMillis;
        }

        public long iterationMicros() {
            return figures.iterationMicros;
        }

        public long bytes() {
            return figures.bytes;
        }

        public long upMillis() {
            return figures.upMillis;
        }
    }

    /**
     * Where progress is known from.
     *
     * @param source {@code reported} or {@code output}
     * @param unit {@code step} or {@code epoch}
     * @param confidence {@code low}, {@code medium} or {@code high}; with low confidence the report has no total
     * @param shownTotal the total for people, 0 for unknown
     */
    record ProgressOrigin(String source, String unit, String confidence, long shownTotal) {
        /** By the script itself. */
        public static final ProgressOrigin REPORTED = new ProgressOrigin("reported", "step", "high", 0);

        public boolean isOutput() {
            return source.equals("output");
        }
    }

    /** The latest value of a metric, mostly a loss; NaN for none. */
    record ReportedMetric(String name, double value) {}

    /**
     * What a script reports about its own costs. Values are 0 unless it reports them.
     *
     * @param memoryMib the most memory it held on one GPU so far
     * @param busyPermille the share of the time in which its GPUs are busy
     * @param durationMillis how long the load or the save took, for {@code loaded} and {@code saved}; -1 for unknown
     * @param iterationMicros the usual time of a step in microseconds
     * @param bytes size of the checkpoint, for {@code saved}
     * @param upMillis since when the script runs, for {@code hello}
     */
    record ReportedFigures(
            int memoryMib, int busyPermille, long durationMillis, long iterationMicros, long bytes, long upMillis) {
        public static final ReportedFigures NONE = new ReportedFigures(0, 0, -1, 0, 0, 0);
    }
}
