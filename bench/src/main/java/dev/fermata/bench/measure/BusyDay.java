package dev.fermata.bench.measure;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fermata.live.spec.JobFileParser;
import dev.fermata.live.spec.JobSpec;
import dev.fermata.sim.workload.Rng;

/** Programs that are submitted again and again with varying run times, some with wrong declared times, and short trials. */
final class BusyDay implements SubmittedJobs {
    private static final int PROFILES = 12;
    private static final double SPREAD = 0.5;

    private final Rng random;

    BusyDay(Rng random) {
        this.random = random;
    }

    @Override
    public Submitted next() {
        int variant = random.uniformInt(PROFILES);
        boolean trial = variant < 3;
        int size = trial ? 1 : 1 << random.weightedIndex(0.5, 0.25, 0.25);
        double median = trial ? 120_000 : 300_000.0 * (1 + variant);
        long duration = Math.max(1, Math.round(random.logNormal(median, SPREAD)));
        return new Submitted("", spec(variant, trial, size, duration), duration);
    }

    @Override
    public double meanWork() {
        double mean = 0;
        for (int variant = 0; variant < PROFILES; variant++) {
            mean += (variant < 3 ? 120_000 : 300_000.0 * (1 + variant) * (0.5 + 0.5 + 1)) / PROFILES;
        }
        return mean * StrictMath.exp(SPREAD * SPREAD / 2);
    }

    private JobSpec spec(int variant, boolean trial, int size, long duration) {
        ObjectNode job = HistoryGenerator.job((trial ? "probe-" : "train-") + (char) ('a' + variant), size, "true");
        job.put("class", trial ? "trial" : "batch");
        if (random.uniform() < 0.3) {
            job.put("time", Math.max(1, Math.round(duration * random.logNormal(1.5, 0.4) / 1000)) + "s");
        }
        return JobFileParser.parse(job).get(0);
    }
}
