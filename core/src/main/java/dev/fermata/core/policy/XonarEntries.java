package dev.fermata.core.policy;

import dev.fermata.core.policy.whole.PairScore;
import dev.fermata.core.policy.whole.Xonar;
import java.util.List;

/** Xonar. */
final class XonarEntries {
    static final List<PolicyInfo> ALL = List.of(new PolicyInfo(
            "xonar",
            "starts beside a running job the one whose busy and idle times complement it best, within memory",
            "Xonar (IEEE CLOUD 2022)",
            List.of(),
            List.of(
                    Param.choice("score", "3", PairScore.names(), "how pairs are judged; 5 is 0 for all of them"),
                    Param.integer("slots", 2, 1, 16, "jobs that may share one GPU"),
                    Param.integer("max-skip", 20, 0, 1_000_000, "passed over this often, a job goes next"),
                    Param.integer("look", 64, 1, 1_000_000, "jobs at the front of the queue that are looked at"),
                    Parts.guard()),
            s -> new Xonar(
                    PairScore.named(s.choice("score")),
                    s.integer("slots"),
                    s.integer("max-skip"),
                    s.integer("look"),
                    s.flag(Parts.GUARD))));

    private XonarEntries() {}
}
