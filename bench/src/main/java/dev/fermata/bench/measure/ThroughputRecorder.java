package dev.fermata.bench.measure;

import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.RecordReader;
import dev.fermata.sim.experiment.Experiment;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Samples the CPU time of the simulating thread every 256 events: shows whether a run slows down as jobs accumulate,
 * whatever else the machine does.
 */
public final class ThroughputRecorder
        implements Experiment.RunObserver,
                RecordReader.IgnoresJobs,
                RecordReader.IgnoresAttempts,
                RecordReader.IgnoresReservations,
                RecordReader.IgnoresCluster,
                RecordReader.IgnoresDeclines {
    private static final int EVENTS_PER_SAMPLE = 256;

    private final BooleanSupplier stop;
    private final List<Long> nanosAt = new ArrayList<>(List.of(cpuNanos()));
    private final List<Long> liveAt = new ArrayList<>(List.of(0L));
    private long events;
    private long live;

    ThroughputRecorder(BooleanSupplier stop) {
        this.stop = stop;
    }

    @Override
    public void onRecord(long nowMillis, HistoryRecord entry) {
        read(nowMillis, entry);
    }

    @Override
    public void submitted(long nowMillis, HistoryRecord.Submitted record) {
        live++;
        countEvent();
    }

    @Override
    public void jobRejected(long nowMillis, HistoryRecord.JobRejected record) {
        countEvent();
    }

    @Override
    public void running(long nowMillis, HistoryRecord.Running record) {
        countEvent();
    }

    @Override
    public void attemptEnded(long nowMillis, HistoryRecord.AttemptEnded record) {
        live -= record.next().isFinal() ? 1 : 0;
        countEvent();
    }

    @Override
    public void jobEnded(long nowMillis, HistoryRecord.JobEnded record) {
        live--;
    }

    private void countEvent() {
        if (++events % EVENTS_PER_SAMPLE == 0) {
            nanosAt.add(cpuNanos());
            liveAt.add(live);
        }
    }

    @Override
    public boolean shouldStop() {
        return stop.getAsBoolean();
    }

    private static long cpuNanos() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    /** CPU time of the run, without what comes after its last sample. */
    double cpuSeconds() {
        return (nanosAt.get(nanosAt.size() - 1) - nanosAt.get(0)) / 1e9;
    }

    /** A part of the run: what an event cost there, and how many jobs were waiting or running on average. */
    public record RunSegment(double microsPerEvent, double liveJobs) {}

    RunSegment firstTenth() {
        return part(0, tenth());
    }

    RunSegment lastTenth() {
        return part(nanosAt.size() - 1 - tenth(), nanosAt.size() - 1);
    }

    private int tenth() {
        return (nanosAt.size() - 1) / 10;
    }

    private RunSegment part(int from, int to) {
        if (to == from) {
            return new RunSegment(0, 0);
        }
        double micros = (nanosAt.get(to) - nanosAt.get(from)) / 1000.0;
        double jobs =
                liveAt.subList(from, to).stream().mapToLong(n -> n).average().orElse(0);
        return new RunSegment(micros / ((double) (to - from) * EVENTS_PER_SAMPLE), jobs);
    }
}
