package dev.fermata.live.learning;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Usage;
import dev.fermata.live.engine.EngineEvent;
import dev.fermata.live.engine.Launch;
import dev.fermata.live.loop.LoopFixture;
import dev.fermata.live.loop.TestSpec;
import dev.fermata.live.profile.AttemptMeasurements;
import dev.fermata.live.profile.ProfileMetric;
import dev.fermata.live.profile.ProfileSamples;
import dev.fermata.live.service.Explanation;
import dev.fermata.live.state.GpuState;
import dev.fermata.live.store.JobRow;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Invariants of profiling runs under random jobs, failures and daemon crashes. */
class ProfilingScenariosTest {
    private static final long WAIT = 20_000;
    private static final int JOBS = 40;
    private static final int PROGRAMS = 5;
    private static final int MAX_CYCLES = 5_000;

    private static final int SEEDS = 12;

    private final Map<Long, Integer> running = new HashMap<>();
    private final Set<String> seen = new HashSet<>();
    private int attempts;

    @Test
    void invariantsHoldInRandomScenarios() {
        for (long seed = 1; seed <= SEEDS; seed++) {
            running.clear();
            attempts = 0;
            try {
                simulate(seed);
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("seed " + seed + ": " + e, e);
            }
        }
        assertThat(seen).contains("Profiled", "AttemptMeasured", "shared", "PROFILE_PENDING");
    }

    private void simulate(long seed) {
        Random random = new Random(seed);
        LoopFixture fixture = new LoopFixture(random.nextBoolean() ? "fermata:pays=0" : "xonar", 1 + random.nextInt(4));
        fixture.settings = fixture.settings.withProfileWait(WAIT).withSnapshotEveryEntries(1 + random.nextInt(60));
        fixture.restart();
        int submitted = 0;
        int cycles = 0;
        while (submitted < JOBS || !simulate(fixture, submitted).isEmpty()) {
            assertThat(cycles++).as("cycles").isLessThan(MAX_CYCLES);
            if (submitted < JOBS && random.nextInt(3) == 0) {
                TestSpec job = TestSpec.gpus(1).command("python train" + random.nextInt(PROGRAMS) + ".py");
                fixture.submit(random.nextInt(6) == 0 ? job.neverPreempted() : job);
                submitted++;
            }
            simulateEngine(fixture, random);
            fixture.advance(1 + random.nextInt(2_000));
            if (random.nextInt(25) == 0) {
                fixture.restart();
            }
            check(fixture, submitted);
        }
        assertThat(fixture.history())
                .filteredOn(entry -> entry.startsWith("AttemptEnded"))
                .hasSize(attempts);
        fixture.history().forEach(entry -> seen.add(entry.substring(0, entry.indexOf(' '))));
        for (ProfileSamples samples :
                fixture.runAndGet(fixture.service().profiles()).values()) {
            assertThat(samples.summary(ProfileMetric.PEAK_MEMORY_MIB).count()).isLessThanOrEqualTo(attempts);
        }
    }

    private static List<JobRow> simulate(LoopFixture fixture, int submitted) {
        List<JobRow> live = new ArrayList<>();
        for (long id = 1; id <= submitted; id++) {
            if (!fixture.row(id).state().isFinal()) {
                live.add(fixture.row(id));
            }
        }
        return live;
    }

    private static AttemptMeasurements measurements(Random random) {
        return AttemptMeasurements.NONE
                .withLoad(new AttemptMeasurements.LoadTimes(100, 200, -1, 300, 600))
                .withUse(new AttemptMeasurements.ResourceUse(9_000, -1, -1))
                .withSteps(new AttemptMeasurements.Steps(12, -1, 1_000))
                .withGpu(1 + random.nextInt(999), 1_000 + random.nextInt(60_000));
    }

    /** Random events of jobs on GPUs. */
    private void simulateEngine(LoopFixture fixture, Random random) {
        for (Launch launch : List.copyOf(fixture.engine.onGpus.values())) {
            long job = launch.jobId();
            JobState state = fixture.row(job).state();
            boolean runs = running.getOrDefault(job, 0) == launch.attempt();
            if (!runs && random.nextInt(2) == 0) {
                running.put(job, launch.attempt());
                fixture.engine.running(job);
            } else if (runs && state == JobState.PREEMPTING && random.nextInt(3) == 0) {
                end(fixture, job, random.nextInt(4) == 0 ? Outcome.LOST : Outcome.PREEMPTED, random);
            } else if (runs && random.nextInt(8) == 0) {
                fixture.engine.send(new EngineEvent.MeasurementsReported(job, launch.attempt(), measurements(random)));
            } else if (runs && state == JobState.RUNNING && random.nextInt(12) == 0) {
                end(fixture, job, random.nextInt(4) == 0 ? Outcome.FAILED : Outcome.COMPLETED, random);
            }
        }
    }

    private void end(LoopFixture fixture, long job, Outcome outcome, Random random) {
        attempts++;
        AttemptMeasurements observed = random.nextInt(3) == 0 ? AttemptMeasurements.NONE : measurements(random);
        fixture.engine.end(job, outcome, new Usage(1, 2, 0, 0, 0, outcome == Outcome.PREEMPTED ? 2 : 0), observed);
    }

    private void check(LoopFixture fixture, int submitted) {
        for (GpuState gpu : fixture.service().gpus()) {
            List<Integer> memoryReservations = new ArrayList<>();
            for (long job : gpu.jobs()) {
                memoryReservations.add(
                        Objects.requireNonNull(fixture.engine.onGpus.get(job)).gpuMemoryReservationMib());
            }
            if (memoryReservations.size() > 1) {
                seen.add("shared");
                assertThat(memoryReservations)
                        .as("jobs that share GPU %s are profiled", gpu.gpu())
                        .doesNotContain(0);
                assertThat(memoryReservations.stream()
                                .mapToInt(Integer::intValue)
                                .sum())
                        .isLessThanOrEqualTo(LoopFixture.GPU_TYPE.memoryMib());
            }
        }
        for (JobRow row : simulate(fixture, submitted)) {
            if (row.state() == JobState.PENDING) {
                Explanation why = fixture.runAndGet(fixture.service().explain(row.id()));
                seen.add(why.reason());
                if (why.reason().equals("PROFILE_PENDING")) {
                    long first = ((Number) Objects.requireNonNull(why.evidence().get("profiledBy"))).longValue();
                    Launch launch = fixture.engine.onGpus.get(first);
                    assertThat(launch)
                            .as("job %s, the profiling run, is on GPUs", first)
                            .isNotNull();
                    assertThat((Double) why.evidence().get("expectedToEndInSeconds"))
                            .isBetween(0.0, WAIT / 1000.0);
                }
            }
        }
    }
}
