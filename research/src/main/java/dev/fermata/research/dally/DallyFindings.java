package dev.fermata.research.dally;

import dev.fermata.research.Finding;
import dev.fermata.research.dally.DallyResults.DallyReduction;
import dev.fermata.research.dally.DallySetting.DallyOutcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.function.ToDoubleFunction;

/** Compares the runs with the paper's figures, and attributes them to parts of the policy. */
final class DallyFindings {
    static final String DALLY = "dally";
    static final String NO_WAIT = "dally:rack=0,net=0";
    static final String FIXED = "dally:rack=6,net=12";
    static final String KEEPS = "dally:relocate=false";
    static final String CONSOLIDATE = "consolidate";
    static final String TIRESIAS = "las:lease=1h,place=skew";
    static final String TIRESIAS_SLIP = "las:lease=1h,place=skew-slip";
    static final String TIRESIAS_KEEPS = "las:lease=1h,place=skew,relocate=false";
    static final String TIRESIAS_QUEUES = "las:place=skew";
    static final String DELAYED_LAS = "las:lease=1h,place=delay";
    static final String GATHERED_LAS = "las:lease=1h,place=consolidate";
    static final String GANDIVA = "gandiva";

    /** Where no job has to wait, waiting and not waiting give the same result. */
    private static final double SAME = 1e-3;

    /** One of the paper's three figures. */
    private record HeadlineMetric(String metric, double published, ToDoubleFunction<DallyOutcome> measure) {}

    private static final HeadlineMetric JCT = new HeadlineMetric("meanJctReduction", 0.83, DallyOutcome::jct);
    private static final HeadlineMetric COMMUNICATION =
            new HeadlineMetric("communicationReduction", 0.98, DallyOutcome::communication);
    private static final List<HeadlineMetric> HEADLINES =
            List.of(new HeadlineMetric("makespanReduction", 0.69, DallyOutcome::makespan), JCT, COMMUNICATION);

    private static final String GANDIVA_NOTE =
            "Gandiva puts gangs larger than a machine on random GPUs and moves them together later, at no cost";
    private static final String QUEUES_NOTE =
            "Tiresias in queues without leases, as first published: a job that got a distant "
                    + "place keeps it, which congestion makes dear";
    private static final String TIRESIAS_NOTE = "in the lease engine that the authors' code gives to both, Tiresias "
            + "is placed again too and keeps up; the findings on single parts say what each is worth";
    private static final String SLIP_NOTE =
            "the same with the slip in the authors' code, by which gangs of skewed " + "models go to any rack at once";

    private final DallyResults results;
    private final List<Finding> findings = new ArrayList<>();

    DallyFindings(DallyResults results) {
        this.results = results;
    }

    List<Finding> all(List<String> challengers) {
        addConsistency(JCT);
        addConsistency(COMMUNICATION);
        for (HeadlineMetric headline : HEADLINES) {
            addBestReduction(headline, GANDIVA, GANDIVA_NOTE);
            addBestReduction(headline, TIRESIAS_QUEUES, QUEUES_NOTE);
            addBestReduction(headline, TIRESIAS, TIRESIAS_NOTE);
            addBestReduction(headline, TIRESIAS_SLIP, SLIP_NOTE);
        }
        for (HeadlineMetric headline : HEADLINES) {
            DallyReduction reduction = results.reduction(DallySetting.BERT, DALLY, TIRESIAS, headline.measure);
            String note = "a cell of ours, where all models suffer and none is on Tiresias' list of skewed ones";
            add(
                    headline,
                    OptionalDouble.empty(),
                    DALLY,
                    TIRESIAS,
                    reduction,
                    reduction.reduction().mean() > 0,
                    note);
        }
        addAblation(
                JCT,
                GATHERED_LAS,
                TIRESIAS,
                List.of(DallySetting.BERT),
                "Tiresias if its list had that model, all else equal");
        addAblation(JCT, DALLY, KEEPS, DallySetting.ABLATED, "placing again at the end of leases, all else equal");
        addAblation(JCT, TIRESIAS, TIRESIAS_KEEPS, DallySetting.ABLATED, "the same for Tiresias");
        addAblation(
                JCT,
                DELAYED_LAS,
                DALLY,
                DallySetting.MIXED,
                "the order alone: attained service against network sensitivity");
        addAblation(
                JCT,
                DELAYED_LAS,
                TIRESIAS,
                DallySetting.MIXED,
                "the placement alone: delay against the rule of skewed models");
        addAblation(COMMUNICATION, DELAYED_LAS, TIRESIAS, DallySetting.MIXED, "the placement alone, in communication");
        addAblation(JCT, DALLY, FIXED, DallySetting.MIXED, "the tuner alone: against fixed timers of 6 and 12 leases");
        addAblation(JCT, CONSOLIDATE, DALLY, DallySetting.MIXED, "never giving in against giving in after a while");
        challengers.forEach(challenger -> HEADLINES.forEach(headline -> addChallenger(headline, challenger)));
        return findings;
    }

