package dev.fermata.sim.portrait;

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
 * Watches whole nodes, chosen at even distances over the cluster. The run is cut into windows of so many stays; of two
 * windows the one with more pauses is kept, the earlier one when they have as many.
 */
final class GanttRecorder {
    private record Window(long fromMillis, long toMillis, int pauses, List<Gantt.Stay> stays) {}

    private final Topology topology;
    private final int mostStays;
    private final List<Gantt.Row> rows = new ArrayList<>();
    private final int[] rowOf;
    private int nodesShown;
    private final TreeMap<Long, Life> present = new TreeMap<>();
    private List<Gantt.Stay> stays = new ArrayList<>();
    private int pauses;
    private long runFrom = -1;
    private long windowFrom;
    private int windows;
    private @Nullable Window best;

    GanttRecorder(Topology topology, Portrait.Detail detail) {
        this.topology = topology;
        this.mostStays = detail.ganttStays();
        rowOf = new int[topology.gpuCount()];
        Arrays.fill(rowOf, -1);
        chooseRows(detail.ganttRows());
    }

    private void chooseRows(int most) {
        int count = topology.nodes().size();
        int widest = topology.nodes().stream().mapToInt(Node::gpus).max().orElse(1);
        nodesShown = Math.min(count, Math.max(1, most / widest));
        for (int k = 0; k < nodesShown; k++) {
            Node node = topology.node((int) ((long) k * count / nodesShown));
            for (int g = 0; g < Math.min(node.gpus(), most); g++) {
                rowOf[node.firstGpu() + g] = rows.size();
                rows.add(new Gantt.Row(node.firstGpu() + g, node.name(), g));
            }
        }
    }

    void begin(long now) {
        if (runFrom < 0) {
            runFrom = now;
            windowFrom = now;
        }
    }

    void started(Life life, Allocation allocation) {
        for (int i = 0; i < allocation.size(); i++) {
            int row = rowOf[allocation.gpu(i)];
            if (row >= 0) {
                if (life.rows == null) {
                    life.rows = new ArrayList<>();
                    present.put(life.job.id(), life);
                }
                life.rows.add(row);
            }
        }
    }

    void left(long now, Life life, String outcome, long lostMillis) {
        if (life.rows == null) {
            return;
        }
        stays.add(stay(life, now, outcome, lostMillis));
        pauses += life.pausedFor != null ? 1 : 0;
        present.remove(life.job.id());
        life.rows = null;
        if (stays.size() >= mostStays) {
            close(now);
        }
    }

    private void close(long now) {
        present.values().forEach(life -> stays.add(stay(life, now, "", 0)));
        windows++;
        if (best == null || pauses > best.pauses) {
            best = new Window(windowFrom, now, pauses, stays);
        }
        stays = new ArrayList<>();
        pauses = 0;
        windowFrom = now;
    }

    private static Gantt.Stay stay(Life life, long now, String outcome, long lostMillis) {
        Job pausedFor = life.pausedFor;
        return new Gantt.Stay(
                life.job.id(),
                life.job.name(),
                life.held == null ? 0 : life.held.size(),
                life.attempt,
                life.held != null && life.held.shared(),
                life.rows == null ? List.of() : List.copyOf(life.rows),
                life.startedMillis,
                life.runningMillis,
                life.stoppedMillis,
                now,
                lostMillis,
                outcome,
                pausedFor == null ? -1 : pausedFor.id(),
                pausedFor == null ? "" : pausedFor.name());
    }

    Gantt gantt(long now) {
        if (best == null || !stays.isEmpty()) {
            close(now);
        }
        Window window = java.util.Objects.requireNonNull(best);
        return new Gantt(
                rows,
                nodesShown,
                topology.nodes().size(),
                topology.gpuCount(),
                window.fromMillis,
                window.toMillis,
                Math.max(0, runFrom),
                now,
                windows,
                window.stays);
    }
}
