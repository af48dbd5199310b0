package dev.fermata.research.xion;

import java.util.ArrayList;
import java.util.List;

/** One cluster and generated workload at one multiple of the pause and load times. */
record XionSetting(String cluster, String workload, double scale) {
    static final XionSetting LARGE = new XionSetting("16x4", "xion:jobs=800,load=1,min=200,max=3000", 1);

    /** With the costs as they are. The paper's workload is unknown: each is compared with the published figures. */
    static final List<XionSetting> ALL = List.of(
            LARGE,
            new XionSetting("4x4", "xion:jobs=200,load=1,min=200,max=3000", 1),
            new XionSetting("4x4", "xion:jobs=200,load=1.2,min=200,max=3000", 1),
            new XionSetting("4x4", "xion:jobs=200,load=1.1,min=600,max=7200", 1),
            new XionSetting("4x4", "xion:jobs=200,load=1,min=100,max=1000", 1),
            new XionSetting("4x4", "xion:jobs=200,load=1.1,min=100,max=600", 1),
            new XionSetting("16x4", "xion:jobs=1000,load=0.9,min=200,max=30000", 1));

    static final List<Double> SCALES = List.of(0.0, 0.5, 1.0, 2.0, 4.0);

    /** The first setting with other costs. */
    static XionSetting scaled(double scale) {
        return new XionSetting(LARGE.cluster, LARGE.workload, scale);
    }

    /** All of them, and the sweep over costs. */
    static List<XionSetting> withSweep() {
        List<XionSetting> all = new ArrayList<>(ALL);
        for (double scale : SCALES) {
            if (!all.contains(scaled(scale))) {
                all.add(scaled(scale));
            }
        }
        return all;
    }

    String label() {
        return cluster + ", " + workload + ", costs x" + XionTables.number(scale);
    }
}
