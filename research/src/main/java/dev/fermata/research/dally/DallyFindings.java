package dev.fermata.research.dally;

import dev.fermata.research.Finding;
import dev.fermata.research.HeldOutCell;
import dev.fermata.research.dally.DallyResults.DallyReduction;
import dev.fermata.research.dally.DallySetting.DallyOutcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
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
    static final String SJF = "sjf:place=consolidate";
    static final String SRSF = "srsf:place=consolidate";

    /** One of the paper's three figures. */
    record HeadlineMetric(String metric, double published, ToDoubleFunction<DallyOutcome> measure) {}

    private static final HeadlineMetric JCT = new HeadlineMetric("meanJctReduction", 0.83, DallyOutcome::jct);
    private static final HeadlineMetric COMMUNICATION =
            new HeadlineMetric("communicationReduction", 0.98, DallyOutcome::communication);
    static final List<HeadlineMetric> HEADLINES =
            List.of(new HeadlineMetric("makespanReduction", 0.69, DallyOutcome::makespan), JCT, COMMUNICATION);

    static final String GANDIVA_NOTE =
            "Gandiva as in the authors' code: gangs larger than a machine on random GPUs, moved together later";
    static final String TIRESIAS_NOTE =
            "in the lease engine that the authors' code gives to both, Tiresias is placed" + " again too and keeps up";
    static final String SLIP_NOTE =
            "the same with the slip in the authors' code, by which gangs of skewed models go to any rack at once";

    private final DallyResults results;
    private final List<Finding> findings = new ArrayList<>();

    DallyFindings(DallyResults results) {
        this.results = results;
    }

    List<Finding> all(List<String> challengers) {
        for (HeadlineMetric headline : HEADLINES) {
            addUpTo(headline, GANDIVA, GANDIVA_NOTE);
            addUpTo(headline, TIRESIAS, TIRESIAS_NOTE);
            addUpTo(headline, TIRESIAS_SLIP, SLIP_NOTE);
        }
        addMean(JCT, DALLY, NO_WAIT, DallySetting.MIXED, "waiting at all");
        addMean(COMMUNICATION, DALLY, NO_WAIT, DallySetting.MIXED, "waiting at all, in communication");
        addMean(JCT, DALLY, SJF, DallySetting.MIXED, "run times are known to it");
        addMean(JCT, DALLY, SRSF, DallySetting.MIXED, "run times are known to it");
        for (HeadlineMetric headline : HEADLINES) {
            addMean(
                    headline,
                    DALLY,
                    TIRESIAS,
                    List.of(DallySetting.BERT),
                    "a cell of ours, where all models suffer and none is on Tiresias' list of skewed ones");
        }
        addMean(
                JCT,
                GATHERED_LAS,
                TIRESIAS,
                List.of(DallySetting.BERT),
                "Tiresias if its list had that model, all else equal");
        addMean(JCT, DALLY, KEEPS, DallySetting.ABLATED, "placing again at the end of leases, all else equal");
        addMean(JCT, TIRESIAS, TIRESIAS_KEEPS, DallySetting.ABLATED, "the same for Tiresias");
        addMean(
                JCT,
                DALLY,
                DELAYED_LAS,
                DallySetting.MIXED,
                "the order alone: network sensitivity against attained service");
        addMean(
                JCT,
                DELAYED_LAS,
                TIRESIAS,
                DallySetting.MIXED,
                "the placement alone: delay against the rule of skewed models");
        addMean(COMMUNICATION, DELAYED_LAS, TIRESIAS, DallySetting.MIXED, "the placement alone, in communication");
        addMean(JCT, DALLY, FIXED, DallySetting.MIXED, "the tuner alone: against fixed timers of 6 and 12 leases");
        addMean(JCT, DALLY, CONSOLIDATE, DallySetting.MIXED, "giving in after a while against never giving in");
        for (String challenger : challengers) {
            for (HeadlineMetric headline : HEADLINES) {
                addMean(headline, challenger, DALLY, DallySetting.MIXED, "");
                addWorst(headline, challenger);
            }
        }
        return findings;
    }

    /** Against a baseline in the cell where it gains most, compared with the paper's "up to". */
    private void addUpTo(HeadlineMetric headline, String baseline, String note) {
        HeldOutCell<DallySetting> most =
                results.largestReduction(DallySetting.MIXED, DALLY, baseline, headline.measure);
        DallyReduction least = results.ranked(DallySetting.MIXED, DALLY, baseline, headline.measure)
                .get(0);
        findings.add(Finding.published(
                DALLY,
                headline.metric,
                DALLY,
                baseline,
                headline.published,
                most.measured(),
                most.cell().label(),
                "most of " + DallySetting.MIXED.size() + " cells, " + HeldOutCell.NOTE + "; least: " + describe(least)
                        + "; " + note));
    }

    /** The mean over cells, with the range of cells in the note. */
    private void addMean(
            HeadlineMetric headline, String policy, String baseline, List<DallySetting> settings, String what) {
        List<DallyReduction> ranked = results.ranked(settings, policy, baseline, headline.measure);
        String range = "from " + describe(ranked.get(0)) + " to " + describe(ranked.get(ranked.size() - 1));
        boolean one = settings.size() == 1;
        findings.add(Finding.difference(
                DALLY,
                headline.metric,
                policy,
                baseline,
                results.meanReduction(settings, policy, baseline, headline.measure),
                one ? settings.get(0).label() : "mean of " + settings.size() + " cells",
                one ? what : what.isEmpty() ? range : what + "; " + range));
    }

    /** Another policy against the paper's own, in the cell where it does worst. */
    private void addWorst(HeadlineMetric headline, String challenger) {
        HeldOutCell<DallySetting> worst =
                results.smallestReduction(DallySetting.MIXED, challenger, DALLY, headline.measure);
        findings.add(Finding.difference(
                DALLY,
                headline.metric,
                challenger,
                DALLY,
                worst.measured(),
                worst.cell().label(),
                "worst of " + DallySetting.MIXED.size() + " cells, " + HeldOutCell.NOTE));
    }

    private static String describe(DallyReduction reduction) {
        return percent(reduction.reduction().mean()) + " ("
                + reduction.setting().label() + ")";
    }

    static String percent(double fraction) {
        return String.format(Locale.ROOT, "%+.1f %%", 100 * fraction + 0.0); // never minus nothing
    }
}
