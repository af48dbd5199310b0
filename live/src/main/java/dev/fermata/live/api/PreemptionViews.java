package dev.fermata.live.api;

import dev.fermata.core.measure.Declined;
import dev.fermata.core.measure.Preemption;
import dev.fermata.live.api.view.PreemptionTotals;
import dev.fermata.live.api.view.PreemptionView;
import dev.fermata.live.learn.Measured;
import dev.fermata.live.ledger.Entry;
import dev.fermata.live.ledger.Entry.Outcome;
import dev.fermata.live.ledger.Totals;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Entries of the preemption ledger as documents. */
final class PreemptionViews {
    private PreemptionViews() {}

    /** @param knows whether everything about the jobs of this user may be shown */
    static PreemptionView of(Entry entry, Predicate<String> knows) {
        Preemption p = entry.preemption();
        return p == null ? declined(entry, Objects.requireNonNull(entry.declined()), knows) : decided(entry, p, knows);
    }

    private static PreemptionView decided(Entry entry, Preemption p, Predicate<String> knows) {
        List<PreemptionView.Victim> victims = new ArrayList<>();
        for (int i = 0; i < p.victims().size(); i++) {
            victims.add(victim(
                    entry.victims().get(i), p.victims().get(i), entry.reloads().get(i), knows));
        }
        return new PreemptionView(
                entry.number(),
                Views.time(entry.atMillis()),
                entry.outcome(),
                entry.policy(),
                party(entry.beneficiary(), knows),
                victims.size(),
                victims,
                p.weighed() ? Views.seconds(p.expectedGainMillis()) : null,
                p.weighed() ? Views.seconds(p.expectedCostMillis()) : null,
                timeOrNull(p.startedMillis()),
                p.startedMillis() < 0 ? null : Views.seconds(p.startedMillis() - p.atMillis()),
                secondsOrNull(p.loadMillis()),
                Views.seconds(p.costMillis()),
                p.settled() && !p.move() ? Views.seconds(p.gainMillis()) : null,
                Views.seconds(p.gpuMillis()));
    }

    private static PreemptionView declined(Entry entry, Declined d, Predicate<String> knows) {
        return new PreemptionView(
                entry.number(),
                Views.time(entry.atMillis()),
                entry.outcome(),
                entry.policy(),
                party(entry.beneficiary(), knows),
                d.victims(),
                List.of(),
                Views.seconds(d.expectedGainMillis()),
                Views.seconds(d.expectedCostMillis()),
                timeOrNull(d.startedMillis()),
                secondsOrNull(d.waitedMillis()),
                null,
                null,
                null,
                0);
    }

    private static PreemptionView.Victim victim(
            Entry.Party party, Preemption.Victim v, Measured reload, Predicate<String> knows) {
        return new PreemptionView.Victim(
                party.job(),
                knows.test(party.user()) ? party.name() : "",
                party.user(),
                party.queue(),
                party.gpus(),
                timeOrNull(v.leftMillis()),
                secondsOrNull(v.pauseMillis()),
                secondsOrNull(v.lostMillis()),
                secondsOrNull(v.reloadMillis()),
                reload.startMillis() < 0 ? null : reload(reload),
                secondsOrNull(v.awayMillis()),
                secondsOrNull(v.remainingMillis()),
                Views.seconds(v.gpuMillis()));
    }

    private static PreemptionView.Reload reload(Measured shown) {
        return new PreemptionView.Reload(
                secondsOrNull(shown.startMillis()),
                secondsOrNull(shown.buildMillis()),
                secondsOrNull(shown.restoreMillis()),
                secondsOrNull(shown.warmupMillis()));
    }

    private static PreemptionView.Party party(Entry.Party party, Predicate<String> knows) {
        return new PreemptionView.Party(
                party.job(), knows.test(party.user()) ? party.name() : "", party.user(), party.queue(), party.gpus());
    }

    static PreemptionTotals totals(Totals t) {
        return new PreemptionTotals(
                t.key(),
                t.preemptions(),
                t.pauses(),
                t.count(Outcome.PAID),
                t.count(Outcome.NOT_PAID),
                t.count(Outcome.OPEN),
                t.count(Outcome.MOVED),
                t.count(Outcome.DECLINED),
                Views.seconds(t.expectedGainMillis()),
                Views.seconds(t.expectedCostMillis()),
                Views.seconds(t.gainMillis()),
                Views.seconds(t.costMillis()),
                Views.seconds(t.gpuMillis()),
                Views.seconds(t.pauseGpuMillis()),
                Views.seconds(t.reloadGpuMillis()),
                Views.seconds(t.lostGpuMillis()));
    }

    private static @Nullable Double secondsOrNull(long millis) {
        return millis < 0 ? null : Views.seconds(millis);
    }

    private static @Nullable Instant timeOrNull(long millis) {
        return millis < 0 ? null : Views.time(millis);
    }
}
