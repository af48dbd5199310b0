package dev.fermata.core.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fermata.core.contract.Action;
import dev.fermata.core.contract.Decision;
import dev.fermata.core.contract.Estimator;
import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.PendingReason;
import dev.fermata.core.contract.PreemptWay;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.GpuType;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Node;
import dev.fermata.core.model.NodeInventory;
import dev.fermata.core.model.NodeSpec;
import dev.fermata.core.model.Speed;
import dev.fermata.core.model.SuspendCosts;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PolicySpec;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Nodes that change while jobs hold their GPUs; the guard counts everything again after each cycle. */
class ClusterNodesTest {
    private static final GpuType H100 = new GpuType("H100", 80_000, 2.0);
    private static final GpuType RENAMED = new GpuType("NVIDIA H100", 81_559, 2.0);
    private static final Estimator DECLARED = (job, now) -> 1000;

    private long now;

    private static NodeSpec node(String id, GpuType type, int gpus, Integer... missing) {
        List<String> ids = IntStream.range(0, gpus).mapToObj(i -> id + "-" + i).toList();
        return new NodeSpec(
                id, "r1", type, gpus, new Node.Host(64_000, 64_000), new NodeInventory(id, ids, List.of(missing)));
    }

    /** Two nodes with two GPUs each. */
    private static Topology cluster() {
        return Topology.builder()
                .rack("r1")
                .node("a", H100, 2, 64_000, 64_000, node("a", H100, 2).inventory())
                .node("b", H100, 2, 64_000, 64_000, node("b", H100, 2).inventory())
                .build();
    }

    private static Scheduler fifo() {
        return new Scheduler(cluster(), () -> PolicySpec.parse("fifo").create(), DECLARED, GuardMode.FULL, true, false);
    }

    private Decision cycle(Scheduler scheduler, Event... events) {
        return scheduler.runCycle(++now, List.of(events));
    }

    private static Event submitted(long id, int gpus) {
        return new Event.Submitted(Job.builder(id, gpus).build());
    }

    private static JobView job(Scheduler scheduler, long id) {
        return Objects.requireNonNull(scheduler.job(id));
    }

    private static Event ended(Scheduler scheduler, long id, Outcome outcome) {
        return new Event.AttemptEnded(id, job(scheduler, id).attempt(), outcome, Usage.NONE);
    }

    @Test
    void theLastNodeGrowsInPlace() {
        Scheduler scheduler = fifo();
        cycle(scheduler, submitted(1, 2), submitted(2, 2), submitted(3, 2));
        assertThat(job(scheduler, 3).state()).isEqualTo(JobState.PENDING);
        Decision decision = cycle(scheduler, new Event.NodeChanged(1, node("b", H100, 4)));
        assertThat(decision.records()).startsWith(new HistoryRecord.NodeChanged(1, node("b", H100, 4), 6));
        assertThat(job(scheduler, 3).allocation()).hasToString("[4, 5]");
        assertThat(scheduler.view().topology().largestNode(0)).isEqualTo(4);
    }

    @Test
    void aNodeInTheMiddleKeepsItsNumberOfGpus() {
        Scheduler scheduler = fifo();
        assertThatThrownBy(() -> cycle(scheduler, new Event.NodeChanged(0, node("a", H100, 4))))
                .hasMessage("node (a) has 4 GPUs and cannot take the slot of another number");
        assertThatThrownBy(() -> cycle(fifo(), new Event.NodeChanged(1, node("b", H100, 1))))
                .hasMessage("node (b) has 1 GPUs and cannot take the slot of another number");
    }

    @Test
    void aGpuThatVanishesUnderAJobIsNotFreeAfterIt() {
        Scheduler scheduler = fifo();
        cycle(scheduler, submitted(1, 2), submitted(2, 2));
        cycle(scheduler, new Event.NodeChanged(0, node("a", H100, 2, 1)));
        assertThat(job(scheduler, 1).state()).isEqualTo(JobState.STARTING);
        cycle(scheduler, ended(scheduler, 1, Outcome.LOST), submitted(3, 1));
        assertThat(job(scheduler, 1).state()).isEqualTo(JobState.PENDING);
        assertThat(job(scheduler, 3).state()).isEqualTo(JobState.PENDING); // fifo: job 1 is first
        cycle(scheduler, new Event.NodeChanged(0, node("a", H100, 2)));
        assertThat(job(scheduler, 1).allocation()).hasToString("[0, 1]");
    }

