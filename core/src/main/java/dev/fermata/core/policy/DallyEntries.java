package dev.fermata.core.policy;

import dev.fermata.core.policy.order.LeaseOrder;
import dev.fermata.core.policy.place.DelayScheduling;
import dev.fermata.core.policy.whole.LeasePolicy;
import java.util.List;
import java.util.Set;

/** Dally. */
final class DallyEntries {
    /** Timers beyond this many leases mean never. */
    private static final int MAX_LEASES = 100_000;

    static final List<PolicyInfo> ALL = List.of(new PolicyInfo(
            "dally",
            "waits for one machine, then one rack, then takes anything; the timers tune themselves; "
                    + "the most network-hurt job goes first, leases in between",
            "Dally (Sharma et al. 2024)",
            List.of(PolicyTrait.PREEMPTIVE, PolicyTrait.LEARNS, PolicyTrait.MIGRATES, PolicyTrait.CONSOLIDATES),
            List.of(
                    PolicyParts.lease("1h"),
                    Param.integer(
                            "rack",
                            DelayScheduling.AUTO,
                            DelayScheduling.AUTO,
                            MAX_LEASES,
                            "leases to wait for one machine; -1 tunes it"),
                    Param.integer(
                            "net",
                            DelayScheduling.AUTO,
                            DelayScheduling.AUTO,
                            MAX_LEASES,
                            "leases to wait for one rack; -1 tunes it"),
                    Param.integer("history", 48, 1, MAX_LEASES, "leases the tuner looks back"),
                    Param.number(
                            "slack", 0, 0, 1, "a tier that costs less than this share of the speed is taken at once"),
                    PolicyParts.relocate(),
                    PolicyParts.guard()),
            s -> Set.of(PolicyTrait.DECLINES),
            s -> new LeasePolicy(
                    s.millis("lease"),
                    LeaseOrder.Criterion.NETWORK_SENSITIVITY,
                    new DelayScheduling(timers(s)),
                    s.flag(PolicyParts.RELOCATE))));

    private DallyEntries() {}

    private static DelayScheduling.Timers timers(PolicySettings s) {
        int rack = s.integer("rack");
        int net = s.integer("net");
        if (rack >= 0 && net >= 0 && net < rack) {
            throw new IllegalArgumentException(
                    "parameter net (" + net + ") of policy dally must not be less than rack (" + rack + ")");
        }
        return new DelayScheduling.Timers(s.millis("lease"), rack, net, s.integer("history"), s.number("slack"));
    }
}
