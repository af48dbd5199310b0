package dev.fermata.core.model;

import java.util.Arrays;
import java.util.List;

/**
 * How many GPUs a cluster has of each type: in all, at most on a node, at most in a rack. Missing GPUs do not count. A value;
 * when one node changes only what it touches is counted again.
 */
final class TypeTotals {
    /** By rack and type. */
    private final int[][] inRack;
    /** How many nodes have so many GPUs, by type and number. */
    private final int[][] nodesOfSize;

    private final int[] gpus;
    private final int[] largestNode;
    private final int[] largestRack;
    /** Bit mask, for each type, of the types that share a rack with it. */
    private final long[] sharingRack;

    TypeTotals(int types, int racks, List<Node> nodes) {
        inRack = new int[racks][types];
        gpus = new int[types];
        largestNode = new int[types];
        largestRack = new int[types];
        sharingRack = new long[types];
        for (Node node : nodes) {
            int present = node.presentGpus();
            gpus[node.type()] += present;
            largestNode[node.type()] = Math.max(largestNode[node.type()], present);
            inRack[node.rack()][node.type()] += present;
        }
        nodesOfSize = new int[types][];
        for (int type = 0; type < types; type++) {
            nodesOfSize[type] = new int[largestNode[type] + 1];
            countRacks(type);
        }
        for (Node node : nodes) {
            nodesOfSize[node.type()][node.presentGpus()]++;
        }
        countSharing();
    }

    /** The totals after a node of this type and rack has so many GPUs instead of those it had. */
    private TypeTotals(TypeTotals before, Node node, int present) {
        int type = node.type();
        int was = node.presentGpus();
        inRack = before.inRack.clone();
        inRack[node.rack()] = inRack[node.rack()].clone();
        inRack[node.rack()][type] += present - was;
        nodesOfSize = before.nodesOfSize.clone();
        nodesOfSize[type] = Arrays.copyOf(nodesOfSize[type], Math.max(nodesOfSize[type].length, present + 1));
        nodesOfSize[type][was]--;
        nodesOfSize[type][present]++;
        gpus = before.gpus.clone();
        gpus[type] += present - was;
        largestNode = before.largestNode.clone();
        largestNode[type] = nodesOfSize[type].length - 1;
        while (largestNode[type] > 0 && nodesOfSize[type][largestNode[type]] == 0) {
            largestNode[type]--;
        }
        largestRack = before.largestRack.clone();
        countRacks(type);
        sharingRack = new long[gpus.length];
        countSharing();
    }

    /** The same after a node has changed, with the same type and rack. */
    TypeTotals after(Node before, Node now) {
        return before.presentGpus() == now.presentGpus() ? this : new TypeTotals(this, before, now.presentGpus());
    }

    private void countRacks(int type) {
        largestRack[type] = 0;
        for (int[] counts : inRack) {
            largestRack[type] = Math.max(largestRack[type], counts[type]);
        }
    }

    private void countSharing() {
        for (int[] counts : inRack) {
            long here = 0;
            for (int t = 0; t < counts.length; t++) {
                here |= counts[t] > 0 ? 1L << t : 0;
            }
            for (int t = 0; t < counts.length; t++) {
                sharingRack[t] |= counts[t] > 0 ? here : 0;
            }
        }
    }

    int gpus(int type) {
        return gpus[type];
    }

    int largestNode(int type) {
        return largestNode[type];
    }

    int largestRack(int type) {
        return largestRack[type];
    }

    boolean shareRack(int type, int other) {
        return (sharingRack[type] >> other & 1) != 0;
    }
}