    @Test
    void anotherNameOfTheTypeMovesTheCountersOfSharedJobs() {
        SchedulerHarness harness = new SchedulerHarness(cluster());
        Job sharing = Job.builder(1, 1)
                .demand(new Demand(1, 1, 10_000, 500, List.of(), 1000, 1000))
                .build();
        harness.at(1).submit(sharing);
        harness.apply(new Action.Start(1, harness.shared(0)));
        harness.handle(new Event.NodeChanged(0, node("a", RENAMED, 2)));
        assertThat(harness.scheduler.view().capacity().freeGpuMemoryMib(0)).isEqualTo(81_559 - 10_000);
        assertThat(harness.scheduler.view().topology().gpuCount(1)).isEqualTo(2);
        harness.end(1, Outcome.COMPLETED);
        assertThat(harness.scheduler.view().capacity().freeGpuMemoryMib(0)).isEqualTo(81_559);
    }

    @Test
    void withoutAnyNodeEverythingWaitsAndStartsWhenOneReturns() {
        Scheduler scheduler = fifo();
        cycle(scheduler, submitted(1, 2), submitted(2, 1));
        cycle(
                scheduler,
                new Event.NodeRemoved(0),
                new Event.NodeRemoved(1),
                ended(scheduler, 1, Outcome.LOST),
                ended(scheduler, 2, Outcome.LOST));
        assertThat(scheduler.view().gpusUp()).isZero();
        assertThat(scheduler.explain(1)).isInstanceOf(PendingReason.NoNodes.class);
        assertThat(scheduler.explain(2)).isInstanceOf(PendingReason.NoNodes.class);
        cycle(scheduler, new Event.NodeAdded(node("c", H100, 2)));
        assertThat(job(scheduler, 1).allocation()).hasToString("[0, 1]");
        assertThat(scheduler.explain(2)).isNotInstanceOf(PendingReason.NoNodes.class);
    }

    /** The counters stay without a walk over the jobs, so what decides about the walk must notice every size. */
    @Test
    void jobsOfEverySizeLackNodesExactlyWhileThereAreTooFew() {
        Scheduler scheduler = fifo();
        cycle(scheduler, submitted(1, 4), submitted(2, 3), submitted(3, 2));
        cycle(scheduler, new Event.NodeRemoved(1), ended(scheduler, 1, Outcome.LOST));
        assertThat(job(scheduler, 3).state()).isEqualTo(JobState.STARTING);
        assertThat(scheduler.explain(1)).isInstanceOf(PendingReason.NoNodes.class);
        assertThat(scheduler.explain(2)).isInstanceOf(PendingReason.NoNodes.class);
        cycle(scheduler, new Event.NodeAdded(node("c", H100, 2)));
        assertThat(scheduler.explain(1)).isNotInstanceOf(PendingReason.NoNodes.class);
        assertThat(scheduler.explain(2)).isNotInstanceOf(PendingReason.NoNodes.class);
    }

    /** Another machine may have the slot of that node next, and the job would return to it. */
    @Test
    void aJobThatIsSuspendedOnANodeThatHasLeftLosesItsProcesses() {
        SchedulerHarness harness = new SchedulerHarness(cluster());
        Costs costs = Costs.NONE.withSuspend(new SuspendCosts(1, 1, 0, SuspendCosts.Reach.SAME_NODE));
        Job victim = Job.builder(1, 2).costs(costs).declaredMillis(100_000).build();
        harness.at(1).startAndRun(victim, 0, 1);
        harness.submit(SchedulerHarness.job(2, 2));
        harness.at(2)
                .apply(new Action.Preempt(2, harness.exclusive(0, 1), List.of(1L), List.of(PreemptWay.SUSPEND), 5, 1));
        assertThat(harness.job(1).state()).isEqualTo(JobState.PREEMPTING);
        harness.handle(new Event.NodeRemoved(0));
        Decision decision = harness.end(1, Outcome.SUSPENDED);
        assertThat(decision.records()).anyMatch(record -> record instanceof HistoryRecord.SuspensionEnded);
        assertThat(harness.job(1).suspension()).isNull();
        harness.handle(new Event.NodeAdded(node("c", H100, 2)));
        assertThat(harness.scheduler.view().topology().node(0).name()).isEqualTo("c");
        Allocation anywhere = harness.exclusive(2, 3);
        harness.apply(new Action.Start(1, anywhere));
        assertThat(harness.job(1).allocation()).isEqualTo(anywhere);
        harness.handle(new Event.Running(1, harness.attempt(1), Speed.UNIT));
    }
}