    /** Against no-wait in the cell where it gains least. */
    private void addConsistency(HeadlineMetric headline) {
        List<DallyReduction> reductions = results.ranked(DallySetting.MIXED, DALLY, NO_WAIT, headline.measure);
        DallyReduction min = reductions.get(0);
        long equal = reductions.stream()
                .filter(g -> Math.abs(g.reduction().mean()) < SAME)
                .count();
        String note = "least of " + reductions.size() + " cells, most: " + bestSetting(reductions)
                + (equal == 0 ? "" : "; in " + equal + " no job waits and both do the same");
        add(
                headline,
                OptionalDouble.empty(),
                DALLY,
                NO_WAIT,
                min,
                min.reduction().mean() > -SAME,
                note);
    }

    /** Against a baseline in the cell where it gains most, compared with the paper's "up to". */
    private void addBestReduction(HeadlineMetric headline, String baseline, String note) {
        List<DallyReduction> reductions = results.ranked(DallySetting.MIXED, DALLY, baseline, headline.measure);
        DallyReduction max = reductions.get(reductions.size() - 1);
        boolean holds = max.reduction().mean() >= headline.published;
        String range = "most of " + reductions.size() + " cells, least: " + describe(reductions.get(0)) + "; ";
        add(headline, OptionalDouble.of(headline.published), DALLY, baseline, max, holds, range + note);
    }

    /** The effect of one part of a policy, all else equal: the middle cell, and the range. */
    private void addAblation(
            HeadlineMetric headline, String policy, String baseline, List<DallySetting> settings, String what) {
        List<DallyReduction> reductions = results.ranked(settings, policy, baseline, headline.measure);
        String note = what
                + (reductions.size() == 1
                        ? ""
                        : "; from " + describe(reductions.get(0)) + " to " + bestSetting(reductions));
        DallyReduction middle = reductions.get(reductions.size() / 2);
        add(
                headline,
                OptionalDouble.empty(),
                policy,
                baseline,
                middle,
                middle.reduction().mean() > -SAME,
                note);
    }

    /** Another policy against the paper's own on one of its three figures, in the cell where it does worst. */
    private void addChallenger(HeadlineMetric headline, String challenger) {
        DallyReduction worst = results.ranked(DallySetting.MIXED, challenger, DALLY, headline.measure)
                .get(0);
        boolean holds = worst.reduction().mean() >= -Finding.ALLOWED_LAG;
        String note = "worst of " + DallySetting.MIXED.size() + " cells; at most 3 % behind is required";
        add(headline, OptionalDouble.empty(), challenger, DALLY, worst, holds, note);
    }

    private void add(
            HeadlineMetric headline,
            OptionalDouble published,
            String policy,
            String baseline,
            DallyReduction reduction,
            boolean holds,
            String note) {
        findings.add(new Finding(
                DALLY,
                headline.metric,
                policy,
                baseline,
                published,
                reduction.reduction(),
                holds,
                results.seeds(),
                reduction.setting().label(),
                note));
    }

    private static String bestSetting(List<DallyReduction> reductions) {
        return describe(reductions.get(reductions.size() - 1));
    }

    private static String describe(DallyReduction reduction) {
        return percent(reduction.reduction().mean()) + " ("
                + reduction.setting().label() + ")";
    }

    static String percent(double fraction) {
        return String.format(Locale.ROOT, "%+.1f %%", 100 * fraction);
    }
}
