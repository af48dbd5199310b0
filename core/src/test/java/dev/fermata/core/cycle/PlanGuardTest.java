package dev.fermata.core.cycle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Action;
import dev.fermata.core.contract.Decision;
import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Fact;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.GpuCatalogue;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Topology;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A naughty policy breaks one law at a time; the guard names it, nothing is done, and the books stay sound. */
class PlanGuardTest {
    private final Bench bench = new Bench(Topology.builder()
            .node(GpuCatalogue.named("V100"), 4)
            .node("small", GpuCatalogue.named("V100"), 2, 4000, 8000)
            .node(GpuCatalogue.named("K80"), 2)
            .build());

    private static Action.Preempt preempt(long job, dev.fermata.core.model.Allocation place, Long... victims) {
        return new Action.Preempt(job, place, List.of(victims), 0, 0);
    }

    private static Job with(long id, Demand demand) {
        return Job.builder(id, demand.maxGpus()).demand(demand).build();
    }

    private void refuses(Action action, String rule) {
        Decision decision = bench.act(action);

        assertThat(decision.commands()).isEmpty();
        assertThat(decision.facts()).singleElement().isInstanceOfSatisfying(Fact.Rejected.class, rejected -> {
            assertThat(rejected.rule()).contains(rule);
            assertThat(rejected.action()).isEqualTo(action.toString());
        });
        bench.hear(); // counts everything again
    }

    @Test
    void nobodyStartsWhoDoesNotExist() {
        refuses(new Action.Start(9, bench.on(0)), "no such live job");
        refuses(new Action.Move(9, bench.on(0)), "only a running job can move");
        refuses(preempt(9, bench.on(0)), "no such live job");
    }

    @Test
    void aJobHasOneAttemptAtATime() {
        bench.runs(Bench.job(1, 1), 0);

        refuses(new Action.Start(1, bench.on(1)), "at most one live attempt");
    }

    @Test
    void whoIsPromisedGpusWaitsForThem() {
        bench.runs(Bench.job(1, 4), 0, 1, 2, 3);
        bench.submit(Bench.job(2, 4));
        bench.act(preempt(2, bench.on(0, 1, 2, 3), 1L));

        refuses(new Action.Start(2, bench.on(4)), "promised GPUs already");
    }

    @Test
    void aGangGetsAllOrNone() {
        bench.submit(Bench.job(1, 2));

        refuses(new Action.Start(1, bench.on(0)), "all of its GPUs or none");
        refuses(new Action.Start(1, bench.on(0, 1, 2)), "all of its GPUs or none");
    }

    @Test
    void aJobRunsOnlyOnTypesItMay() {
        bench.submit(with(1, new Demand(1, 1, 0, 1000, List.of("V100"), 0, 0)));

        refuses(new Action.Start(1, bench.on(6)), "a type the job may not run on");
    }

    @Test
    void noGpuIsGivenTwice() {
        bench.runs(Bench.job(1, 2), 0, 1);
        bench.submit(Bench.job(2, 2));

        refuses(new Action.Start(2, bench.on(1, 2)), "gpu 1 is in use");
    }

    @Test
    void noGpuIsGivenTwiceInOnePlan() {
        bench.submit(Bench.job(1, 2), Bench.job(2, 2));

        Decision decision = bench.act(new Action.Start(1, bench.on(0, 1)), new Action.Start(2, bench.on(1, 2)));

        assertThat(decision.commands()).hasSize(1);
        assertThat(decision.facts()).last().isInstanceOf(Fact.Rejected.class);
    }

    @Test
    void promisedGpusGoToNobodyElse() {
        bench.runs(Bench.job(1, 2), 0, 1);
        bench.submit(Bench.job(2, 3), Bench.job(3, 1));
        bench.act(preempt(2, bench.on(0, 1, 2), 1L));

        refuses(new Action.Start(3, bench.on(2)), "promised to another job");
        refuses(preempt(3, bench.on(0)), "promised to another job");
    }

