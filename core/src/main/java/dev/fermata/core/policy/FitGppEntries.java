package dev.fermata.core.policy;

import dev.fermata.core.policy.whole.FitScore;
import dev.fermata.core.policy.whole.LongestRemaining;
import dev.fermata.core.policy.whole.RandomVictims;
import dev.fermata.core.policy.whole.TrialFirst;
import dev.fermata.core.policy.whole.VictimChoice;
import java.util.List;
import java.util.function.Function;

/** FitGpp and the other ways to choose a victim for a trial job. */
final class FitGppEntries {
    static final List<PolicyInfo> ALL = List.of(
            entry(
                    "fitgpp",
                    "trial jobs start at once; the batch job that leaves is one that is small and quick to pause",
                    "FitGpp: Yabuuchi, Taniwaki, Omura (OpML 2019)",
                    List.of(Trait.PREEMPTIVE, Trait.CONSOLIDATES),
                    List.of(
                            Param.number("s", 4, 0, 1e6, "weight of the grace period against the size of a victim"),
                            Param.integer("P", 1, 0, 1_000_000, "how often a batch job may be paused for trials"),
                            Param.choice(
                                    "grace",
                                    "pause",
                                    List.of("pause", "limit"),
                                    "what counts as a victim's grace period: what its pause takes, or its limit")),
                    s -> new FitScore(s.number("s"), s.integer("P"), grace(s))),
            entry(
                    "lrtp",
                    "trial jobs start at once; the batch jobs with most time to run leave for them",
                    "the baseline LRTP of FitGpp (OpML 2019), after Big-C (ATC 2017)",
                    List.of(Trait.PREEMPTIVE, Trait.NEEDS_ESTIMATES, Trait.CONSOLIDATES),
                    List.of(),
                    s -> new LongestRemaining()),
            entry(
                    "rand",
                    "trial jobs start at once; any batch jobs leave for them",
                    "the baseline RAND of FitGpp (OpML 2019)",
                    List.of(Trait.PREEMPTIVE, Trait.CONSOLIDATES),
                    List.of(),
                    s -> new RandomVictims()));

    private FitGppEntries() {}

    private static PolicyInfo entry(
            String name,
            String summary,
            String source,
            List<Trait> traits,
            List<Param> own,
            Function<Settings, VictimChoice> choice) {
        return Parts.composed(
                name,
                summary,
                source,
                traits,
                "first-node",
                own,
                s -> new TrialFirst(Parts.placement(s), choice.apply(s)));
    }

    private static FitScore.Grace grace(Settings settings) {
        return settings.choice("grace").equals("limit") ? FitScore.Grace.LIMIT : FitScore.Grace.PAUSE;
    }
}
