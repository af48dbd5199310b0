package dev.fermata.app.report.figure;

import dev.fermata.sim.portrait.Gantt;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/** Gives jobs that share a GPU a part of its row each, so that none hides another. */
final class Lanes {
    /** A rectangle in units of rows. */
    record Block(double top, double high) {}

    private final Gantt gantt;
    private final int[] lanes;
    private final List<int[]> laneOf = new ArrayList<>();

    Lanes(Gantt gantt) {
        this.gantt = gantt;
        lanes = new int[gantt.rows().size()];
        Arrays.fill(lanes, 1);
        List<List<Long>> ends = new ArrayList<>();
        gantt.rows().forEach(r -> ends.add(new ArrayList<>()));
        Integer[] order = new Integer[gantt.stays().size()];
        Arrays.setAll(order, i -> i);
        Arrays.sort(
                order,
                Comparator.comparingLong((Integer i) -> gantt.stays().get(i).fromMillis())
                        .thenComparingInt(i -> i));
        gantt.stays().forEach(s -> laneOf.add(new int[s.rows().size()]));
        for (int i : order) {
            Gantt.Stay stay = gantt.stays().get(i);
            for (int k = 0; k < stay.rows().size(); k++) {
                int row = stay.rows().get(k);
                int lane = take(ends.get(row), stay);
                laneOf.get(i)[k] = lane;
                lanes[row] = Math.max(lanes[row], lane + 1);
            }
        }
    }

    private static int take(List<Long> ends, Gantt.Stay stay) {
        for (int lane = 0; lane < ends.size(); lane++) {
            if (ends.get(lane) <= stay.fromMillis()) {
                ends.set(lane, stay.toMillis());
                return lane;
            }
        }
        ends.add(stay.toMillis());
        return ends.size() - 1;
    }

    /** Where a stay is drawn: rows beside each other are one rectangle where nobody shares them. */
    List<Block> blocks(int stay) {
        List<Integer> rows = gantt.stays().get(stay).rows();
        List<Block> blocks = new ArrayList<>();
        for (int k = 0; k < rows.size(); k++) {
            int row = rows.get(k);
            double high = 1.0 / lanes[row];
            double top = row + laneOf.get(stay)[k] * high;
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
