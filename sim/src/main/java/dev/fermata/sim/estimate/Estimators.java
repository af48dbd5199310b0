package dev.fermata.sim.estimate;

import dev.fermata.core.contract.Estimator;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.estimate.HistoryEstimator;
import dev.fermata.core.policy.PlainNumber;
import dev.fermata.sim.engine.SimulatedEngine;
import dev.fermata.sim.workload.Rng;

/** What a simulated policy may know about remaining work, by name. */
public final class Estimators {
    private static final long HOUR_MILLIS = 3_600_000;
    /** Keeps the random streams of noise apart from those of workloads and faults. */
    private static final long NOISE_STREAM = 1L << 40;

    /** Makes an estimator for one run. */
    public interface EstimatorFactory {
        Estimator create(SimulatedEngine engine, long seed);
    }

    private Estimators() {}

    /**
     * {@code oracle}, {@code noisy:SIGMA}, {@code declared}, {@code history},
     * {@code progress[:share=S,error=E,after=SECONDS]} or {@code none}.
     */
    public static EstimatorFactory parse(String text) {
        if (text.equals("oracle")) {
            return (engine, seed) -> (job, now) -> engine.remainingMillis(job.id(), now);
        }
        if (text.startsWith("noisy:")) {
            double sigma = sigma(text.substring("noisy:".length()));
            return (engine, seed) -> (job, now) -> noisy(engine, job, now, seed, sigma);
        }
        if (text.equals("declared")) {
            return (engine, seed) -> new DeclaredEstimator(true);
        }
        if (text.equals("none")) {
            return (engine, seed) -> new DeclaredEstimator(false);
        }
        if (text.equals("history")) {
            return (engine, seed) -> new HistoryEstimator();
        }
        if (text.equals("progress") || text.startsWith("progress:")) {
            ProgressEstimator.Settings settings = ProgressEstimator.Settings.parse(text);
            return (engine, seed) -> new ProgressEstimator(engine, seed, settings);
        }
        throw new IllegalArgumentException("unknown estimator '" + text
                + "'. Known: oracle, noisy:SIGMA (such as noisy:0.5), declared, history,"
                + " progress[:share=S,error=E,after=SECONDS], none.");
    }

    /** Knows of a job what was declared at its submission, if anything. */
    private record DeclaredEstimator(boolean reads) implements Estimator {
        @Override
        public long remainingMillis(JobView job, long nowMillis) {
            return remainingOf(job, nowMillis, reads ? job.job().declaredMillis() : 0);
        }

        @Override
        public boolean knows(JobView job) {
            return reads && job.job().declaredMillis() > 0;
        }
    }

    private static double sigma(String text) {
        try {
            double sigma = PlainNumber.parse(text);
            if (sigma >= 0 && sigma <= 10) {
                return sigma;
            }
        } catch (NumberFormatException e) {
            // said below
        }
        throw new IllegalArgumentException("sigma (" + text + ") of estimator noisy must be a number from 0 to 10");
    }

    /** The true value times a log-normal factor that belongs to the job. */
    private static long noisy(SimulatedEngine engine, JobView job, long now, long seed, double sigma) {
        double factor = Rng.stream(seed, NOISE_STREAM + job.id()).logNormal(1, sigma);
        return remainingOf(job, now, Math.max(1, Math.round(engine.durationMillis(job.id()) * factor)));
    }

    /**
     * Remaining work of a job whose total estimate is {@code totalMillis} (0: unknown). A job that has outrun its
     * estimate is expected to need half of what it has done again; of an unknown job only its age is known.
     */
    private static long remainingOf(JobView job, long now, long totalMillis) {
        long done = job.doneWorkMillis(now);
        if (totalMillis > done) {
            return totalMillis - done;
        }
        return totalMillis == 0 ? Math.max(HOUR_MILLIS, done) : Math.max(1, done / 2);
    }
}
