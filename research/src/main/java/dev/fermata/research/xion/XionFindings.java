package dev.fermata.research.xion;

import static dev.fermata.research.xion.XionReproduction.FERMATA;
import static dev.fermata.research.xion.XionReproduction.PAPER;
import static dev.fermata.research.xion.XionReproduction.SERVICE;
import static dev.fermata.research.xion.XionReproduction.SRTF;

import dev.fermata.research.Finding;
import dev.fermata.research.Measurement;
import java.util.ArrayList;
import java.util.List;

/** What the runs say about the two headlines, and how the policy compares with plain orders. */
final class XionFindings {
    private static final String JCT = "meanJctReduction";
    private static final double PUBLISHED_JCT = 0.19;
    private static final double PUBLISHED_WAIT = 1.64;

    private final List<Finding> findings = new ArrayList<>();

    List<Finding> all() {
        return findings;
    }

    /** Both headlines in one setting, and the comparisons of every setting. */
    void addSetting(XionResults results, String setting, String note) {
        findings.add(Finding.published(
                PAPER, JCT, PAPER, SRTF, PUBLISHED_JCT, results.jctReduction(PAPER, SRTF), setting, note));
        findings.add(Finding.published(
                PAPER,
                "waitImprovement",
                PAPER,
                SRTF,
                PUBLISHED_WAIT,
                results.waitImprovement(PAPER, SRTF),
                setting,
                "ratio of mean waits; time spent pausing and loading is overhead, not waiting"));
        addDifference(PAPER, "sjf", results, setting, "shortest first without any preemption");
        addDifference(PAPER, "srsf", results, setting, "");
        addDifference(SERVICE, PAPER, results, setting, "the same rule, ranked by remaining time × GPUs");
        addDifference(FERMATA, PAPER, results, setting, "");
        addDifference(FERMATA, "srsf", results, setting, "");
    }

    /** The gain over srtf at another cost, and that of fifo. */
    void addScale(XionResults results, String setting) {
        addDifference(PAPER, SRTF, results, setting, "");
        addDifference("fifo", SRTF, results, setting, "the abstract says that FIFO does much better in some cases");
    }

    private void addDifference(String policy, String baseline, XionResults results, String setting, String note) {
        Measurement reduction = results.jctReduction(policy, baseline);
        findings.add(Finding.difference(PAPER, JCT, policy, baseline, reduction, setting, note));
    }
}
