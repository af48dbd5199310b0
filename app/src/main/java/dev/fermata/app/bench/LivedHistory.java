package dev.fermata.app.bench;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.live.conductor.Actor;
import dev.fermata.live.conductor.Conductor;
import dev.fermata.live.conductor.ConductorSettings;
import dev.fermata.live.conductor.SteadyClock;
import dev.fermata.live.metrics.Meters;
import dev.fermata.live.spec.JobFile;
import dev.fermata.live.spec.JobSpec;
import dev.fermata.live.store.Store;
import dev.fermata.live.store.Stores;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

/** A data folder in which many jobs have come and gone, through the conductor and the store that daemons use. */
final class LivedHistory {
    /** On as many virtual GPUs. */
    static final int GPUS = 64;

    private static final int AT_ONCE = 500;
    private static final Actor WHO = new Actor("bench", "ADMIN", "bench");

    /**
     * @param learningShare share of the time spent on deciding that went into learning
     * @param settledShare the same of the second half of the jobs, when the compiler has caught up
     */
    record Lived(long ended, double learningShare, double settledShare) {}

    private LivedHistory() {}

    /** A job that only waits for its turn; {@code gpus} of it. */
    static ObjectNode job(String name, int gpus, String run) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("name", name)
                .put("gpus", gpus)
                .put("run", run);
    }

    /** Lives through jobs that last so long each; how many ended well, as the store counts them. */
    static Lived live(Path data, int jobs, long lastsMillis, BooleanSupplier stop) {
        Meters meters = new Meters();
        try (InstantEngine engine = new InstantEngine(GPUS, lastsMillis);
                Store store = Stores.open("sqlite", data);
                Conductor conductor = new Conductor(
                        store,
                        engine,
                        PolicySpec.parse("fermata"),
                        ConductorSettings.DEFAULT,
                        false,
                        new SteadyClock(),
                        meters)) {
            conductor.start();
            conductor.ready().join();
            double learned = 0;
            double decided = 0;
            for (int done = 0; done < jobs && !stop.getAsBoolean(); done += AT_ONCE) {
                if (done <= jobs / 2) {
                    learned = meters.learningSeconds();
                    decided = meters.decidingSeconds();
                }
                List<JobSpec> batch = new ArrayList<>();
                int first = done;
                IntStream.range(first, Math.min(jobs, first + AT_ONCE))
                        .forEach(i -> batch.addAll(JobFile.read(job("past-" + i % 50, 1, "true"))));
                conductor.desk().submit(WHO, batch, null).join();
            }
            while (live(conductor) > 0 && !stop.getAsBoolean()) {
                pause();
            }
            return new Lived(
                    store.reader().counts().getOrDefault(JobState.COMPLETED, 0L),
                    meters.learningSeconds() / meters.decidingSeconds(),
                    (meters.learningSeconds() - learned) / (meters.decidingSeconds() - decided));
        }
    }

    private static void pause() {
        try {
            Thread.sleep(1);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    private static int live(Conductor conductor) {
        return conductor.desk().pulse().pendingJobs() + conductor.desk().pulse().runningJobs();
    }
}