    @Test
    void deadGpusAreNotUsed() {
        bench.submit(Bench.job(1, 1));
        bench.hear(new Event.GpuDown(3));

        refuses(new Action.Start(1, bench.on(3)), "down");
        refuses(preempt(1, bench.on(3)), "down");
    }

    @Test
    void noCpuOrRamIsGivenTwice() {
        bench.submit(
                with(1, new Demand(1, 1, 0, 1000, List.of(), 3000, 0)),
                with(2, new Demand(1, 1, 0, 1000, List.of(), 3000, 0)),
                with(3, new Demand(1, 1, 0, 1000, List.of(), 0, 9000)));
        bench.act(new Action.Start(1, bench.on(4)));

        refuses(new Action.Start(2, bench.on(5)), "lacks CPU or RAM");
        refuses(new Action.Start(3, bench.on(5)), "lacks CPU or RAM");
    }

    @Test
    void aSharedGpuHoldsNoMoreMemoryThanItHas() {
        Demand twenty = new Demand(1, 1, 20 * 1024, 1000, List.of(), 0, 0);
        bench.submit(with(1, twenty), with(2, twenty), Bench.job(3, 1));
        bench.act(new Action.Start(1, bench.shared(0)));

        refuses(new Action.Start(2, bench.shared(0)), "has only 12288 MiB left");
        refuses(new Action.Start(3, bench.shared(0)), "unknown memory");
    }

    @Test
    void aSharedGpuHoldsNoMoreComputeThanItHas() {
        Demand most = new Demand(1, 1, 1024, 700, List.of(), 0, 0);
        bench.submit(with(1, most), with(2, most));
        bench.act(new Action.Start(1, bench.shared(0)));

        refuses(new Action.Start(2, bench.shared(0)), "has only 300/1000 of its compute left");
    }

    @Test
    void nobodySharesAGpuThatIsHeldAlone() {
        bench.runs(Bench.job(1, 1), 0);
        bench.submit(with(2, new Demand(1, 1, 1024, 1000, List.of(), 0, 0)));

        refuses(new Action.Start(2, bench.shared(0)), "neither free nor open for sharing");
    }

    @Test
    void aLoadingJobIsNeverPreempted() {
        bench.submit(Bench.job(1, 1), Bench.job(2, 1));
        bench.act(new Action.Start(1, bench.on(0)));

        refuses(preempt(2, bench.on(0), 1L), "a loading job is never preempted");
    }

    @Test
    void nobodyIsPreemptedBeyondItsBudget() {
        bench.runs(Job.builder(1, 1).maxPreemptions(0).build(), 0);
        bench.submit(Bench.job(2, 1));

        refuses(preempt(2, bench.on(0), 1L), "spent its preemption budget");
        refuses(new Action.Move(1, bench.on(1)), "budget is spent");
    }

    @Test
    void aVictimFreesWhatTheBeneficiaryStartsOn() {
        bench.runs(Bench.job(1, 1), 0);
        bench.submit(Bench.job(2, 1));

        refuses(preempt(2, bench.on(1), 1L), "frees nothing that the beneficiary will start on");
    }

    @Test
    void whoIsNotAskedToLeaveStays() {
        bench.runs(Bench.job(1, 2), 0, 1);
        bench.runs(Bench.job(2, 2), 2, 3);
        bench.submit(Bench.job(3, 4));

        refuses(preempt(3, bench.on(0, 1, 2, 3), 1L), "in use by a job that is not leaving");
    }

    @Test
    void onlyARunningJobMovesAndOnlyToFreeGpus() {
        bench.runs(Bench.job(1, 1), 0);
        bench.runs(Bench.job(2, 1), 1);

        refuses(new Action.Move(1, bench.on(1)), "in use");
        refuses(new Action.Move(1, bench.on(2, 3)), "all of its GPUs or none");
    }

    @Test
    void whatIsRefusedIsShownToThePolicyAgain() {
        bench.submit(Bench.job(1, 2));
        bench.act(new Action.Start(1, bench.on(0)));

        assertThat(bench.scheduler.view().changed()).extracting("slot").containsExactly(0);
    }
}
