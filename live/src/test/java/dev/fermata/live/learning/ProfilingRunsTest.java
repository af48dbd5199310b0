package dev.fermata.live.learning;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Usage;
import dev.fermata.live.engine.EngineEvent;
import dev.fermata.live.loop.LoopFixture;
import dev.fermata.live.loop.TestSpec;
import dev.fermata.live.profile.AttemptMeasurements;
import dev.fermata.live.profile.ProfileMetric;
import dev.fermata.live.profile.ProfileSamples;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The first job of an unknown profile key makes a profiling run; where GPUs are scarce the others wait for it. */
class ProfilingRunsTest {
    private static final long WAIT = 120_000;

    private final LoopFixture fixture = newFixture(1);

    private static LoopFixture newFixture(int... gpus) {
        LoopFixture fixture = new LoopFixture("fermata:pays=0", gpus);
        fixture.settings = fixture.settings.withProfileWait(WAIT);
        return fixture.restart();
    }

    private static TestSpec job() {
        return TestSpec.gpus(1).time(3_600_000);
    }

    private static AttemptMeasurements measurements(int peakMib, int busyPermille) {
        return AttemptMeasurements.NONE
                .withLoad(new AttemptMeasurements.LoadTimes(100, 200, -1, 300, 600))
                .withUse(new AttemptMeasurements.ResourceUse(9_000, -1, -1))
                .withSteps(new AttemptMeasurements.Steps(12, -1, 1_000))
                .withGpu(busyPermille, peakMib);
    }

    private static void sendMeasured(LoopFixture fixture, long job, AttemptMeasurements measured) {
        int attempt = Objects.requireNonNull(fixture.engine.onGpus.get(job)).attempt();
        fixture.engine.send(new EngineEvent.MeasurementsReported(job, attempt, measured));
        fixture.advance(10);
    }

    private static void run(LoopFixture fixture, long... jobs) {
        for (long job : jobs) {
            assertThat(fixture.row(job).state()).as("job %s", job).isEqualTo(JobState.STARTING);
            fixture.engine.running(job);
        }
        fixture.advance(10);
    }

    private static void preempted(LoopFixture fixture, long job, AttemptMeasurements measured) {
        fixture.engine.end(job, Outcome.PREEMPTED, new Usage(600, 400, 0, 50, 0, 400), measured);
        fixture.advance(10);
        fixture.advance(10);
    }

    private static String explain(LoopFixture fixture, long job) {
        return fixture.runAndGet(fixture.service().explain(job)).message();
    }

    private static ProfileSamples samplesFrom(LoopFixture fixture) {
        return fixture.runAndGet(fixture.service().profiles())
                .values()
                .iterator()
                .next();
    }

    @Test
    void firstJobIsProfiledThenCoLocatedWithTheNext() {
        fixture.submit(job(), job());
        run(fixture, 1);
        assertThat(explain(fixture, 1)).contains("this is a profiling run");
        assertThat(explain(fixture, 2))
                .contains("waits for the profiling run of job 1")
                .contains("119.99 s at most");

        sendMeasured(fixture, 1, measurements(20_000, 300));
        assertThat(fixture.row(1).state()).isEqualTo(JobState.PREEMPTING);
        assertThat(fixture.engine.orders).contains("pause 1.1");
        assertThat(fixture.history()).contains("AttemptMeasured 1 by engine", "Profiled 1 by policy");
        assertThat(explain(fixture, 1)).contains("to be placed again");

        preempted(fixture, 1, measurements(20_500, 310));
        run(fixture, 1, 2);
        assertThat(fixture.service().gpus().get(0).jobs()).containsExactlyInAnyOrder(1L, 2L);
        assertThat(fixture.row(1).preemptions())
                .as("it was not preempted for another job")
                .isZero();
        assertThat(fixture.row(1).attempt()).isEqualTo(2);
        assertThat(samplesFrom(fixture).summary(ProfileMetric.PEAK_MEMORY_MIB).count())
                .as("one attempt gives one sample")
                .isEqualTo(1);
        assertThat(samplesFrom(fixture).peakMemoryMib()).isEqualTo(20_500);
        assertThat(explain(fixture, 1)).doesNotContain("profiled");
    }

