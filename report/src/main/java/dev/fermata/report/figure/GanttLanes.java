package dev.fermata.report.figure;

import dev.fermata.sim.recording.GanttChart;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/** Gives jobs that share a GPU a part of its row each, so that none hides another. */
final class GanttLanes {
    /** A rectangle in units of rows. */
    record Block(double top, double high) {}

    private final GanttChart gantt;
    private final int[] lanes;
    private final List<int[]> laneOf = new ArrayList<>();

    GanttLanes(GanttChart gantt) {
        this.gantt = gantt;
        lanes = new int[gantt.rows().size()];
        Arrays.fill(lanes, 1);
        List<List<Long>> ends = new ArrayList<>();
        gantt.rows().forEach(r -> ends.add(new ArrayList<>()));
        Integer[] order = new Integer[gantt.intervals().size()];
        Arrays.setAll(order, i -> i);
        Arrays.sort(
                order,
                Comparator.comparingLong((Integer i) -> gantt.intervals().get(i).fromMillis())
                        .thenComparingInt(i -> i));
        gantt.intervals().forEach(s -> laneOf.add(new int[s.rows().size()]));
        for (int i : order) {
            GanttChart.GanttInterval interval = gantt.intervals().get(i);
            for (int k = 0; k < interval.rows().size(); k++) {
                int row = interval.rows().get(k);
                int lane = take(ends.get(row), interval);
                laneOf.get(i)[k] = lane;
                lanes[row] = Math.max(lanes[row], lane + 1);
            }
        }
    }

    private static int take(List<Long> ends, GanttChart.GanttInterval interval) {
        for (int lane = 0; lane < ends.size(); lane++) {
            if (ends.get(lane) <= interval.fromMillis()) {
                ends.set(lane, interval.toMillis());
                return lane;
            }
        }
        ends.add(interval.toMillis());
        return ends.size() - 1;
    }

    /** The rectangles of an attempt: adjacent rows are one rectangle unless they are shared. */
    List<Block> blocks(int interval) {
        List<Integer> rows = gantt.intervals().get(interval).rows();
        List<Block> blocks = new ArrayList<>();
        for (int k = 0; k < rows.size(); k++) {
            int row = rows.get(k);
            double high = 1.0 / lanes[row];
            double top = row + laneOf.get(interval)[k] * high;
            Block last = blocks.isEmpty() ? null : blocks.get(blocks.size() - 1);
            if (last != null && high == 1 && last.top + last.high == top && last.high >= 1) {
                blocks.set(blocks.size() - 1, new Block(last.top, last.high + 1));
            } else {
                blocks.add(new Block(top, high));
            }
        }
        return blocks;
    }
}
