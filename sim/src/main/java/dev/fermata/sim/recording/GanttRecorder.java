package dev.fermata.sim.recording;

import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Node;
import dev.fermata.core.model.Topology;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Records whole nodes, chosen at even distances over the cluster. The run is cut into windows of this many attempts; the
 * window with most preemptions is kept, the earlier one at a tie.
 */
final class GanttRecorder {
    private record GanttWindow(
            long fromMillis, long toMillis, int preemptions, List<GanttChart.GanttInterval> intervals) {}

    private final Topology topology;
    private final int maxIntervals;
    private final List<GanttChart.GanttRow> rows = new ArrayList<>();
    private final int[] rowOf;
    private int nodesShown;
    private final TreeMap<Long, RecordedJob> onGpus = new TreeMap<>();
    private List<GanttChart.GanttInterval> intervals = new ArrayList<>();
    private int preemptions;
    private long runFrom = -1;
    private long windowFrom;
    private int windows;
    private @Nullable GanttWindow best;

    GanttRecorder(Topology topology, RunRecording.RecordingDetail detail) {
        this.topology = topology;
        this.maxIntervals = detail.ganttIntervals();
        rowOf = new int[topology.gpuCount()];
        Arrays.fill(rowOf, -1);
        chooseRows(detail.ganttRows());
    }

    private void chooseRows(int max) {
        int count = topology.nodes().size();
        int widest = topology.nodes().stream().mapToInt(Node::gpus).max().orElse(1);
        nodesShown = Math.min(count, Math.max(1, max / widest));
        for (int k = 0; k < nodesShown; k++) {
            Node node = topology.node((int) ((long) k * count / nodesShown));
            for (int g = 0; g < Math.min(node.gpus(), max); g++) {
                rowOf[node.firstGpu() + g] = rows.size();
                rows.add(new GanttChart.GanttRow(node.firstGpu() + g, node.name(), g));
            }
        }
    }

    void begin(long now) {
        if (runFrom < 0) {
            runFrom = now;
            windowFrom = now;
        }
    }

    void onStarted(RecordedJob recordedJob, Allocation allocation) {
        for (int i = 0; i < allocation.size(); i++) {
            int row = rowOf[allocation.gpu(i)];
            if (row >= 0) {
                if (recordedJob.rows == null) {
                    recordedJob.rows = new ArrayList<>();
                    onGpus.put(recordedJob.job.id(), recordedJob);
                }
                recordedJob.rows.add(row);
            }
        }
    }

    void onAttemptEnded(long now, RecordedJob recordedJob, String outcome, long lostMillis) {
        if (recordedJob.rows == null) {
            return;
        }
        intervals.add(interval(recordedJob, now, outcome, lostMillis));
        preemptions += recordedJob.beneficiary != null ? 1 : 0;
        onGpus.remove(recordedJob.job.id());
        recordedJob.rows = null;
        if (intervals.size() >= maxIntervals) {
            closeWindow(now);
        }
    }

    private void closeWindow(long now) {
        onGpus.values().forEach(recordedJob -> intervals.add(interval(recordedJob, now, "", 0)));
        windows++;
        if (best == null || preemptions > best.preemptions) {
            best = new GanttWindow(windowFrom, now, preemptions, intervals);
        }
        intervals = new ArrayList<>();
        preemptions = 0;
        windowFrom = now;
    }

    private static GanttChart.GanttInterval interval(
            RecordedJob recordedJob, long now, String outcome, long lostMillis) {
        Job beneficiary = recordedJob.beneficiary;
        return new GanttChart.GanttInterval(
                recordedJob.job.id(),
                recordedJob.job.name(),
                recordedJob.held == null ? 0 : recordedJob.held.size(),
                recordedJob.attempt,
                recordedJob.held != null && recordedJob.held.shared(),
                recordedJob.rows == null ? List.of() : List.copyOf(recordedJob.rows),
                recordedJob.startedMillis,
                recordedJob.runningMillis,
                recordedJob.stoppedMillis,
                now,
                lostMillis,
                outcome,
                beneficiary == null ? -1 : beneficiary.id(),
                beneficiary == null ? "" : beneficiary.name());
    }

    GanttChart gantt(long now) {
        if (best == null || !intervals.isEmpty()) {
            closeWindow(now);
        }
        GanttWindow window = java.util.Objects.requireNonNull(best);
        return new GanttChart(
                rows,
                nodesShown,
                topology.nodes().size(),
                topology.gpuCount(),
                window.fromMillis,
                window.toMillis,
                Math.max(0, runFrom),
                now,
                windows,
                window.intervals);
    }
}
