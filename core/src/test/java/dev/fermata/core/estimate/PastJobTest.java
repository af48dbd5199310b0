package dev.fermata.core.estimate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.model.GpuCatalogue;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.JobClass;
import dev.fermata.core.model.Speed;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.core.scheduler.GuardMode;
import dev.fermata.core.scheduler.Scheduler;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An estimator that is given jobs afterwards estimates as one that saw them. */
class PastJobTest {
    private static final int JOBS = 400;
    private static final List<Outcome> ENDS =
            List.of(Outcome.COMPLETED, Outcome.COMPLETED, Outcome.FAILED, Outcome.TIMEOUT, Outcome.CANCELLED);

    private record ScheduledEnd(long atMillis, long jobId) {}

    private final HistoryEstimator observed = new HistoryEstimator();
    private final List<PastJob> rows = new ArrayList<>();

    private static Job job(long id, Random random) {
        return Job.builder(id, 1 + random.nextInt(2))
                .name((random.nextBoolean() ? "train-" : "eval-") + id)
                .user("user" + random.nextInt(4))
                .queue("queue" + random.nextInt(2))
                .jobClass(random.nextInt(3) == 0 ? JobClass.TRIAL : JobClass.BATCH)
                .build();
    }

    /** Jobs arrive one by one, run at the reference speed, are preempted now and then, and end in different ways. */
    private void live(Random random) {
        Topology topology =
                Topology.builder().node(GpuCatalogue.byName("V100"), 1000).build();
        Scheduler scheduler =
                new Scheduler(topology, PolicySpec.parse("fifo").create(), observed, GuardMode.FULL, true);
        PriorityQueue<ScheduledEnd> due = new PriorityQueue<>(
                Comparator.comparingLong(ScheduledEnd::atMillis).thenComparingLong(ScheduledEnd::jobId));
        for (long id = 1; id <= JOBS; id++) {
            due.add(new ScheduledEnd(id * 60_000, id));
        }
        for (ScheduledEnd next = due.poll(); next != null; next = due.poll()) {
            long now = next.atMillis;
            long id = next.jobId;
            var known = scheduler.job(id);
            if (known == null) {
                scheduler.runCycle(now, List.of(new Event.Submitted(job(id, random))));
                scheduler.runCycle(now, List.of(new Event.Running(id, 1, Speed.UNIT)));
            } else {
                long ran = known.attainedMillis(now);
                int attempt = known.attempt();
                Outcome end = random.nextInt(4) == 0 ? Outcome.PREEMPTED : ENDS.get(random.nextInt(ENDS.size()));
                List<Event> updates = new ArrayList<>();
                if (end == Outcome.CANCELLED) {
                    updates.add(new Event.CancelRequested(id));
                }
                updates.add(new Event.AttemptEnded(id, attempt, end, new Usage(0, ran, 0, 0, 0, ran)));
                Job job = known.job();
                long submitted = known.submittedMillis();
                JobState state = null;
                for (HistoryRecord historyRecord :
                        scheduler.runCycle(now, updates).records()) {
                    state = historyRecord instanceof HistoryRecord.AttemptEnded left
                                    && left.next().isFinal()
                            ? left.next()
                            : state;
                }
                if (state != null) {
                    rows.add(new PastJob(job, state, submitted, ran, ran));
                    continue;
                }
                scheduler.runCycle(now, List.of(new Event.Running(id, attempt + 1, Speed.UNIT)));
            }
            due.add(new ScheduledEnd(now + 1 + Math.round(600_000 * StrictMath.exp(random.nextGaussian() * 2)), id));
        }
        assertThat(scheduler.jobs()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void anEstimatorTrainedAfterwardsGivesTheSameEstimates(long seed) {
        Random random = new Random(seed);
        live(random);
        assertThat(rows).hasSize(JOBS);
        HistoryEstimator trained = new HistoryEstimator();
        rows.forEach(row -> trained.observe(row, 0));

        assertThat(trained.version(0)).isEqualTo(observed.version(0)).isPositive();
        for (int i = 0; i < 500; i++) {
            Job asked = job(JOBS + 1 + i, random);
            PastJob probe = PastJob.of(asked, JobState.RUNNING, Math.round(3_600_000 * random.nextDouble() * 5));
            assertThat(trained.remainingMillis(probe, 0)).isEqualTo(observed.remainingMillis(probe, 0));
            assertThat(trained.runtimeEstimate(probe, 0).workPerCompletionMillis())
                    .isEqualTo(Objects.requireNonNull(observed.runtimeEstimate(probe, 0))
                            .workPerCompletionMillis());
        }
    }
}
