package dev.fermata.sim.reproduce.dally;

import dev.fermata.sim.reproduce.Finding;
import dev.fermata.sim.reproduce.dally.DallyCell.Outcome;
import dev.fermata.sim.reproduce.dally.DallyResults.Gain;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.function.ToDoubleFunction;

/** What the runs say about the paper's figures, and which part of the policy says it. */
final class DallyFindings {
    static final String DALLY = "dally";
    static final String NO_WAIT = "dally:rack=0,net=0";
    static final String FIXED = "dally:rack=6,net=12";
    static final String KEEPS = "dally:anew=false";
    static final String CONSOLIDATE = "consolidate";
    static final String TIRESIAS = "las:lease=1h,place=skew";
    static final String TIRESIAS_SLIP = "las:lease=1h,place=skew-slip";
    static final String TIRESIAS_KEEPS = "las:lease=1h,place=skew,anew=false";
    static final String TIRESIAS_QUEUES = "las:place=skew";
    static final String DELAYED_LAS = "las:lease=1h,place=delay";
    static final String GATHERED_LAS = "las:lease=1h,place=consolidate";
    static final String GANDIVA = "gandiva";

    /** Where nobody has to wait, waiting and not waiting are the same thing. */
    private static final double SAME = 1e-3;

    /** One of the paper's three figures. */
    private record Headline(String metric, double published, ToDoubleFunction<Outcome> measure) {}

    private static final Headline JCT = new Headline("meanJctReduction", 0.83, Outcome::jct);
    private static final Headline COMMUNICATION = new Headline("communicationReduction", 0.98, Outcome::communication);
    private static final List<Headline> HEADLINES =
            List.of(new Headline("makespanReduction", 0.69, Outcome::makespan), JCT, COMMUNICATION);

    private static final String GANDIVA_NOTE =
            "Gandiva puts gangs larger than a machine on random GPUs and moves them together later, at no cost";
    private static final String QUEUES_NOTE = "Tiresias in queues without leases, as first published: who got a far "
            + "place keeps it, which congestion makes dear";
    private static final String TIRESIAS_NOTE = "in the lease engine that the authors' code gives to both, Tiresias "
            + "is placed anew too and keeps up; the findings on single parts say what each is worth";
    private static final String SLIP_NOTE =
            "the same with the slip in the authors' code, by which gangs of skewed " + "models go to any rack at once";

    private final DallyResults results;
    private final List<Finding> findings = new ArrayList<>();

    DallyFindings(DallyResults results) {
        this.results = results;
    }

    List<Finding> all(List<String> challengers) {
        everywhere(JCT);
        everywhere(COMMUNICATION);
        for (Headline headline : HEADLINES) {
            upTo(headline, GANDIVA, GANDIVA_NOTE);
            upTo(headline, TIRESIAS_QUEUES, QUEUES_NOTE);
            upTo(headline, TIRESIAS, TIRESIAS_NOTE);
            upTo(headline, TIRESIAS_SLIP, SLIP_NOTE);
        }
        for (Headline headline : HEADLINES) {
            Gain gain = results.gain(DallyCell.BERT, DALLY, TIRESIAS, headline.measure);
            String note = "a cell of ours, where all models suffer and none is on Tiresias' list of skewed ones";
            add(
                    headline,
                    OptionalDouble.empty(),
                    DALLY,
                    TIRESIAS,
                    gain,
                    gain.reduction().mean() > 0,
                    note);
        }
        part(
                JCT,
                GATHERED_LAS,
                TIRESIAS,
                List.of(DallyCell.BERT),
                "Tiresias if its list had that model, all else equal");
        part(JCT, DALLY, KEEPS, DallyCell.ABLATED, "placing anew at the end of leases, all else equal");
        part(JCT, TIRESIAS, TIRESIAS_KEEPS, DallyCell.ABLATED, "the same for Tiresias");
        part(JCT, DELAYED_LAS, DALLY, DallyCell.MIXED, "the order alone: attained service against network sensitivity");
        part(
                JCT,
                DELAYED_LAS,
                TIRESIAS,
                DallyCell.MIXED,
                "the placement alone: delay against the rule of skewed models");
        part(COMMUNICATION, DELAYED_LAS, TIRESIAS, DallyCell.MIXED, "the placement alone, in communication");
        part(JCT, DALLY, FIXED, DallyCell.MIXED, "the tuner alone: against fixed timers of 6 and 12 leases");
        part(JCT, CONSOLIDATE, DALLY, DallyCell.MIXED, "never giving in against giving in after a while");
        challengers.forEach(challenger -> HEADLINES.forEach(headline -> challenge(headline, challenger)));
        return findings;
    }

    /** Against no-wait in the cell where it gains least. */
    private void everywhere(Headline headline) {
        List<Gain> gains = results.ranked(DallyCell.MIXED, DALLY, NO_WAIT, headline.measure);
        Gain least = gains.get(0);
        long equal = gains.stream()
                .filter(g -> Math.abs(g.reduction().mean()) < SAME)
                .count();
        String note = "least of " + gains.size() + " cells, most: " + best(gains)
                + (equal == 0 ? "" : "; in " + equal + " nobody waits and both do the same");
        add(
                headline,
                OptionalDouble.empty(),
                DALLY,
                NO_WAIT,
                least,
                least.reduction().mean() > -SAME,
                note);
    }

    /** Against a baseline in the cell where it gains most, beside the paper's "up to". */
    private void upTo(Headline headline, String baseline, String note) {
        List<Gain> gains = results.ranked(DallyCell.MIXED, DALLY, baseline, headline.measure);
        Gain most = gains.get(gains.size() - 1);
        boolean holds = most.reduction().mean() >= headline.published;
        String range = "most of " + gains.size() + " cells, least: " + in(gains.get(0)) + "; ";
        add(headline, OptionalDouble.of(headline.published), DALLY, baseline, most, holds, range + note);
    }

    /** What one part of a policy is worth, all else equal: the middle cell, and the range. */
    private void part(Headline headline, String policy, String baseline, List<DallyCell> cells, String what) {
        List<Gain> gains = results.ranked(cells, policy, baseline, headline.measure);
        String note = what + (gains.size() == 1 ? "" : "; from " + in(gains.get(0)) + " to " + best(gains));
        Gain middle = gains.get(gains.size() / 2);
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
    private void challenge(Headline headline, String challenger) {
        Gain worst = results.ranked(DallyCell.MIXED, challenger, DALLY, headline.measure)
                .get(0);
        boolean holds = worst.reduction().mean() >= -Finding.ALLOWED_LAG;
        String note = "worst of " + DallyCell.MIXED.size() + " cells; at most 3 % behind is asked";
        add(headline, OptionalDouble.empty(), challenger, DALLY, worst, holds, note);
    }

    private void add(
            Headline headline,
            OptionalDouble published,
            String policy,
            String baseline,
            Gain gain,
            boolean holds,
            String note) {
        findings.add(new Finding(
                DALLY,
                headline.metric,
                policy,
                baseline,
                published,
                gain.reduction(),
                holds,
                results.seeds(),
                gain.cell().words(),
                note));
    }

    private static String best(List<Gain> gains) {
        return in(gains.get(gains.size() - 1));
    }

    private static String in(Gain gain) {
        return percent(gain.reduction().mean()) + " (" + gain.cell().words() + ")";
    }

    static String percent(double fraction) {
        return String.format(Locale.ROOT, "%+.1f %%", 100 * fraction);
    }
}
