package dev.fermata.core.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Decision;
import dev.fermata.core.contract.Estimator;
import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.RuntimeEstimate;
import dev.fermata.core.estimate.StepCountEstimate;
import dev.fermata.core.model.GpuCatalogue;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Speed;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PolicySpec;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Scripts count their steps, and one with 100 s to go runs: what it has left falls by the millisecond, not in steps of its own. */
class StepCountRankTest {
    private static class StepCountEstimator implements Estimator {
        @Override
        public long remainingMillis(JobView job, long nowMillis) {
            return Math.max(1, job.job().declaredMillis() - job.doneWorkMillis(nowMillis));
        }

        @Override
        public RuntimeEstimate runtimeEstimate(JobView job, long nowMillis) {
            return new StepCountEstimate(job.doneWorkMillis(nowMillis), remainingMillis(job, nowMillis));
        }
    }

    private final Scheduler scheduler = new Scheduler(
            Topology.builder().rack().node(GpuCatalogue.byName("V100"), 1).build(),
            PolicySpec.parse("fermata").create(),
            new StepCountEstimator(),
            GuardMode.FULL,
            true);

    private Decision submit(long id, long nowMillis, long seconds) {
        Job job = Job.builder(id, 1).declaredMillis(1000 * seconds).build();
        return scheduler.runCycle(nowMillis, List.of(new Event.Submitted(job)));
    }

    private Decision submitAt(long nowMillis, long seconds) {
        submit(1, 0, 100);
        scheduler.runCycle(0, List.of(new Event.Running(1, 1, Speed.UNIT)));
        return submit(2, nowMillis, seconds);
    }

    @Test
    void aLongerJobDoesNotConsiderPreemption() {
        assertThat(submitAt(5_000, 96).records()).noneMatch(HistoryRecord.PreemptionDeclined.class::isInstance);
    }

    @Test
    void aJobShorterByAQuarterPreempts() {
        assertThat(submitAt(5_000, 75).records()).anyMatch(HistoryRecord.Preempting.class::isInstance);
    }

    /** An estimator that announces when its estimate changes is queried then. */
    @Test
    void theSchedulerWakesWhenTheEstimatorKnowsMore() {
        Scheduler waking = new Scheduler(
                scheduler.view().topology(),
                PolicySpec.parse("fermata").create(),
                new StepCountEstimator() {
                    @Override
                    public long nextChangeMillis(long nowMillis) {
                        return nowMillis + 700;
                    }
                },
                GuardMode.FULL,
                true);
        assertThat(waking.runCycle(40, List.of()).wakeAtMillis()).isEqualTo(740);
    }

    /** Nothing about a job that counts is to be looked at again before it should have ended. */
    @Test
    void theSchedulerDoesNotWakeEarlier() {
        assertThat(submitAt(5_000, 96).wakeAtMillis()).isGreaterThanOrEqualTo(100_000);
    }
}
