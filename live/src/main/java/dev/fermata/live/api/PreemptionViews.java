package dev.fermata.live.api;

import dev.fermata.core.measure.DeclinedPreemption;
import dev.fermata.core.measure.PreemptionResult;
import dev.fermata.live.api.view.PreemptionTotalsView;
import dev.fermata.live.api.view.PreemptionView;
import dev.fermata.live.preemptions.PreemptionLogEntry;
import dev.fermata.live.preemptions.PreemptionLogEntry.DecisionOutcome;
import dev.fermata.live.preemptions.PreemptionSums;
import dev.fermata.live.profile.AttemptMeasurements;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Converts entries of the preemption log to views. */
final class PreemptionViews {
    private PreemptionViews() {}

    /** @param knows whether the caller may see everything about the jobs of this user */
    static PreemptionView of(PreemptionLogEntry entry, Predicate<String> knows) {
        PreemptionResult p = entry.preemption();
        return p == null
                ? declined(entry, Objects.requireNonNull(entry.declined()), knows)
                : preempted(entry, p, knows);
    }

    private static PreemptionView preempted(PreemptionLogEntry entry, PreemptionResult p, Predicate<String> knows) {
        List<PreemptionView.VictimView> victims = new ArrayList<>();
        for (int i = 0; i < p.victims().size(); i++) {
            victims.add(victim(
                    entry.victims().get(i), p.victims().get(i), entry.reloads().get(i), knows));
        }
        return new PreemptionView(
                entry.number(),
                Views.time(entry.atMillis()),
                entry.outcome(),
                entry.policy(),
                jobRef(entry.beneficiary(), knows),
                new PreemptionView.VictimsView(victims.size(), victims),
                new PreemptionView.ExpectedTradeView(
                        p.hasEstimates() ? Views.seconds(p.expectedGainMillis()) : null,
                        p.hasEstimates() ? Views.seconds(p.expectedCostMillis()) : null),
                new PreemptionView.ActualTradeView(
                        timeOrNull(p.startedMillis()),
                        p.startedMillis() < 0 ? null : Views.seconds(p.startedMillis() - p.atMillis()),
                        secondsOrNull(p.loadMillis()),
                        Views.seconds(p.costMillis()),
                        p.settled() && !p.isMove() ? Views.seconds(p.gainMillis()) : null,
                        Views.seconds(p.gpuMillis())));
    }

    private static PreemptionView declined(PreemptionLogEntry entry, DeclinedPreemption d, Predicate<String> knows) {
        return new PreemptionView(
                entry.number(),
                Views.time(entry.atMillis()),
                entry.outcome(),
                entry.policy(),
                jobRef(entry.beneficiary(), knows),
                new PreemptionView.VictimsView(d.victims(), List.of()),
                new PreemptionView.ExpectedTradeView(
                        Views.seconds(d.expectedGainMillis()), Views.seconds(d.expectedCostMillis())),
                new PreemptionView.ActualTradeView(
                        timeOrNull(d.startedMillis()), secondsOrNull(d.waitedMillis()), null, null, null, 0));
    }

    private static PreemptionView.VictimView victim(
            PreemptionLogEntry.InvolvedJob job,
            PreemptionResult.VictimResult v,
            AttemptMeasurements reload,
            Predicate<String> knows) {
        return new PreemptionView.VictimView(
                jobRef(job, knows),
                timeOrNull(v.vacatedMillis()),
                secondsOrNull(v.preemptMillis()),
                secondsOrNull(v.lostMillis()),
                new PreemptionView.ResumptionView(
                        secondsOrNull(v.reloadMillis()),
                        reload.startMillis() < 0 ? null : reload(reload),
                        secondsOrNull(v.awayMillis()),
                        secondsOrNull(v.remainingMillis())),
                Views.seconds(v.gpuMillis()));
    }

    private static PreemptionView.ReloadView reload(AttemptMeasurements shown) {
        return new PreemptionView.ReloadView(
                secondsOrNull(shown.startMillis()),
                secondsOrNull(shown.buildMillis()),
                secondsOrNull(shown.restoreMillis()),
                secondsOrNull(shown.warmupMillis()));
    }

    private static PreemptionView.JobRef jobRef(PreemptionLogEntry.InvolvedJob job, Predicate<String> knows) {
        return new PreemptionView.JobRef(
                job.job(), knows.test(job.user()) ? job.name() : "", job.user(), job.queue(), job.gpus());
    }

    static PreemptionTotalsView totals(PreemptionSums t) {
        return new PreemptionTotalsView(
                t.key(),
                new PreemptionTotalsView.DecisionCounts(
                        t.preemptions(),
                        t.preemptedJobs(),
                        t.count(DecisionOutcome.PAID),
                        t.count(DecisionOutcome.NOT_PAID),
                        t.count(DecisionOutcome.OPEN),
                        t.count(DecisionOutcome.MOVED),
                        t.count(DecisionOutcome.DECLINED)),
                new PreemptionTotalsView.CompletionTimeSums(
                        Views.seconds(t.expectedGainMillis()),
                        Views.seconds(t.expectedCostMillis()),
                        Views.seconds(t.gainMillis()),
                        Views.seconds(t.costMillis())),
                new PreemptionTotalsView.GpuTimeSums(
                        Views.seconds(t.gpuMillis()),
                        Views.seconds(t.preemptGpuMillis()),
                        Views.seconds(t.reloadGpuMillis()),
                        Views.seconds(t.lostGpuMillis())));
    }

    private static @Nullable Double secondsOrNull(long millis) {
        return millis < 0 ? null : Views.seconds(millis);
    }

    private static @Nullable Instant timeOrNull(long millis) {
        return millis < 0 ? null : Views.time(millis);
    }
}
