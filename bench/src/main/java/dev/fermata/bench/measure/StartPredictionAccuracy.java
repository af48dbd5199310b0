package dev.fermata.bench.measure;

import dev.fermata.bench.virtual.VirtualTimeDaemon;
import dev.fermata.cli.prediction.SimulatedStartPredictor;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.Topology;
import dev.fermata.live.prediction.PredictionEvaluator;
import dev.fermata.sim.workload.Rng;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * Measures the accuracy of predicted starts, and of estimated run times where programs come with other arguments each time. The start of every job that waits is predicted at
 * its submission; later submissions are unknown then, recent ones are known.
 */
public final class StartPredictionAccuracy {
    /** A pause takes ten seconds; loading is part of the run, as with processes that do not report it. */
    private static final Costs COSTS = new Costs(10_000, 0, 0, 0);

    /** The first jobs warm up the estimator; their predictions are not counted. */
    private static final double WARM_UP_SHARE = 0.35;

    /** From the fifth job of a program on its run times are judged. */
    private static final int UNJUDGED = 4;

    private final VirtualTimeDaemon daemon;
    private final Rng random;
    private final SubmittedJobs submitted;
    private final double load;
    private final int gpus;

    /**
     * What was measured.
     *
     * @param runtimeErrors share by which the run time of each judged job was estimated wrongly at its submission
     */
    public record Accuracy(PredictionEvaluator.PredictionEvaluation starts, List<Double> runtimeErrors) {}

    /** Which jobs are submitted. */
    public enum Workload {
        BUSY_DAY,
        SWEEP
    }

    private StartPredictionAccuracy(VirtualTimeDaemon daemon, Workload workload, int gpus, double load, long seed) {
        this.daemon = daemon;
        this.gpus = gpus;
        this.load = load;
        this.random = Rng.stream(seed, 5);
        this.submitted = workload == Workload.SWEEP ? new ParameterSweep(random) : new BusyDay(random);
    }

    /**
     * @param load work that comes, as a share of what the cluster can do
     * @param arrivals whether the forecasts expect others to come
     */
    public static Accuracy measure(
            Workload workload,
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
            return new StartPredictionAccuracy(daemon, workload, topology.gpuCount(), load, seed).simulate(jobs, stop);
        }
    }

    private Accuracy simulate(int jobs, BooleanSupplier stop) {
        long counted = 0;
        double at = 0;
        double meanWork = submitted.meanWork();
        Map<String, Integer> seen = new HashMap<>();
        Set<Long> judged = new HashSet<>();
        for (int i = 0; i < jobs && !stop.getAsBoolean(); i++) {
            SubmittedJobs.Submitted job = submitted.next();
            daemon.advanceTo(Math.round(at));
            counted = i < WARM_UP_SHARE * jobs ? daemon.nowMillis() : counted;
            long waitingBefore = daemon.service().health().pendingJobs();
            long id = daemon.submit(job.spec(), job.durationMillis());
            if (!job.program().isEmpty() && seen.merge(job.program(), 1, Integer::sum) > UNJUDGED) {
                judged.add(id);
            }
            if (daemon.service().health().pendingJobs() > waitingBefore) {
                daemon.predictStarts(id);
            }
            at += random.exponential(meanWork / (gpus * load));
        }
        while (daemon.nextMillis() != Plan.NEVER && !stop.getAsBoolean()) {
            daemon.advanceTo(daemon.nextMillis());
        }
        return new Accuracy(
                new PredictionEvaluator()
                        .read(daemon.store().reader(), counted + 1)
                        .evaluate(daemon.nowMillis()),
                runtimeErrors(judged));
    }

    private List<Double> runtimeErrors(Set<Long> judged) {
        return daemon.store().reader().settledEstimates(0, Integer.MAX_VALUE).stream()
                .filter(row -> row.moment().equals("submit") && judged.contains(row.jobId()) && row.actualMillis() > 0)
                .map(row -> Math.abs(row.p50Millis() - row.actualMillis()) / (double) row.actualMillis())
                .toList();
    }
}
