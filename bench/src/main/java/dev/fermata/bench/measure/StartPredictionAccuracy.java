package dev.fermata.bench.measure;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fermata.bench.virtual.VirtualTimeDaemon;
import dev.fermata.cli.prediction.SimulatedStartPredictor;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.Topology;
import dev.fermata.live.prediction.PredictionEvaluator;
import dev.fermata.live.spec.JobFileParser;
import dev.fermata.live.spec.JobSpec;
import dev.fermata.sim.workload.Rng;
import java.util.function.BooleanSupplier;

/**
 * Measures the accuracy of predicted starts on busy days. Programs are submitted again and again with varying run
 * times; some declare wrong times, and short trials come in between. The start of every job that waits is predicted at
 * its submission; later submissions are unknown then, recent ones are known.
 */
public final class StartPredictionAccuracy {
    /** A pause takes ten seconds; loading is part of the run, as with processes that do not report it. */
    private static final Costs COSTS = new Costs(10_000, 0, 0, 0);

    private static final int PROFILES = 12;
    private static final double SPREAD = 0.5;
    /** The first jobs warm up the estimator; their predictions are not counted. */
    private static final double WARM_UP_SHARE = 0.35;

    private final VirtualTimeDaemon daemon;
    private final Rng random;
    private final double load;
    private final int gpus;

    private StartPredictionAccuracy(VirtualTimeDaemon daemon, int gpus, double load, long seed) {
        this.daemon = daemon;
        this.gpus = gpus;
        this.load = load;
        this.random = Rng.stream(seed, 5);
    }

    /**
     * @param load work that comes, as a share of what the cluster can do
     * @param arrivals whether the forecasts expect others to come
     */
    public static PredictionEvaluator.PredictionEvaluation measure(
            Topology topology,
            String policy,
            int jobs,
            double load,
            boolean arrivals,
            long seed,
            BooleanSupplier stop) {
        try (ScratchFolder folder = new ScratchFolder("fermata-starts");
                VirtualTimeDaemon daemon = new VirtualTimeDaemon(
                        folder.path, topology, policy, COSTS, new SimulatedStartPredictor(arrivals))) {
            return new StartPredictionAccuracy(daemon, topology.gpuCount(), load, seed).simulate(jobs, stop);
        }
    }

    private PredictionEvaluator.PredictionEvaluation simulate(int jobs, BooleanSupplier stop) {
        long counted = 0;
        double at = 0;
        for (int i = 0; i < jobs && !stop.getAsBoolean(); i++) {
            int variant = random.uniformInt(PROFILES);
            boolean trial = variant < 3;
            int size = trial ? 1 : 1 << random.weightedIndex(0.5, 0.25, 0.25);
            double median = trial ? 120_000 : 300_000.0 * (1 + variant);
            long duration = Math.max(1, Math.round(random.logNormal(median, SPREAD)));
            daemon.advanceTo(Math.round(at));
            counted = i < WARM_UP_SHARE * jobs ? daemon.nowMillis() : counted;
            long waitingBefore = daemon.service().health().pendingJobs();
            long id = daemon.submit(spec(variant, trial, size, duration), duration);
            if (daemon.service().health().pendingJobs() > waitingBefore) {
                daemon.predictStarts(id);
            }
            at += random.exponential(meanWork() / (gpus * load));
        }
        while (daemon.nextMillis() != Plan.NEVER && !stop.getAsBoolean()) {
            daemon.advanceTo(daemon.nextMillis());
        }
        return new PredictionEvaluator()
                .read(daemon.store().reader(), counted + 1)
                .evaluate(daemon.nowMillis());
    }

    /** GPU-milliseconds of the mean job. */
    private static double meanWork() {
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
