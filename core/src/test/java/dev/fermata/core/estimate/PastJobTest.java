package dev.fermata.core.estimate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Fact;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.cycle.GuardMode;
import dev.fermata.core.cycle.Scheduler;
import dev.fermata.core.model.GpuCatalogue;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.JobClass;
import dev.fermata.core.model.Pace;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PolicySpec;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A history that is told of jobs afterwards says what one says that was there. */
class PastJobTest {
    private static final int JOBS = 400;
    private static final List<Outcome> ENDS =
            List.of(Outcome.COMPLETED, Outcome.COMPLETED, Outcome.FAILED, Outcome.TIMEOUT, Outcome.CANCELLED);

    private record Due(long atMillis, long jobId) {}

    private final History lived = new History();
    private final List<PastJob> rows = new ArrayList<>();

    private static Job job(long id, Random random) {
        return Job.builder(id, 1 + random.nextInt(2))
                .name((random.nextBoolean() ? "train-" : "eval-") + id)
                .user("user" + random.nextInt(4))
                .queue("queue" + random.nextInt(2))
                .jobClass(random.nextInt(3) == 0 ? JobClass.TRIAL : JobClass.BATCH)
                .build();
    }

    /** Jobs come one by one, run at the reference pace, are paused now and then, and end in one way or another. */
    private void live(Random random) {
        Topology topology =
                Topology.builder().node(GpuCatalogue.named("V100"), 1000).build();
        Scheduler scheduler = new Scheduler(topology, PolicySpec.parse("fifo").create(), lived, GuardMode.FULL, true);
        PriorityQueue<Due> due =
                new PriorityQueue<>(Comparator.comparingLong(Due::atMillis).thenComparingLong(Due::jobId));
        for (long id = 1; id <= JOBS; id++) {
            due.add(new Due(id * 60_000, id));
        }
        for (Due next = due.poll(); next != null; next = due.poll()) {
            long now = next.atMillis;
            long id = next.jobId;
            var known = scheduler.job(id);
            if (known == null) {
                scheduler.step(now, List.of(new Event.Submitted(job(id, random))));
                scheduler.step(now, List.of(new Event.Running(id, 1, Pace.UNIT)));
            } else {
                long ran = known.attainedMillis(now);
                int attempt = known.attempt();
                Outcome end = random.nextInt(4) == 0 ? Outcome.PAUSED : ENDS.get(random.nextInt(ENDS.size()));
                List<Event> news = new ArrayList<>();
                if (end == Outcome.CANCELLED) {
                    news.add(new Event.CancelAsked(id));
                }
                news.add(new Event.Left(id, attempt, end, new Usage(0, ran, 0, 0, 0, ran)));
                Job job = known.job();
                long submitted = known.submittedMillis();
                JobState state = null;
                for (Fact fact : scheduler.step(now, news).facts()) {
                    state = fact instanceof Fact.Left left && left.next().isFinal() ? left.next() : state;
                }
                if (state != null) {
                    rows.add(new PastJob(job, state, submitted, ran, ran));
                    continue;
                }
                scheduler.step(now, List.of(new Event.Running(id, attempt + 1, Pace.UNIT)));
            }
            due.add(new Due(now + 1 + Math.round(600_000 * StrictMath.exp(random.nextGaussian() * 2)), id));
        }
        assertThat(scheduler.jobs()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void whoIsToldAfterwardsSaysTheSame(long seed) {
        Random random = new Random(seed);
        live(random);
        assertThat(rows).hasSize(JOBS);
        History taught = new History();
        rows.forEach(row -> taught.noted(row, 0));

        assertThat(taught.version(0)).isEqualTo(lived.version(0)).isPositive();
        for (int i = 0; i < 500; i++) {
            Job asked = job(JOBS + 1 + i, random);
            PastJob probe = PastJob.of(asked, JobState.RUNNING, Math.round(3_600_000 * random.nextDouble() * 5));
            assertThat(taught.remainingMillis(probe, 0)).isEqualTo(lived.remainingMillis(probe, 0));
            assertThat(taught.outlook(probe, 0).workPerEndMillis())
                    .isEqualTo(Objects.requireNonNull(lived.outlook(probe, 0)).workPerEndMillis());
        }
    }
}
