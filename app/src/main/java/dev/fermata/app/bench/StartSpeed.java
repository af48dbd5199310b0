package dev.fermata.app.bench;

import dev.fermata.core.model.Costs;
import dev.fermata.core.model.Topology;
import dev.fermata.live.foresee.ExpectedStart;
import dev.fermata.live.spec.JobFile;
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
 * How long it takes to say when everybody who waits will start: on a full cluster with many jobs waiting, after enough jobs have come and
 * gone that run times were learned. The conductor's share of it is timed apart, in CPU time.
 */
public final class StartSpeed {
    private static final Costs COSTS = new Costs(20_000, 60_000, 20_000, 0);
    private static final int TAUGHT = 300;
    private static final int KINDS = 20;
    /** Looks in which the compiler still learns the code; timed apart. */
    private static final int COLD = 10;

    private final PlayedDaemon daemon;
    private final int pending;
    private final boolean gangs;
    private final Rng random;

    /** What was measured. */
    public record Result(
            int pending,
            int running,
            int scenarios,
            Latencies whole,
            Latencies onDecisionThread,
            double firstMillis,
            double coldMillis,
            double cpuMillis) {}

    private StartSpeed(PlayedDaemon daemon, int pending, boolean gangs, long seed) {
        this.daemon = daemon;
        this.pending = pending;
        this.gangs = gangs;
        this.random = Rng.stream(seed, 3);
    }

    /** @param gangs jobs of 1 to 8 GPUs instead of 1 each */
    public static Result measure(
            Topology topology, String policy, int pending, boolean gangs, int rounds, long seed, BooleanSupplier stop) {
        try (ScratchFolder folder = new ScratchFolder("fermata-eta");
                PlayedDaemon daemon = new PlayedDaemon(folder.path, topology, policy, COSTS)) {
            return new StartSpeed(daemon, pending, gangs, seed).measure(rounds, stop);
        }
    }

    private Result measure(int rounds, BooleanSupplier stop) {
        for (int i = 0; i < TAUGHT; i++) {
            submit(0.1);
        }
        daemon.until(daemon.nowMillis() + 14 * 86_400_000L);
        while (daemon.desk().pulse().pendingJobs() < pending && !stop.getAsBoolean()) {
            submit(1);
        }
        daemon.until(daemon.nowMillis() + 120_000);
        while (daemon.desk().pulse().pendingJobs() < pending && !stop.getAsBoolean()) {
            submit(1);
        }
        Latencies whole = new Latencies();
        Latencies drawing = new Latencies();
        double first = 0;
        double cold = 0;
        long cpuBegin = 0;
        int scenarios = 0;
        for (int round = 0; round < COLD + rounds && !stop.getAsBoolean(); round++) {
            daemon.until(daemon.nowMillis() + 1000);
            long id = submit(1);
            long begin = System.nanoTime();
            long used = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
            CompletableFuture<Map<Long, ExpectedStart>> asked = daemon.desk().expectedStarts(Set.of(id));
            daemon.turn();
            long drawn = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
            Map<Long, ExpectedStart> seen = asked.join();
            long end = System.nanoTime();
            daemon.turn(); // keeps what was seen
            scenarios = seen.values().iterator().next().scenarios();
            if (round < COLD) {
                first = round == 0 ? (end - begin) / 1e6 : first;
                cold = Math.max(cold, (end - begin) / 1e6);
                cpuBegin = cpuNanos();
            } else {
                whole.add(end - begin);
                drawing.add(drawn - used);
            }
        }
        int running = daemon.desk().pulse().runningJobs();
        return new Result(
                daemon.desk().pulse().pendingJobs(),
                running,
                scenarios,
                whole,
                drawing,
                first,
                cold,
                (cpuNanos() - cpuBegin) / 1e6 / Math.max(1, whole.count()));
    }

    /** What the threads that look ahead have used so far: on a busy machine the clock says more than that. */
    private static long cpuNanos() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long nanos = 0;
        for (ThreadInfo info : threads.getThreadInfo(threads.getAllThreadIds())) {
            if (info != null && info.getThreadName().matches("fermata-foresight|ForkJoinPool.commonPool-.*")) {
                nanos += Math.max(0, threads.getThreadCpuTime(info.getThreadId()));
            }
        }
        return nanos;
    }

    private long submit(double scale) {
        int kind = random.below(KINDS);
        int gpus = gangs ? 1 << random.pick(0.5, 0.2, 0.2, 0.1) : 1;
        JobSpec spec =
                JobFile.read(LivedHistory.job("train-" + kind, gpus, "true")).get(0);
        double median = 600_000.0 * (1 + kind) * scale;
        return daemon.submit(spec, Math.max(1, Math.round(random.logNormal(median, 0.6))));
    }
}