    @Test
    void jobWithoutCompetitorsKeepsRunning() {
        fixture.submit(job());
        run(fixture, 1);
        sendMeasured(fixture, 1, measurements(20_000, 300));
        assertThat(fixture.row(1).state()).isEqualTo(JobState.RUNNING);
        assertThat(explain(fixture, 1)).doesNotContain("profiled");
        assertThat(samplesFrom(fixture).value(ProfileMetric.ITERATION_MICROS)).isEqualTo(9_000);

        fixture.submit(job());
        assertThat(fixture.row(2).state()).isEqualTo(JobState.PENDING);
        fixture.engine.end(1, Outcome.COMPLETED, 0, "", measurements(20_100, 300));
        fixture.advance(10);
        run(fixture, 2);
        assertThat(Objects.requireNonNull(fixture.engine.onGpus.get(2L)).gpuMemoryReservationMib())
                .isEqualTo(20_100 + 20_100 / 20);
    }

    @Test
    void noJobWaitsForAProfileWhenGpusAreFree() {
        LoopFixture wide = newFixture(4);
        wide.submit(job(), job(), job(), job());
        run(wide, 1, 2, 3, 4);
        sendMeasured(wide, 2, measurements(20_000, 300));
        assertThat(wide.row(2).state()).isEqualTo(JobState.RUNNING);
        assertThat(wide.history()).doesNotContain("Profiled 2 by policy");
    }

    @Test
    void onlyJobsOfTheSameProgramWaitForTheProfile() {
        LoopFixture two = newFixture(2);
        two.submit(job(), job(), job());
        run(two, 1);
        assertThat(two.row(2).state()).isEqualTo(JobState.PENDING);
        two.submit(TestSpec.gpus(1).time(3_600_000).command("python other.py"));
        run(two, 4);

        sendMeasured(two, 1, measurements(20_000, 300));
        preempted(two, 1, measurements(20_000, 300));
        run(two, 1, 2);
        assertThat(two.service().gpus().get(0).jobs()).containsExactlyInAnyOrder(1L, 2L);
    }

    @Test
    void noJobWaitsLongerThanTheProfileWait() {
        LoopFixture two = newFixture(2);
        two.submit(job(), job(), job());
        run(two, 1);
        two.advance(WAIT - 100);
        assertThat(two.row(2).state()).isEqualTo(JobState.PENDING);
        two.advance(100);
        two.advance(1);
        run(two, 2);
        assertThat(explain(two, 1)).doesNotContain("profiled");
        two.submit(job());
        two.engine.end(1, Outcome.COMPLETED, 0, "");
        two.advance(10);
        two.engine.end(2, Outcome.COMPLETED, 0, "");
        two.advance(10);
        run(two, 3, 4);
        assertThat(two.history())
                .filteredOn(entry -> entry.startsWith("Profiled"))
                .isEmpty();
    }

    @Test
    void jobsStartUnprofiledAfterTheProfilingRunFails() {
        LoopFixture two = newFixture(2);
        two.submit(job(), job(), job());
        run(two, 1);
        two.engine.end(1, Outcome.FAILED, 1, "");
        two.advance(10);
        run(two, 2, 3);
        assertThat(two.service().gpus().get(0).jobs()).hasSize(1);
    }

    @Test
    void nonPreemptibleJobIsProfiledAndKeepsRunning() {
        fixture.submit(job().neverPreempted(), job());
        run(fixture, 1);
        sendMeasured(fixture, 1, measurements(20_000, 300));
        assertThat(fixture.row(1).state()).isEqualTo(JobState.RUNNING);
        assertThat(explain(fixture, 2)).doesNotContain("profile");
    }

