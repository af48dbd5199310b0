package dev.fermata.core.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Action;
import dev.fermata.core.contract.Decision;
import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.GpuCatalogue;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Topology;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A policy breaks one rule at a time; the guard names it, nothing is done, and the cluster state stays consistent. */
class PlanGuardTest {
    private final SchedulerHarness harness = new SchedulerHarness(Topology.builder()
            .node(GpuCatalogue.byName("V100"), 4)
            .node("small", GpuCatalogue.byName("V100"), 2, 4000, 8000)
            .node(GpuCatalogue.byName("K80"), 2)
            .build());

    private static Action.Preempt preempt(long job, dev.fermata.core.model.Allocation place, Long... victims) {
        return new Action.Preempt(job, place, List.of(victims), 0, 0);
    }

    private static Job with(long id, Demand demand) {
        return Job.builder(id, demand.maxGpus()).demand(demand).build();
    }

    private void assertRejected(Action action, String rule) {
        Decision decision = harness.apply(action);

        assertThat(decision.orders()).isEmpty();
        assertThat(decision.records())
                .singleElement()
                .isInstanceOfSatisfying(HistoryRecord.ActionRejected.class, rejected -> {
                    assertThat(rejected.rule()).contains(rule);
                    assertThat(rejected.action()).isEqualTo(action.toString());
                });
        harness.handle(); // counts everything again
    }

    @Test
    void anUnknownJobIsNotStarted() {
        assertRejected(new Action.Start(9, harness.exclusive(0)), "no such live job");
        assertRejected(new Action.Move(9, harness.exclusive(0)), "only a running job can move");
        assertRejected(preempt(9, harness.exclusive(0)), "no such live job");
    }

    @Test
    void aJobHasOneAttemptAtATime() {
        harness.startAndRun(SchedulerHarness.job(1, 1), 0);

        assertRejected(new Action.Start(1, harness.exclusive(1)), "at most one live attempt");
    }

    @Test
    void aJobWithAReservationIsNotStartedElsewhere() {
        harness.startAndRun(SchedulerHarness.job(1, 4), 0, 1, 2, 3);
        harness.submit(SchedulerHarness.job(2, 4));
        harness.apply(preempt(2, harness.exclusive(0, 1, 2, 3), 1L));

        assertRejected(new Action.Start(2, harness.exclusive(4)), "has a reservation already");
    }

    @Test
    void aGangGetsAllOrNone() {
        harness.submit(SchedulerHarness.job(1, 2));

        assertRejected(new Action.Start(1, harness.exclusive(0)), "all of its GPUs or none");
        assertRejected(new Action.Start(1, harness.exclusive(0, 1, 2)), "all of its GPUs or none");
    }

    @Test
    void aJobRunsOnlyOnTypesItMay() {
        harness.submit(with(1, new Demand(1, 1, 0, 1000, List.of("V100"), 0, 0)));

        assertRejected(new Action.Start(1, harness.exclusive(6)), "a type the job may not run on");
    }

    @Test
    void noGpuIsGivenTwice() {
        harness.startAndRun(SchedulerHarness.job(1, 2), 0, 1);
        harness.submit(SchedulerHarness.job(2, 2));

        assertRejected(new Action.Start(2, harness.exclusive(1, 2)), "gpu 1 is in use");
    }

    @Test
    void noGpuIsGivenTwiceInOnePlan() {
        harness.submit(SchedulerHarness.job(1, 2), SchedulerHarness.job(2, 2));

        Decision decision = harness.apply(
                new Action.Start(1, harness.exclusive(0, 1)), new Action.Start(2, harness.exclusive(1, 2)));

        assertThat(decision.orders()).hasSize(1);
        assertThat(decision.records()).last().isInstanceOf(HistoryRecord.ActionRejected.class);
    }

    @Test
    void reservedGpusGoToNoOtherJob() {
        harness.startAndRun(SchedulerHarness.job(1, 2), 0, 1);
        harness.submit(SchedulerHarness.job(2, 3), SchedulerHarness.job(3, 1));
        harness.apply(preempt(2, harness.exclusive(0, 1, 2), 1L));

        assertRejected(new Action.Start(3, harness.exclusive(2)), "reserved for another job");
        assertRejected(preempt(3, harness.exclusive(0)), "reserved for another job");
    }

    @Test
    void gpusThatAreDownAreNotUsed() {
        harness.submit(SchedulerHarness.job(1, 1));
        harness.handle(new Event.GpuDown(3));

        assertRejected(new Action.Start(1, harness.exclusive(3)), "down");
        assertRejected(preempt(1, harness.exclusive(3)), "down");
    }

    @Test
    void noCpuOrRamIsGivenTwice() {
        harness.submit(
                with(1, new Demand(1, 1, 0, 1000, List.of(), 3000, 0)),
                with(2, new Demand(1, 1, 0, 1000, List.of(), 3000, 0)),
                with(3, new Demand(1, 1, 0, 1000, List.of(), 0, 9000)));
        harness.apply(new Action.Start(1, harness.exclusive(4)));

        assertRejected(new Action.Start(2, harness.exclusive(5)), "lacks CPU or RAM");
        assertRejected(new Action.Start(3, harness.exclusive(5)), "lacks CPU or RAM");
    }

    @Test
    void aSharedGpuHoldsNoMoreMemoryThanItHas() {
        Demand twenty = new Demand(1, 1, 20 * 1024, 1000, List.of(), 0, 0);
        harness.submit(with(1, twenty), with(2, twenty), SchedulerHarness.job(3, 1));
        harness.apply(new Action.Start(1, harness.shared(0)));

        assertRejected(new Action.Start(2, harness.shared(0)), "has only 12288 MiB left");
        assertRejected(new Action.Start(3, harness.shared(0)), "unknown memory");
    }

