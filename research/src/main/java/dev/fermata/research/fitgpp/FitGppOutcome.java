package dev.fermata.research.fitgpp;

import dev.fermata.core.measure.Distribution;
import dev.fermata.core.measure.MetricsSummary;
import dev.fermata.sim.experiment.RunResult;

/**
 * The result of one run.
 *
 * @param sinceRequest minutes from the preemption request to the next start
 * @param sinceRelease minutes from the end of the attempt to the next start
 * @param preemptedShare of the batch jobs, those that were preempted at least once
 */
record FitGppOutcome(
        Distribution trial,
        Distribution batch,
        Distribution sinceRequest,
        Distribution sinceRelease,
        double preemptedShare,
        double preemptions) {

    static FitGppOutcome of(RunResult run, ReschedulingDelays observed) {
        MetricsSummary summary = run.summary();
        return new FitGppOutcome(
                summary.trial().slowdown(),
                summary.batch().slowdown(),
                observed.sinceRequest(),
                observed.sinceRelease(),
                (double) summary.preemptedJobs() / Math.max(1, summary.batch().jobs()),
                summary.preemptions());
    }

    double trialTail() {
        return trial.p95();
    }

    double batchMedian() {
        return batch.median();
    }

    double batchTail() {
        return batch.p95();
    }
}
