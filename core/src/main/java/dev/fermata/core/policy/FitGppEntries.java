package dev.fermata.core.policy;

import dev.fermata.core.policy.place.ResumingPlacement;
import dev.fermata.core.policy.preempt.SuspendingPolicy;
import dev.fermata.core.policy.ranking.PreemptWays;
import dev.fermata.core.policy.whole.FitScore;
import dev.fermata.core.policy.whole.LongestRemaining;
import dev.fermata.core.policy.whole.RandomVictims;
import dev.fermata.core.policy.whole.TrialFirst;
import dev.fermata.core.policy.whole.VictimChoice;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/** FitGpp and the other ways to choose a victim for a trial job. */
final class FitGppEntries {
    static final List<PolicyInfo> ALL = List.of(
            entry(
                    "fitgpp",
                    "trial jobs start at once; small batch jobs that pause quickly leave for them",
                    "FitGpp: Yabuuchi, Taniwaki, Omura (OpML 2019)",
                    List.of(PolicyTrait.PREEMPTIVE, PolicyTrait.CONSOLIDATES),
                    List.of(
                            Param.number("s", 4, 0, 1e6, "weight of the grace period against the size of a victim"),
                            Param.integer("P", 1, 0, 1_000_000, "how often a batch job may be paused for trials"),
                            Param.choice(
                                    "grace",
                                    "pause",
                                    List.of("pause", "limit"),
                                    "what counts as a victim's grace period: what its pause takes, or its limit")),
                    s -> new FitScore(
                            s.number("s"), s.integer("P"), grace(s), PreemptWays.of(s.flag(PolicyParts.SUSPEND)))),
            entry(
                    "lrtp",
                    "trial jobs start at once; the batch jobs with most time to run leave for them",
                    "the baseline LRTP of FitGpp (OpML 2019), after Big-C (ATC 2017)",
                    List.of(PolicyTrait.PREEMPTIVE, PolicyTrait.NEEDS_ESTIMATES, PolicyTrait.CONSOLIDATES),
                    List.of(),
                    s -> new LongestRemaining()),
            entry(
                    "rand",
                    "trial jobs start at once; any batch jobs leave for them",
                    "the baseline RAND of FitGpp (OpML 2019)",
                    List.of(PolicyTrait.PREEMPTIVE, PolicyTrait.CONSOLIDATES),
                    List.of(),
                    s -> new RandomVictims()));

    private FitGppEntries() {}

    private static PolicyInfo entry(
            String name,
            String summary,
            String source,
            List<PolicyTrait> traits,
            List<Param> own,
            Function<PolicySettings, VictimChoice> choice) {
        List<Param> params = new ArrayList<>(own);
        params.add(PolicyParts.suspend(false));
        return PolicyParts.composed(
                name,
                summary,
                source,
                traits,
                "first-node",
                params,
                s -> Set.of(PolicyTrait.TRIALS_FIRST),
                s -> SuspendingPolicy.of(
                        new TrialFirst(
                                ResumingPlacement.of(PolicyParts.placement(s), s.flag(PolicyParts.SUSPEND)),
                                choice.apply(s)),
                        s.flag(PolicyParts.SUSPEND)));
    }

    private static FitScore.Grace grace(PolicySettings settings) {
        return settings.choice("grace").equals("limit") ? FitScore.Grace.DECLARED_LIMIT : FitScore.Grace.PREEMPT_TIME;
    }
}
