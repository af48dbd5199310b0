package dev.fermata.bench.measure;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fermata.core.contract.JobState;
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
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

/** Makes a data folder with many ended jobs, through the scheduler loop and the store of the daemon. */
final class HistoryGenerator {
    /** On as many virtual GPUs. */
    static final int GPUS = 64;

    private static final int BATCH_SIZE = 500;
    /** Well below what a daemon accepts. */
    private static final int MAX_LIVE = 20_000;

    private static final Actor ACTOR = new Actor("bench", "ADMIN", "bench");

    /**
     * @param learningShare share of the time spent on deciding that went into learning
     * @param settledShare the same of the second half of the jobs, when the compiler has caught up
     */
    record GeneratedHistory(long ended, double learningShare, double settledShare) {}

    private HistoryGenerator() {}

    /** A job file with this name, number of GPUs and command. */
    static ObjectNode job(String name, int gpus, String run) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("name", name)
                .put("gpus", gpus)
                .put("run", run);
    }

    /** Runs jobs of this length; returns how many completed, as the store counts them. */
    static GeneratedHistory live(Path data, int jobs, long durationMillis, BooleanSupplier stop) {
        DaemonMetrics meters = new DaemonMetrics();
        try (InstantEngine engine = new InstantEngine(GPUS, durationMillis);
                Store store = StoreFactory.open("sqlite", data);
                SchedulerLoop loop = new SchedulerLoop(
                        store,
                        engine,
                        PolicySpec.parse("fermata"),
                        LoopSettings.DEFAULT,
                        false,
                        new MonotonicClock(),
                        meters)) {
            SchedulerService service = new DefaultSchedulerService(loop);
            loop.start();
            loop.ready().join();
            double learned = 0;
            double decided = 0;
            for (int done = 0; done < jobs && !stop.getAsBoolean(); done += BATCH_SIZE) {
                if (done <= jobs / 2) {
                    learned = meters.learningSeconds();
                    decided = meters.decidingSeconds();
                }
                List<JobSpec> batch = new ArrayList<>();
                int first = done;
                IntStream.range(first, Math.min(jobs, first + BATCH_SIZE))
                        .forEach(i -> batch.addAll(JobFileParser.parse(job("past-" + i % 50, 1, "true"))));
                service.submit(ACTOR, batch, null).join();
                while (live(service) > MAX_LIVE && !stop.getAsBoolean()) {
                    sleep();
                }
            }
            while (live(service) > 0 && !stop.getAsBoolean()) {
                sleep();
            }
            return new GeneratedHistory(
                    store.reader().countsByState().getOrDefault(JobState.COMPLETED, 0L),
                    meters.learningSeconds() / meters.decidingSeconds(),
                    (meters.learningSeconds() - learned) / (meters.decidingSeconds() - decided));
        }
    }

    /**
     * Adds pending jobs to a data folder. Its node is drained first, so that none of them starts; the daemon that is started
     * there next finds other GPUs.
     */
    static void queue(Path data, int jobs, BooleanSupplier stop) {
        try (InstantEngine engine = new InstantEngine(GPUS, 0);
                Store store = StoreFactory.open("sqlite", data);
                SchedulerLoop loop = new SchedulerLoop(
                        store,
                        engine,
                        PolicySpec.parse("fermata"),
                        LoopSettings.DEFAULT,
                        false,
                        new MonotonicClock(),
                        new DaemonMetrics())) {
            SchedulerService service = new DefaultSchedulerService(loop);
            loop.start();
            loop.ready().join();
            service.drain(ACTOR, 0, true).join();
            for (int done = 0; done < jobs && !stop.getAsBoolean(); done += BATCH_SIZE) {
                List<JobSpec> batch = new ArrayList<>();
                IntStream.range(done, Math.min(jobs, done + BATCH_SIZE))
                        .forEach(i -> batch.addAll(JobFileParser.parse(job("next-" + i % 50, 1 + i % 8, "true"))));
                service.submit(ACTOR, batch, null).join();
            }
        }
    }

    private static void sleep() {
        try {
            Thread.sleep(1);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    private static int live(SchedulerService service) {
        return service.health().pendingJobs() + service.health().runningJobs();
    }
}
