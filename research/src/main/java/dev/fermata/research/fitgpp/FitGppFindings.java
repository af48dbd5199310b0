package dev.fermata.research.fitgpp;

import dev.fermata.research.Finding;
import dev.fermata.research.fitgpp.FitGppReproduction.FitGppSetting;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** The claims of the paper and the measured results. Slowdowns that fall are positive, those that rise negative. */
final class FitGppFindings {
    private static final String PAPER = FitGppReproduction.PAPER;
    private static final String TRIAL_TAIL = "trialTailSlowdownReduction";
    private static final double PUBLISHED_TRIAL_TAIL = 0.966;
    private static final double PUBLISHED_BATCH_MEDIAN = -0.18;
    private static final double PUBLISHED_BATCH_TAIL = -0.239;
    private final FitGppReproduction paper;
    private final FitGppResults outcomes;
    private final List<Finding> findings = new ArrayList<>();

    FitGppFindings(FitGppReproduction paper, FitGppResults outcomes) {
        this.paper = paper;
        this.outcomes = outcomes;
    }

    List<Finding> all() {
        FitGppReproduction.SETTINGS.forEach(this::addHeadlines);
        // in the calibrated settings too few jobs are preempted to compare
        for (FitGppSetting setting : List.of(FitGppReproduction.MAIN, FitGppReproduction.LARGE_TRIALS)) {
            for (String baseline : FitGppReproduction.BASELINES) {
                addDifference(
                        setting,
                        "restartMedianReduction",
                        PAPER,
                        baseline,
                        o -> o.sinceRequest().median(),
                        "time from the preemption request to the next start");
            }
        }
        for (String policy : FitGppReproduction.CHALLENGERS) {
            FitGppReproduction.SETTINGS.forEach(setting -> addChallenger(setting, policy));
        }
        return findings;
    }

    private void addHeadlines(FitGppSetting setting) {
        String workload = paper.workload(setting);
        double fifo = outcomes.mean(workload, FitGppReproduction.FIFO, FitGppOutcome::trialTail);
        double ours = outcomes.mean(workload, PAPER, FitGppOutcome::trialTail);
        addHeadline(
                setting,
                TRIAL_TAIL,
                PUBLISHED_TRIAL_TAIL,
                FitGppOutcome::trialTail,
                String.format(
                        Locale.ROOT,
                        "1 is the least slowdown there is: p95 is %.2f here and %.1f under fifo, so even no wait at all"
                                + " would be %.1f %%",
                        ours,
                        fifo,
                        100 * (1 - 1 / fifo)));
        addHeadline(
                setting,
                "batchMedianSlowdownReduction",
                PUBLISHED_BATCH_MEDIAN,
                FitGppOutcome::batchMedian,
                "negative: batch jobs pay, for the fragments that trial jobs on the first node with room leave and for"
                        + " their number; they gain where large trial jobs no longer hold up the line");
        addHeadline(
                setting,
                "batchTailSlowdownReduction",
                PUBLISHED_BATCH_TAIL,
                FitGppOutcome::batchTail,
                "negative: batch jobs pay");
    }

    private void addHeadline(
            FitGppSetting setting,
            String metric,
            double published,
            ToDoubleFunction<FitGppOutcome> measure,
            String note) {
        findings.add(Finding.published(
                PAPER,
                metric,
                PAPER,
                FitGppReproduction.FIFO,
                published,
                outcomes.reduction(paper.workload(setting), PAPER, FitGppReproduction.FIFO, measure),
                label(setting),
                note));
    }

    /** Any policy compared with the paper's own on the paper's own measures: positive where it does better. */
    private void addChallenger(FitGppSetting setting, String policy) {
        addDifference(setting, TRIAL_TAIL, policy, PAPER, FitGppOutcome::trialTail, levels(setting, policy));
        addDifference(setting, "batchMedianSlowdownReduction", policy, PAPER, FitGppOutcome::batchMedian, "");
    }

    private String levels(FitGppSetting setting, String policy) {
        String workload = paper.workload(setting);
        return String.format(
                Locale.ROOT,
                "p95 of trial jobs is %.2f, the paper's %.2f",
                outcomes.mean(workload, policy, FitGppOutcome::trialTail),
                outcomes.mean(workload, PAPER, FitGppOutcome::trialTail));
    }

    private void addDifference(
            FitGppSetting setting,
            String metric,
            String policy,
            String baseline,
            ToDoubleFunction<FitGppOutcome> measure,
            String note) {
        findings.add(Finding.difference(
                PAPER,
                metric,
                policy,
                baseline,
                outcomes.reduction(paper.workload(setting), policy, baseline, measure),
                label(setting),
                note));
    }

    private String label(FitGppSetting setting) {
        return setting.name() + ": " + paper.workload(setting);
    }
}
