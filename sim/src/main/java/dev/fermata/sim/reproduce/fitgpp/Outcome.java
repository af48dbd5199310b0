package dev.fermata.sim.reproduce.fitgpp;

import dev.fermata.core.measure.Spread;
import dev.fermata.core.measure.Summary;
import dev.fermata.sim.experiment.RunResult;

/**
 * What one run came to.
 *
 * @param sinceAsked minutes from being asked to leave to the next start
 * @param sinceLeft minutes from having left to the next start
 * @param pausedShare of the batch jobs, those that were paused at least once
 */
record Outcome(
        Spread trial, Spread batch, Spread sinceAsked, Spread sinceLeft, double pausedShare, double preemptions) {

    static Outcome of(RunResult run, Rescheduling heard) {
        Summary summary = run.summary();
        return new Outcome(
                summary.trial().slowdown(),
                summary.batch().slowdown(),
                heard.sinceAsked(),
                heard.sinceLeft(),
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
