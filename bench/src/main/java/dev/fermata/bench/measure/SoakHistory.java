package dev.fermata.bench.measure;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.live.loop.LoopSettings;
import dev.fermata.live.loop.MonotonicClock;
import dev.fermata.live.loop.SchedulerLoop;
import dev.fermata.live.metrics.DaemonMetrics;
import dev.fermata.live.request.Actor;
import dev.fermata.live.service.DefaultSchedulerService;
import dev.fermata.live.service.SchedulerService;
import dev.fermata.live.spec.JobFileParser;
import dev.fermata.live.spec.JobSpec;
import dev.fermata.live.store.Store;
import dev.fermata.live.store.StoreFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Makes the data folder of a daemon that was busy for months: in virtual time, by the scheduler loop and the store of the daemon.
 * Long jobs hold half of the GPUs. In each round, short jobs take the other half, and as many pause the long ones.
 */
final class SoakHistory {
    /**
     * How much.
     *
     * @param jobs short jobs; half of them preempt a long one
     * @param days over which they are spread, before today
     */
    record SoakSize(int jobs, int days) {}

    /** Of the history. */
    record SoakCounts(long jobs, long preemptions) {}

    private static final int USERS = 40;
    /** After so many rounds other long jobs begin. */
    private static final int ROUNDS_PER_LONG_JOB = 25;
    /** Time within a round in which it is decided. */
    private static final long STEP_MILLIS = 1_000;

    private final SoakSize size;
    private final int gpus;
    private final SoakEngine engine;
    private final SchedulerLoop loop;
    private final SchedulerService service;
    private long now;
    private long preemptions;
    private long submitted;

    private SoakHistory(SoakSize size, int gpus, SoakEngine engine, Store store) {
        this.size = size;
        this.gpus = gpus;
        this.engine = engine;
        this.now = System.currentTimeMillis() - TimeUnit.DAYS.toMillis(size.days);
        // The long jobs have lost their first place in the queue by the next round.
        this.loop = new SchedulerLoop(
                store,
                engine,
                PolicySpec.parse("las"),
                LoopSettings.DEFAULT,
                false,
                new MonotonicClock(() -> now, () -> 0),
                new DaemonMetrics());
        this.service = new DefaultSchedulerService(loop);
    }

    /** Makes it in this empty folder. */
    static SoakCounts make(Path data, SoakSize size, BooleanSupplier stop) {
        int gpus = Math.max(2, Math.min(512, size.jobs / 8) / 2 * 2);
        SoakEngine engine = new SoakEngine(gpus);
        try (Store store = StoreFactory.open("sqlite", data)) {
            SoakHistory soak = new SoakHistory(size, gpus, engine, store);
            try (SchedulerLoop loop = soak.loop) {
                if (!loop.lead()) {
                    throw new IllegalStateException("the store has another owner");
                }
                soak.run(stop);
            }
            return new SoakCounts(soak.submitted, soak.preemptions);
        }
    }

    private void run(BooleanSupplier stop) {
        int rounds = Math.max(1, size.jobs / gpus);
        long between = Math.max(2 * 3_600_000, TimeUnit.DAYS.toMillis(size.days) / (rounds + 1));
        advance(STEP_MILLIS);
        Set<Long> longJobs = Set.of();
        for (int round = 0; round < rounds && !stop.getAsBoolean(); round++) {
            if (round % ROUNDS_PER_LONG_JOB == 0) {
                engine.completeAllBut(Set.of());
                advance(STEP_MILLIS);
                longJobs = new HashSet<>(submit("train-" + round, gpus / 2));
                advance(STEP_MILLIS);
            }
            advance(between - 6 * STEP_MILLIS);
            submit("eval-" + round, gpus);
            // Preempted, started, ended, and the long ones again.
            for (int step = 0; step < 4; step++) {
                advance(STEP_MILLIS);
                if (step == 2) {
                    engine.completeAllBut(longJobs);
                }
            }
        }
        engine.completeAllBut(Set.of());
        advance(STEP_MILLIS);
        preemptions = engine.preempted();
    }

    private List<Long> submit(String name, int count) {
        List<JobSpec> batch = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            batch.addAll(JobFileParser.parse(document(name, i)));
        }
        CompletableFuture<List<Long>> answer =
                service.submit(new Actor("user" + submitted / gpus % USERS, "USER", "bench"), batch, null);
        advance(STEP_MILLIS);
        List<Long> ids = answer.join();
        submitted += ids.size();
        return ids;
    }

    private static ObjectNode document(String name, int i) {
        ObjectNode job = HistoryGenerator.job(
                name, 1, "srun python -u train.py --config configs/" + name + ".yaml --seed " + i + " --epochs 90");
        job.putObject("preempt").put("maxTimes", 1_000_000).put("minRuntime", "0s");
        job.putObject("env").put("OMP_NUM_THREADS", "8").put("DATA", "/data/imagenet");
        return job;
    }

    private void advance(long millis) {
        now += millis;
        var unused = loop.runCycle(now);
    }
}
