package dev.fermata.research.suspend;

import dev.fermata.core.model.Topology;
import dev.fermata.sim.cluster.ClusterSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * One cluster, load, job length and limit of host memory.
 *
 * @param medianSeconds of batch jobs of one GPU
 * @param hostGib what suspended jobs may hold on each node
 */
record SuspendSetting(String cluster, int jobs, double load, int medianSeconds, int hostGib) {
    private static final int AMPLE_GIB = 1024;
    private static final int MIB_PER_GIB = 1024;
    static final SuspendSetting BASE = new SuspendSetting("8x8", 600, 0.9, 1200, AMPLE_GIB);

    /** The base, and one change at a time. */
    static List<SuspendSetting> all() {
        List<SuspendSetting> all = new ArrayList<>(List.of(
                BASE,
                new SuspendSetting("1x8", 200, BASE.load, BASE.medianSeconds, AMPLE_GIB),
                new SuspendSetting("64x8", 2000, BASE.load, BASE.medianSeconds, AMPLE_GIB)));
        for (double load : List.of(0.6, 1.2)) {
            all.add(new SuspendSetting(BASE.cluster, BASE.jobs, load, BASE.medianSeconds, AMPLE_GIB));
        }
        for (int median : List.of(120, 7200)) {
            all.add(new SuspendSetting(BASE.cluster, BASE.jobs, BASE.load, median, AMPLE_GIB));
        }
        for (int gib : List.of(16, 64)) {
            all.add(new SuspendSetting(BASE.cluster, BASE.jobs, BASE.load, BASE.medianSeconds, gib));
        }
        return all;
    }

    Topology topology() {
        return ClusterSpec.parse(cluster).withSuspendMemoryMib((long) hostGib * MIB_PER_GIB);
    }

    String workload() {
        return String.format(Locale.ROOT, "synthetic:jobs=%d,load=%s,median=%d", jobs, load, medianSeconds);
    }

    String label() {
        return String.format(
                Locale.ROOT,
                "%s GPUs, load %s, median %d s, %s GiB of host memory",
                cluster,
                load,
                medianSeconds,
                hostGib == AMPLE_GIB ? "ample" : Integer.toString(hostGib));
    }
}
