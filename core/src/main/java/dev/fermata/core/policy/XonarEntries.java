package dev.fermata.core.policy;

import dev.fermata.core.policy.whole.CoRunScore;
import dev.fermata.core.policy.whole.Xonar;
import java.util.List;
import java.util.Set;

/** Xonar. */
final class XonarEntries {
    static final List<PolicyInfo> ALL = List.of(new PolicyInfo(
            "xonar",
            "shares the GPU of a running job with the waiting job whose busy and idle times complement it best, within memory",
            "Xonar (IEEE CLOUD 2022)",
            List.of(),
            List.of(
                    Param.choice(
                            "score",
                            "3",
                            CoRunScore.names(),
                            "how two jobs on one GPU are scored; 5 scores all of them 0"),
                    Param.integer("slots", 2, 1, 16, "jobs that may share one GPU"),
                    Param.integer("max-skip", 20, 0, 1_000_000, "passed over this often, a job goes next"),
                    Param.integer("look", 64, 1, 1_000_000, "jobs considered, from the front of the queue"),
                    PolicyParts.guard()),
            s -> Set.of(PolicyTrait.RESERVES, PolicyTrait.SHARES),
            s -> new Xonar(
                    CoRunScore.byName(s.choice("score")),
                    s.integer("slots"),
                    s.integer("max-skip"),
                    s.integer("look"),
                    s.flag(PolicyParts.GUARD))));

    private XonarEntries() {}
}
