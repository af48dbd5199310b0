package dev.fermata.sim.estimate;

import dev.fermata.core.contract.Estimator;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.RuntimeEstimate;
import dev.fermata.core.estimate.HistoryEstimator;
import dev.fermata.core.estimate.StepCountEstimate;
import dev.fermata.core.model.Speed;
import dev.fermata.core.policy.PlainNumber;
import dev.fermata.sim.engine.SimulatedEngine;
import dev.fermata.sim.workload.Rng;

/**
 * Jobs whose scripts print their progress: after a job has run for a while its remaining work is known, with an error of its
 * own. Before that, and for jobs that print nothing, it answers like {@link HistoryEstimator}. It never knows in advance
 * which jobs report.
 */
final class ProgressEstimator implements Estimator {
    /** Keeps the random streams of progress apart from those of workloads, faults and noise. */
    private static final long STREAM = 1L << 41;

    /**
     * @param share the share of the jobs that report their progress
     * @param error the sigma of the log-normal factor by which the reported rest is wrong
     * @param afterMillis how long a job has run when it is known
     */
    record Settings(double share, double error, long afterMillis) {
        private static final String USAGE = "progress takes share (0 to 1), error (0 to 10) and after (seconds, 1 to"
                + " 86400), such as progress:share=0.7,error=0.2,after=60";

        static Settings parse(String text) {
            double share = 1;
            double error = 0;
            double after = 60;
            String list = text.length() > "progress:".length() ? text.substring("progress:".length()) : "";
            for (String part : list.isEmpty() ? new String[0] : list.split(",", -1)) {
                int equals = part.indexOf('=');
                double value = equals < 0 ? Double.NaN : number(part.substring(equals + 1), text);
                switch (equals < 0 ? part : part.substring(0, equals)) {
                    case "share" -> share = value;
                    case "error" -> error = value;
                    case "after" -> after = value;
                    default -> throw invalid(text);
                }
            }
            if (!(share >= 0 && share <= 1 && error >= 0 && error <= 10 && after >= 1 && after <= 86_400)) {
                throw invalid(text);
            }
            return new Settings(share, error, Math.round(after * 1000));
        }

        private static double number(String value, String text) {
            try {
                return PlainNumber.parse(value);
            } catch (NumberFormatException e) {
                throw invalid(text);
            }
        }

        private static IllegalArgumentException invalid(String text) {
            return new IllegalArgumentException("estimator (" + text + ") is not understood: " + USAGE);
        }
    }

    private final SimulatedEngine engine;
    private final long seed;
    private final Settings settings;
    private final HistoryEstimator history = new HistoryEstimator();

    ProgressEstimator(SimulatedEngine engine, long seed, Settings settings) {
        this.engine = engine;
        this.seed = seed;
        this.settings = settings;
    }

    @Override
    public long remainingMillis(JobView job, long nowMillis) {
        return isKnown(job, nowMillis) ? reportedMillis(job, nowMillis) : history.remainingMillis(job, nowMillis);
    }

    @Override
    public RuntimeEstimate runtimeEstimate(JobView job, long nowMillis) {
        if (isKnown(job, nowMillis)) {
            return new StepCountEstimate(job.doneWorkMillis(nowMillis), reportedMillis(job, nowMillis));
        }
        RuntimeEstimate learned = history.runtimeEstimate(job, nowMillis);
        long ran = job.attainedMillis(nowMillis);
        if (ran >= settings.afterMillis) {
            return learned; // it prints nothing
        }
        double speed = job.state() == JobState.RUNNING ? (double) job.speedMicro() / Speed.UNIT : 1;
        double left = (settings.afterMillis - ran) * speed;
        return new ProbedEstimate(learned, job.doneWorkMillis(nowMillis) + (long) Math.ceil(left));
    }

    /** What was learned of a job whose progress will soon be known. */
    private record ProbedEstimate(RuntimeEstimate learned, long knownAfterWorkMillis) implements RuntimeEstimate {
        @Override
        public long workPerCompletionMillis() {
            return learned.workPerCompletionMillis();
        }

        @Override
        public long meanTotalMillis() {
            return learned.meanTotalMillis();
        }

        @Override
        public long validUntilWorkMillis() {
            return Math.min(learned.validUntilWorkMillis(), knownAfterWorkMillis);
        }

        @Override
        public Quantum bestQuantum(double completionValueMillis) {
            return learned.bestQuantum(completionValueMillis);
        }

        @Override
        public RuntimeEstimate afterWork(long workMillis) {
            return learned.afterWork(workMillis);
        }

        @Override
        public long totalQuantileMillis(long doneMillis, double probability) {
            return learned.totalQuantileMillis(doneMillis, probability);
        }
    }

    private boolean isKnown(JobView job, long nowMillis) {
        return job.attainedMillis(nowMillis) >= settings.afterMillis
                && stream(job).uniform() < settings.share;
    }

    private long reportedMillis(JobView job, long nowMillis) {
        long left = engine.remainingMillis(job.id(), nowMillis);
        if (settings.error == 0) {
            return left;
        }
        Rng stream = stream(job);
        stream.uniform();
        return Math.max(1, Math.round(left * stream.logNormal(1, settings.error)));
    }

    private Rng stream(JobView job) {
        return Rng.stream(seed, STREAM + job.id());
    }

    @Override
    public void observe(JobView job, long nowMillis) {
        history.observe(job, nowMillis);
    }

    @Override
    public long version(long nowMillis) {
        return history.version(nowMillis);
    }

    @Override
    public long nextChangeMillis(long nowMillis) {
        return Plan.NEVER;
    }
}
