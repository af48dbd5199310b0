package dev.fermata.bench.agreement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.estimate.HistoryEstimator;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.core.scheduler.GuardMode;
import dev.fermata.core.scheduler.Scheduler;
import dev.fermata.history.HistoryCodec;
import dev.fermata.history.RemainingTimeEstimator;
import dev.fermata.live.learning.ProgressReports;
import dev.fermata.live.loop.LoopSettings;
import dev.fermata.sim.engine.Faults;
import dev.fermata.sim.engine.SimulatedEngine;
import dev.fermata.sim.kernel.Simulation;
import dev.fermata.sim.workload.Workload;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * One workload through the simulator and through the daemon's scheduler loop, on a real store and with a clock set by the test: the
 * histories are the same, record by record. With the loop killed and recovered again and again, they are the same where the policy
 * keeps no memory of its own, and lawful everywhere.
 */
class SameDecisionsTest {
    private static final int JOBS = 60;
    private static final LoopSettings SETTINGS =
            LoopSettings.DEFAULT.withGuard(GuardMode.FULL).withSnapshotEveryEntries(37);
    private static final int NEVER = Integer.MAX_VALUE;

    @TempDir
    Path folder;

    /** One entry of a history. */
    private record TimedRecord(long atMillis, HistoryRecord entry) {}

    @ParameterizedTest
    @CsvSource({"fermata,1", "fermata,2", "xion,3", "fitgpp,4", "srtf,5", "las,6", "fifo,10"})
    void liveLoopDecidesAsTheSimulator(String policy, long seed) throws InterruptedException {
        RandomSubmissions submissions = new RandomSubmissions(seed, JOBS, SETTINGS.assumedCosts());
        List<TimedRecord> simulated = simulate(submissions, policy);
        List<TimedRecord> live = runLive(submissions, policy, NEVER);
        assertSame(live, simulated);
        assertThat(live).hasSizeGreaterThan(4 * JOBS);
        checkLaws(submissions, live);
    }

    /**
     * {@code fifo} remembers nothing between decisions and uses no estimates: its decisions are a function of the cluster state alone.
     * The others remember leases, what was learned and which jobs were refused; a restart makes them derive that again.
     */
    @ParameterizedTest
    @CsvSource({
        "fifo,1,true",
        "fifo,2,true",
        "fermata,3,false",
        "xion,4,false",
        "fitgpp,5,false",
        "srtf,6,false",
        "las,7,false"
    })
    void killedLoopContinuesWithinTheLaws(String policy, long seed, boolean memoryless) throws InterruptedException {
        RandomSubmissions submissions = new RandomSubmissions(seed, JOBS, SETTINGS.assumedCosts());
        List<TimedRecord> live = runLive(submissions, policy, 5);
        checkLaws(submissions, live);
        if (memoryless) {
            assertSame(live, simulate(submissions, policy));
        }
    }

    /** Names the first difference: the whole histories would fill a book. */
    private static void assertSame(List<TimedRecord> live, List<TimedRecord> simulated) {
        for (int i = 0; i < Math.min(live.size(), simulated.size()); i++) {
            assertThat(live.get(i)).as("line %s", i + 1).isEqualTo(simulated.get(i));
        }
        assertThat(live).hasSameSizeAs(simulated);
    }

    private static List<TimedRecord> simulate(RandomSubmissions submissions, String policy) {
        PolicySpec spec = PolicySpec.parse(policy);
        List<TimedRecord> history = new ArrayList<>();
        Scheduler scheduler = new Scheduler(
                submissions.topology,
                spec.create(),
                new RemainingTimeEstimator(new HistoryEstimator(), new ProgressReports()),
                GuardMode.FULL,
                spec.memoryGuard(),
                spec.mixedGangs());
        new Simulation(
                        new Workload("submissions", submissions.jobs),
                        scheduler,
                        new SimulatedEngine(submissions.topology, Faults.none(submissions.topology)),
                        (now, entry) -> history.add(new TimedRecord(now, entry)))
                .run(() -> false);
        return history;
    }

    private List<TimedRecord> runLive(RandomSubmissions submissions, String policy, int killEvery)
            throws InterruptedException {
        HistoryCodec codec = new HistoryCodec(submissions.topology);
        return new LiveLoopRun(submissions, policy, SETTINGS)
                .history(folder, killEvery).stream()
                        .map(line -> new TimedRecord(
                                line.atMillis(), codec.decode(line).orElseThrow()))
                        .filter(timed -> !(timed.entry() instanceof HistoryRecord.ClusterChanged)) // no decision
                        .toList();
    }

    /** Every job ends once, its attempts follow one another, and no GPU is given twice to jobs that do not share. */
    private static void checkLaws(RandomSubmissions submissions, List<TimedRecord> history) {
        Map<Long, JobState> ended = new HashMap<>();
        Map<Long, Integer> attempts = new HashMap<>();
        Map<Integer, HistoryRecord.Started> onGpu = new HashMap<>();
        Map<Long, Allocation> held = new HashMap<>();
        for (TimedRecord timed : history) {
            HistoryRecord entry = timed.entry();
            assertThat(ended).as("nothing happens to %s after its end", entry).doesNotContainKey(entry.jobId());
            if (entry instanceof HistoryRecord.Started started) {
                assertThat(held.put(started.jobId(), started.allocation())).isNull();
                assertThat(started.attempt()).isEqualTo(attempts.merge(started.jobId(), 1, Integer::sum));
                for (int gpu : started.allocation().toArray()) {
                    HistoryRecord.Started before = onGpu.put(gpu, started);
                    assertThat(before == null
                                    || (before.allocation().shared()
                                            && started.allocation().shared()))
                            .as("%s and %s on gpu %s", before, started, gpu)
                            .isTrue();
                }
            } else if (entry instanceof HistoryRecord.AttemptEnded left) {
                for (int gpu : Objects.requireNonNull(held.remove(left.jobId())).toArray()) {
                    onGpu.computeIfPresent(gpu, (g, job) -> job.jobId() == left.jobId() ? null : job);
                }
            }
            if (entry.finalState() != null && !(entry instanceof HistoryRecord.JobRejected)) {
                ended.put(entry.jobId(), entry.finalState());
            }
        }
        assertThat(ended).hasSize(submissions.jobs.size());
        assertThat(held).isEmpty();
    }
}
