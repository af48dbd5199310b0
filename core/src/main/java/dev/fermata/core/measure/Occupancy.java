package dev.fermata.core.measure;

import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Topology;

/** Integrals over time of GPUs in use: busy, free, and free but stranded on nodes that are partly in use. */
final class Occupancy {
    private final Topology topology;
    private final int[] holders;
    private final int[] progressing;
    private final int[] usedOnNode;
    private long at;
    private int usedGpus;
    private int gpusUp;
    private int busyGpus;
    private long strandedGpus;
    private double busyGpuMillis;
    private double freeGpuMillis;
    private double strandedGpuMillis;

    Occupancy(Topology topology) {
        this.topology = topology;
        holders = new int[topology.gpuCount()];
        progressing = new int[topology.gpuCount()];
        usedOnNode = new int[topology.nodes().size()];
        gpusUp = topology.gpuCount();
    }

    void begin(long now) {
        at = now;
    }

    private void advance(long now) {
        double span = now - at;
        if (span > 0) {
            busyGpuMillis += span * busyGpus;
            freeGpuMillis += span * freeGpus();
            strandedGpuMillis += span * strandedGpus;
            at = now;
        }
    }

    void setGpusUp(long now, int up) {
        advance(now);
        gpusUp = up;
    }

    void progress(long now, Allocation allocation, int sign) {
        advance(now);
        for (int i = 0; i < allocation.size(); i++) {
            busyGpus += step(progressing, allocation.gpu(i), sign);
        }
    }

    void addHeld(long now, Allocation allocation, int sign) {
        advance(now);
        int i = 0;
        for (int k = 0; k < allocation.nodeCount(); k++) {
            int node = allocation.node(k);
            strandedGpus -= stranded(node);
            for (int end = i + allocation.gpusOn(k); i < end; i++) {
                int change = step(holders, allocation.gpu(i), sign);
                usedGpus += change;
                usedOnNode[node] += change;
            }
            strandedGpus += stranded(node);
        }
    }

    /** Changes a count; returns +1 when it left zero, -1 when it returned to zero, else 0. */
    private static int step(int[] counts, int gpu, int sign) {
        int before = counts[gpu];
        counts[gpu] = before + sign;
        return (counts[gpu] > 0 ? 1 : 0) - (before > 0 ? 1 : 0);
    }

    private int stranded(int node) {
        int used = usedOnNode[node];
        return used == 0 ? 0 : topology.node(node).gpus() - used;
    }

    int busyGpus() {
        return busyGpus;
    }

    int freeGpus() {
        return Math.max(0, gpusUp - usedGpus);
    }

    long strandedGpus() {
        return strandedGpus;
    }

    double busyGpuMillis() {
        return busyGpuMillis;
    }

    double fragmentation() {
        return topology.nodes().size() == 1 || freeGpuMillis == 0 ? 0 : strandedGpuMillis / freeGpuMillis;
    }
}
