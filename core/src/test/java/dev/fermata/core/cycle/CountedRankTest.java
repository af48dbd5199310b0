package dev.fermata.core.cycle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Decision;
import dev.fermata.core.contract.Estimator;
import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Fact;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Outlook;
import dev.fermata.core.estimate.Counted;
import dev.fermata.core.model.GpuCatalogue;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Pace;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PolicySpec;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Scripts count their steps, and one with 100 s to go runs: what it has left falls by the millisecond, not in steps of its own. */
class CountedRankTest {
    private static class Counts implements Estimator {
        @Override
        public long remainingMillis(JobView job, long nowMillis) {
            return Math.max(1, job.job().declaredMillis() - job.doneWorkMillis(nowMillis));
        }

        @Override
        public Outlook outlook(JobView job, long nowMillis) {
            return new Counted(job.doneWorkMillis(nowMillis), remainingMillis(job, nowMillis));
        }
    }

    private final Scheduler scheduler = new Scheduler(
            Topology.builder().rack().node(GpuCatalogue.named("V100"), 1).build(),
            PolicySpec.parse("fermata").create(),
            new Counts(),
            GuardMode.FULL,
            true);

    private Decision submit(long id, long nowMillis, long seconds) {
        Job job = Job.builder(id, 1).declaredMillis(1000 * seconds).build();
        return scheduler.step(nowMillis, List.of(new Event.Submitted(job)));
    }

    private Decision comesAt(long nowMillis, long seconds) {
        submit(1, 0, 100);
        scheduler.step(0, List.of(new Event.Running(1, 1, Pace.UNIT)));
        return submit(2, nowMillis, seconds);
    }

    @Test
    void whoHasMoreLeftThanItDoesNotAskIt() {
        assertThat(comesAt(5_000, 96).facts()).noneMatch(Fact.Refrained.class::isInstance);
    }

    @Test
    void whoHasLessDoes() {
        assertThat(comesAt(5_000, 94).facts()).anyMatch(Fact.Pausing.class::isInstance);
    }

    /** An estimator that foresees when it will know more is asked then. */
    @Test
    void theSchedulerWakesWhenMoreWillBeKnown() {
        Scheduler patient = new Scheduler(
                scheduler.view().topology(),
                PolicySpec.parse("fermata").create(),
                new Counts() {
                    @Override
                    public long nextMillis(long nowMillis) {
                        return nowMillis + 700;
                    }
                },
                GuardMode.FULL,
                true);
        assertThat(patient.step(40, List.of()).wakeAtMillis()).isEqualTo(740);
    }

    /** Nothing about a job that counts is to be looked at again before it should have ended. */
    @Test
    void nobodyIsWokenMeanwhile() {
        assertThat(comesAt(5_000, 96).wakeAtMillis()).isGreaterThanOrEqualTo(100_000);
    }
}
