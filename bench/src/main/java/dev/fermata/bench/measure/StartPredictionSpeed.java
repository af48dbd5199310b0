package dev.fermata.bench.measure;

import dev.fermata.bench.virtual.VirtualTimeDaemon;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.Topology;
import dev.fermata.live.prediction.StartPrediction;
import dev.fermata.live.spec.JobFileParser;
import dev.fermata.live.spec.JobSpec;
import dev.fermata.sim.workload.Rng;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/**
 * Measures how long it takes to predict the starts of all pending jobs on a full cluster. Before, enough jobs have
 * ended to learn run times from. The share of the scheduler loop is timed separately, in CPU time.
 */
public final class StartPredictionSpeed {
    private static final Costs COSTS = new Costs(20_000, 60_000, 20_000, 0);
    private static final int WARM_UP_JOBS = 300;
    private static final int PROFILES = 20;
    /** Requests in which the JIT compiler still warms up; timed separately. */
    private static final int COLD_ROUNDS = 10;

    private final VirtualTimeDaemon daemon;
    private final int pending;
    private final boolean gangs;
    private final Rng random;

    /** What was measured. */
    public record PredictionTiming(
            int pending,
            int running,
            int scenarios,
            LatencySample whole,
            LatencySample onDecisionThread,
            double firstMillis,
            double coldMillis,
            double cpuMillis) {}

    private StartPredictionSpeed(VirtualTimeDaemon daemon, int pending, boolean gangs, long seed) {
        this.daemon = daemon;
        this.pending = pending;
        this.gangs = gangs;
        this.random = Rng.stream(seed, 3);
    }

    /** @param gangs jobs of 1 to 8 GPUs instead of 1 each */
    public static PredictionTiming measure(
            Topology topology, String policy, int pending, boolean gangs, int rounds, long seed, BooleanSupplier stop) {
        try (ScratchFolder folder = new ScratchFolder("fermata-eta");
                VirtualTimeDaemon daemon = new VirtualTimeDaemon(folder.path, topology, policy, COSTS)) {
            return new StartPredictionSpeed(daemon, pending, gangs, seed).measure(rounds, stop);
        }
    }

    private PredictionTiming measure(int rounds, BooleanSupplier stop) {
        for (int i = 0; i < WARM_UP_JOBS; i++) {
            submit(0.1);
        }
        daemon.advanceTo(daemon.nowMillis() + 14 * 86_400_000L);
        while (daemon.service().health().pendingJobs() < pending && !stop.getAsBoolean()) {
            submit(1);
        }
        daemon.advanceTo(daemon.nowMillis() + 120_000);
        while (daemon.service().health().pendingJobs() < pending && !stop.getAsBoolean()) {
            submit(1);
        }
        LatencySample whole = new LatencySample();
        LatencySample snapshotTimes = new LatencySample();
        double first = 0;
        double cold = 0;
        long cpuBegin = 0;
        int scenarios = 0;
        for (int round = 0; round < COLD_ROUNDS + rounds && !stop.getAsBoolean(); round++) {
            daemon.advanceTo(daemon.nowMillis() + 1000);
            long id = submit(1);
            long begin = System.nanoTime();
            long used = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
            CompletableFuture<Map<Long, StartPrediction>> requested =
                    daemon.service().predictedStarts(Set.of(id));
            daemon.runCycle();
            long snapshotEnd = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
            Map<Long, StartPrediction> seen = requested.join();
            long end = System.nanoTime();
            daemon.runCycle(); // keeps what was seen
            scenarios = seen.values().iterator().next().scenarios();
            if (round < COLD_ROUNDS) {
                first = round == 0 ? (end - begin) / 1e6 : first;
                cold = Math.max(cold, (end - begin) / 1e6);
                cpuBegin = cpuNanos();
            } else {
                whole.add(end - begin);
                snapshotTimes.add(snapshotEnd - used);
            }
        }
        int running = daemon.service().health().runningJobs();
        return new PredictionTiming(
                daemon.service().health().pendingJobs(),
                running,
                scenarios,
                whole,
                snapshotTimes,
                first,
                cold,
                (cpuNanos() - cpuBegin) / 1e6 / Math.max(1, whole.count()));
    }

    /** What the threads that look ahead have used so far: on a busy machine the clock says more than that. */
    private static long cpuNanos() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long nanos = 0;
        for (ThreadInfo info : threads.getThreadInfo(threads.getAllThreadIds())) {
            if (info != null && info.getThreadName().matches("fermata-prediction|ForkJoinPool.commonPool-.*")) {
                nanos += Math.max(0, threads.getThreadCpuTime(info.getThreadId()));
            }
        }
        return nanos;
    }

    private long submit(double scale) {
        int variant = random.uniformInt(PROFILES);
        int gpus = gangs ? 1 << random.weightedIndex(0.5, 0.2, 0.2, 0.1) : 1;
        JobSpec spec = JobFileParser.parse(HistoryGenerator.job("train-" + variant, gpus, "true"))
                .get(0);
        double median = 600_000.0 * (1 + variant) * scale;
        return daemon.submit(spec, Math.max(1, Math.round(random.logNormal(median, 0.6))));
    }
}