    @Test
    void profilingSurvivesARestart() {
        LoopFixture two = newFixture(2);
        two.submit(job(), job(), job());
        run(two, 1);
        two.restart();
        assertThat(two.row(2).state()).as("it is still pending").isEqualTo(JobState.PENDING);
        assertThat(explain(two, 1)).contains("this is a profiling run");
        sendMeasured(two, 1, measurements(20_000, 300));
        two.restart();
        assertThat(two.row(1).state()).isEqualTo(JobState.PREEMPTING);
        assertThat(two.engine.orders.get(two.engine.orders.size() - 1)).isEqualTo("pause 1.1");
        preempted(two, 1, measurements(20_700, 300));
        run(two, 1, 2, 3);
        assertThat(samplesFrom(two).summary(ProfileMetric.PEAK_MEMORY_MIB).count())
                .isEqualTo(1);
        assertThat(samplesFrom(two).peakMemoryMib()).isEqualTo(20_700);
    }

    @Test
    void runningAttemptsUpdateTheProfileWithoutProfileFirst() {
        LoopFixture plain = new LoopFixture("fermata:pays=0", 1);
        plain.submit(job(), job());
        run(plain, 1);
        sendMeasured(plain, 1, measurements(20_000, 300));
        assertThat(plain.row(1).state()).as("profile-first is off").isEqualTo(JobState.RUNNING);
        sendMeasured(plain, 1, measurements(30_000, 300));
        plain.restart();
        sendMeasured(plain, 1, measurements(25_000, 300));
        assertThat(samplesFrom(plain).samples().get(ProfileMetric.PEAK_MEMORY_MIB))
                .isEqualTo(List.of(30_000L));
        plain.engine.end(1, Outcome.COMPLETED, 0, "", measurements(26_000, 350));
        plain.advance(10);
        run(plain, 2);
        assertThat(Objects.requireNonNull(plain.engine.onGpus.get(2L)).gpuMemoryReservationMib())
                .isEqualTo(31_500);
        assertThat(samplesFrom(plain).samples().get(ProfileMetric.BUSY_PERMILLE))
                .isEqualTo(List.of(350L));
    }

    private static ProfileSamples storedSamples(LoopFixture fixture) {
        return fixture.loop()
                .cycle()
                .profiles
                .profileStore
                .all()
                .values()
                .iterator()
                .next();
    }

    /** The store was slow: measurements and end of an attempt arrive in one cycle. They count once, also after a crash. */
    @Test
    void measurementAndEndInOneCycleCountOnce() {
        fixture.submit(job());
        run(fixture, 1);
        fixture.engine.send(new EngineEvent.MeasurementsReported(1, 1, measurements(20_000, 300)));
        fixture.engine.end(1, Outcome.COMPLETED, 0, "", measurements(20_100, 310));
        fixture.advance(10);
        ProfileSamples before = storedSamples(fixture);
        assertThat(before.summary(ProfileMetric.PEAK_MEMORY_MIB).count()).isEqualTo(1);

        fixture.restart();
        assertThat(storedSamples(fixture)).isEqualTo(before);
    }

    /** A restarted daemon has not sampled the GPU yet and measures less than the one before it. */
    @Test
    void smallerMeasurementDoesNotReplaceALargerOne() {
        fixture.submit(job());
        run(fixture, 1);
        sendMeasured(fixture, 1, measurements(20_000, 300));
        fixture.restart();
        sendMeasured(fixture, 1, measurements(-1, -1));
        sendMeasured(fixture, 1, measurements(15_000, 300));
        assertThat(storedSamples(fixture).summary(ProfileMetric.PEAK_MEMORY_MIB).count())
                .isEqualTo(1);
        assertThat(storedSamples(fixture).peakMemoryMib()).isEqualTo(20_000);
        assertThat(storedSamples(fixture).summary(ProfileMetric.BUSY_PERMILLE).count())
                .isEqualTo(1);
    }

    @Test
    void measurementInTheCycleOfTheStartIsRecorded() {
        fixture.submit(job());
        fixture.engine.running(1);
        sendMeasured(fixture, 1, measurements(20_000, 300));
        assertThat(storedSamples(fixture).peakMemoryMib()).isEqualTo(20_000);
    }
}
