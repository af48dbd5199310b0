package dev.fermata.core.policy;

import dev.fermata.core.policy.order.LeaseOrder;
import dev.fermata.core.policy.place.Delay;
import dev.fermata.core.policy.whole.LeaseEngine;
import java.util.List;

/** Dally. */
final class DallyEntries {
    /** Timers beyond this many leases mean never. */
    private static final int MOST_LEASES = 100_000;

    static final List<PolicyInfo> ALL = List.of(new PolicyInfo(
            "dally",
            "waits for one machine, then one rack, then takes anything; the timers tune themselves; "
                    + "the most network-hurt job goes first, leases in between",
            "Dally (Sharma et al. 2024)",
            List.of(Trait.PREEMPTIVE, Trait.LEARNS, Trait.MIGRATES, Trait.CONSOLIDATES),
            List.of(
                    Parts.lease("1h"),
                    Param.integer(
                            "rack", Delay.AUTO, Delay.AUTO, MOST_LEASES, "leases to wait for one machine; -1 tunes it"),
                    Param.integer(
                            "net", Delay.AUTO, Delay.AUTO, MOST_LEASES, "leases to wait for one rack; -1 tunes it"),
                    Param.integer("history", 48, 1, MOST_LEASES, "leases the tuner looks back"),
                    Param.number(
                            "slack", 0, 0, 1, "a tier that costs less than this share of the pace is taken at once"),
                    Parts.anew(),
                    Parts.guard()),
            s -> new LeaseEngine(
                    s.millis("lease"), LeaseOrder.By.NETWORK_SENSITIVITY, new Delay(timers(s)), s.flag(Parts.ANEW))));

    private DallyEntries() {}

    private static Delay.Timers timers(Settings s) {
        int rack = s.integer("rack");
        int net = s.integer("net");
        if (rack >= 0 && net >= 0 && net < rack) {
            throw new IllegalArgumentException(
                    "parameter net (" + net + ") of policy dally must not be less than rack (" + rack + ")");
        }
        return new Delay.Timers(s.millis("lease"), rack, net, s.integer("history"), s.number("slack"));
    }
}
