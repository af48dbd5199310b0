package dev.fermata.app.bench;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fermata.app.foresee.SimulatedForesight;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.Topology;
import dev.fermata.live.foresee.StartCalibration;
import dev.fermata.live.spec.JobFile;
import dev.fermata.live.spec.JobSpec;
import dev.fermata.sim.workload.Rng;
import java.util.function.BooleanSupplier;

/**
 * How right expected starts are on busy days with people like those one knows: kinds of jobs that come again and again with run times
 * that differ, short trials, users who say how long it takes and are wrong. Every job that has to wait is foreseen when it
 * comes; who comes later is unknown then, but who came of late is not.
 */
public final class StartAccuracy {
    /** Pauses take ten seconds; loading is a part of the run, as it is of processes that do not tell them apart. */
    private static final Costs COSTS = new Costs(10_000, 0, 0, 0);

    private static final int KINDS = 12;
    private static final double SPREAD = 0.5;
    /** Those who come first teach how long jobs run; what is expected of them is not counted. */
    private static final double TAUGHT = 0.35;

    private final PlayedDaemon daemon;
    private final Rng random;
    private final double load;
    private final int gpus;

    private StartAccuracy(PlayedDaemon daemon, int gpus, double load, long seed) {
        this.daemon = daemon;
        this.gpus = gpus;
        this.load = load;
        this.random = Rng.stream(seed, 5);
    }

    /**
     * @param load work that comes, as a share of what the cluster can do
     * @param arrivals whether the forecasts expect others to come
     */
    public static StartCalibration.Verdict measure(
            Topology topology,
            String policy,
            int jobs,
            double load,
            boolean arrivals,
            long seed,
            BooleanSupplier stop) {
        try (ScratchFolder folder = new ScratchFolder("fermata-starts");
                PlayedDaemon daemon =
                        new PlayedDaemon(folder.path, topology, policy, COSTS, new SimulatedForesight(arrivals))) {
            return new StartAccuracy(daemon, topology.gpuCount(), load, seed).live(jobs, stop);
        }
    }

    private StartCalibration.Verdict live(int jobs, BooleanSupplier stop) {
        long counted = 0;
        double at = 0;
        for (int i = 0; i < jobs && !stop.getAsBoolean(); i++) {
            int kind = random.below(KINDS);
            boolean trial = kind < 3;
            int size = trial ? 1 : 1 << random.pick(0.5, 0.25, 0.25);
            double median = trial ? 120_000 : 300_000.0 * (1 + kind);
            long duration = Math.max(1, Math.round(random.logNormal(median, SPREAD)));
            daemon.until(Math.round(at));
            counted = i < TAUGHT * jobs ? daemon.nowMillis() : counted;
            long waitingBefore = daemon.desk().pulse().pendingJobs();
            long id = daemon.submit(spec(kind, trial, size, duration), duration);
            if (daemon.desk().pulse().pendingJobs() > waitingBefore) {
                daemon.foresee(id);
            }
            at += random.exponential(meanWork() / (gpus * load));
        }
        while (daemon.nextMillis() != Plan.NEVER && !stop.getAsBoolean()) {
            daemon.until(daemon.nextMillis());
        }
        return new StartCalibration().hear(daemon.store().reader(), counted + 1).verdict(daemon.nowMillis());
    }

    /** GPU-milliseconds of the mean job. */
    private static double meanWork() {
        double mean = 0;
        for (int kind = 0; kind < KINDS; kind++) {
            mean += (kind < 3 ? 120_000 : 300_000.0 * (1 + kind) * (0.5 + 0.5 + 1)) / KINDS;
        }
        return mean * StrictMath.exp(SPREAD * SPREAD / 2);
    }

    private JobSpec spec(int kind, boolean trial, int size, long duration) {
        ObjectNode job = LivedHistory.job((trial ? "probe-" : "train-") + (char) ('a' + kind), size, "true");
        job.put("class", trial ? "trial" : "batch");
        if (random.uniform() < 0.3) {
            job.put("time", Math.max(1, Math.round(duration * random.logNormal(1.5, 0.4) / 1000)) + "s");
        }
        return JobFile.read(job).get(0);
    }
}