    @Test
    void aSharedGpuHoldsNoMoreComputeThanItHas() {
        Demand max = new Demand(1, 1, 1024, 700, List.of(), 0, 0);
        harness.submit(with(1, max), with(2, max));
        harness.apply(new Action.Start(1, harness.shared(0)));

        assertRejected(new Action.Start(2, harness.shared(0)), "has only 300/1000 of its compute left");
    }

    @Test
    void anExclusivelyHeldGpuIsNotShared() {
        harness.startAndRun(SchedulerHarness.job(1, 1), 0);
        harness.submit(with(2, new Demand(1, 1, 1024, 1000, List.of(), 0, 0)));

        assertRejected(new Action.Start(2, harness.shared(0)), "neither free nor open for sharing");
    }

    @Test
    void aLoadingJobIsNeverPreempted() {
        harness.submit(SchedulerHarness.job(1, 1), SchedulerHarness.job(2, 1));
        harness.apply(new Action.Start(1, harness.exclusive(0)));

        assertRejected(preempt(2, harness.exclusive(0), 1L), "a loading job is never preempted");
    }

    @Test
    void noJobIsPreemptedBeyondItsBudget() {
        harness.startAndRun(Job.builder(1, 1).maxPreemptions(0).build(), 0);
        harness.submit(SchedulerHarness.job(2, 1));

        assertRejected(preempt(2, harness.exclusive(0), 1L), "spent its preemption budget");
        assertRejected(new Action.Move(1, harness.exclusive(1)), "budget is spent");
    }

    @Test
    void aVictimFreesWhatTheBeneficiaryStartsOn() {
        harness.startAndRun(SchedulerHarness.job(1, 1), 0);
        harness.submit(SchedulerHarness.job(2, 1));

        assertRejected(preempt(2, harness.exclusive(1), 1L), "frees nothing that the beneficiary will start on");
    }

    @Test
    void gpusOfARunningJobThatIsNoVictimAreNotReserved() {
        harness.startAndRun(SchedulerHarness.job(1, 2), 0, 1);
        harness.startAndRun(SchedulerHarness.job(2, 2), 2, 3);
        harness.submit(SchedulerHarness.job(3, 4));

        assertRejected(preempt(3, harness.exclusive(0, 1, 2, 3), 1L), "in use by a job that is not leaving");
    }

    @Test
    void onlyARunningJobMovesAndOnlyToFreeGpus() {
        harness.startAndRun(SchedulerHarness.job(1, 1), 0);
        harness.startAndRun(SchedulerHarness.job(2, 1), 1);

        assertRejected(new Action.Move(1, harness.exclusive(1)), "in use");
        assertRejected(new Action.Move(1, harness.exclusive(2, 3)), "all of its GPUs or none");
    }

    @Test
    void aMovingJobMayKeepSomeOfItsGpus() {
        harness.startAndRun(SchedulerHarness.job(1, 2), 0, 2);

        assertThat(harness.apply(new Action.Move(1, harness.exclusive(0, 1), 5, 3))
                        .records())
                .contains(
                        new HistoryRecord.Preempting(1, 1, 1, 5, 3),
                        new HistoryRecord.Reserved(1, harness.exclusive(0, 1)));
    }

    @Test
    void jobsOfARejectedActionAreReportedToThePolicyAgain() {
        harness.submit(SchedulerHarness.job(1, 2));
        harness.apply(new Action.Start(1, harness.exclusive(0)));

        assertThat(harness.scheduler.view().changedJobs()).extracting("slot").containsExactly(0);
    }

    /** Otherwise the policy believes that they are leaving, and never looks at them again. */
    @Test
    void victimsOfARefusedPreemptionAreReportedToThePolicyAgain() {
        harness.startAndRun(SchedulerHarness.job(1, 1), 0);
        harness.startAndRun(SchedulerHarness.job(2, 1), 1);
        harness.submit(SchedulerHarness.job(3, 2));
        harness.handle();

        refusedOnly(preempt(3, harness.exclusive(0, 2), 1L, 2L));

        assertThat(harness.scheduler.view().changedJobs()).extracting("slot").containsExactlyInAnyOrder(0, 1, 2);
    }

    @Test
    void afterARefusalThePolicyIsAskedAgainWithinASecond() {
        harness.submit(SchedulerHarness.job(1, 2));
        harness.at(5_000);

        Decision decision = harness.apply(new Action.Start(1, harness.exclusive(0)));

        assertThat(decision.wakeAtMillis()).isEqualTo(6_000);
        assertThat(harness.handle().wakeAtMillis()).as("nothing is refused now").isGreaterThan(1_000_000);
    }

    /** The gang holds 3 CPUs on each of two nodes; its leaving frees 3 on the small one, where 4 are needed. */
    @Test
    void aVictimOverTwoNodesFreesOnEachOnlyWhatItHoldsThere() {
        harness.startAndRun(with(1, new Demand(2, 2, 0, 1000, List.of(), 2500, 1000)), 0, 4);
        harness.startAndRun(with(2, new Demand(1, 1, 0, 1000, List.of(), 1500, 1000)), 5);
        harness.submit(with(3, new Demand(1, 1, 0, 1000, List.of(), 3000, 1000)));
        harness.submit(with(4, new Demand(1, 1, 0, 1000, List.of(), 2500, 1000)));

        assertRejected(preempt(3, harness.exclusive(4), 1L), "node 1 lacks CPU or RAM");
        assertThat(harness.apply(preempt(4, harness.exclusive(4), 1L)).records())
                .noneMatch(HistoryRecord.ActionRejected.class::isInstance);
    }

    private void refusedOnly(Action action) {
        assertThat(harness.apply(action).records()).singleElement().isInstanceOf(HistoryRecord.ActionRejected.class);
    }
}
