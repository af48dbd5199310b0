package dev.fermata.core.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fermata.core.contract.Action;
import dev.fermata.core.contract.Decision;
import dev.fermata.core.contract.Estimator;
import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.SchedulerSnapshot;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.ClusterMatch;
import dev.fermata.core.model.GpuCatalogue;
import dev.fermata.core.model.GpuType;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.NodeInventory;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PolicySpec;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** GPUs that are gone when a scheduler continues the state of another one. */
class MissingGpuTest {
    private static final Estimator DECLARED = (job, now) -> 1000;

    private static Topology machine(String... gpuIds) {
        GpuType type = GpuCatalogue.byName("H100");
        return Topology.builder()
                .node("host", type, gpuIds.length, 64_000, 1000, new NodeInventory("m", List.of(gpuIds), List.of()))
                .build();
    }

    private static Scheduler scheduler(Topology topology) {
        return new Scheduler(topology, PolicySpec.parse("fifo").create(), DECLARED, GuardMode.FULL, true);
    }

    private static Event.Submitted submitted(long id, int gpus) {
        return new Event.Submitted(Job.builder(id, gpus).build());
    }

    private static JobView job(Scheduler scheduler, long id) {
        return Objects.requireNonNull(scheduler.job(id));
    }

    /** One job on GPUs 0 and 1, one on GPU 2; then GPU 1 is gone and GPU e is new. */
    private static Scheduler afterLoss() {
        Topology before = machine("a", "b", "c", "d");
        Scheduler first = scheduler(before);
        first.runCycle(1, List.of(submitted(1, 2), submitted(2, 1)));
        SchedulerSnapshot snapshot = first.snapshot();
        Topology now = ClusterMatch.match(before, machine("a", "c", "d", "e"));
        Scheduler next = scheduler(now);
        next.restore(snapshot);
        return next;
    }

    @Test
    void jobsKeepTheirGpusAndAMissingOneIsNeverFree() {
        Scheduler scheduler = afterLoss();
        assertThat(job(scheduler, 1).allocation()).hasToString("[0, 1]");
        assertThat(job(scheduler, 2).allocation()).hasToString("[2]");
        scheduler.runCycle(2, List.of(submitted(3, 1), submitted(4, 1), submitted(5, 1)));
        assertThat(job(scheduler, 3).allocation()).hasToString("[3]");
        assertThat(job(scheduler, 4).allocation()).hasToString("[4]");
        assertThat(job(scheduler, 5).state()).isEqualTo(JobState.PENDING);
        assertThat(scheduler.view().gpusUp()).isEqualTo(4);
        scheduler.runCycle(3, List.of(new Event.GpuUp(1))); // it was never down
        assertThat(job(scheduler, 5).state()).isEqualTo(JobState.PENDING);
        assertThat(scheduler.view().gpusUp()).isEqualTo(4);
    }

    @Test
    void aJobThatNeedsAMissingGpuIsRejected() {
        Scheduler scheduler = afterLoss();
        Decision decision = scheduler.runCycle(2, List.of(submitted(3, 5), submitted(4, 4)));
        assertThat(decision.records())
                .filteredOn(record -> record instanceof HistoryRecord.JobRejected)
                .extracting(HistoryRecord::jobId)
                .containsExactly(3L);
    }

    @Test
    void theChangeIsRecordedAndReservationsOfMissingGpusAreReleased() {
        Topology before = machine("a", "b", "c");
        SchedulerHarness first = new SchedulerHarness(before);
        first.at(1).startAndRun(SchedulerHarness.job(1, 2), 0, 1);
        first.submit(SchedulerHarness.job(2, 2));
        first.apply(new Action.Preempt(2, first.exclusive(0, 1), List.of(1L), 5, 1));
        assertThat(first.job(2).allocation()).hasToString("[0, 1]");
        Topology now = ClusterMatch.match(before, machine("a", "c"));
        Scheduler next = scheduler(now);
        next.restore(first.scheduler.snapshot());
        Decision decision = next.runCycle(10, List.of(new Event.ClusterChanged(now)));
        assertThat(decision.records())
                .startsWith(new HistoryRecord.ClusterChanged(now, 2), new HistoryRecord.ReservationReleased(2));
        Scheduler replayed = scheduler(now);
        replayed.restore(first.scheduler.snapshot());
        decision.records().forEach(record -> replayed.replay(10, record));
        assertThat(replayed.snapshot()).isEqualTo(next.snapshot());
    }

    @Test
    void aStateIsNotRestoredInTheNumbersOfOtherGpus() {
        Scheduler first = scheduler(machine("a", "b"));
        first.runCycle(1, List.of(submitted(1, 1)));
        Scheduler other = scheduler(machine("b", "a"));
        assertThatThrownBy(() -> other.restore(first.snapshot()))
                .hasMessage("the history names gpu 0 (a); this cluster has b under that number");
        Scheduler smaller = scheduler(machine("a"));
        assertThatThrownBy(() -> smaller.runCycle(2, List.of(new Event.ClusterChanged(machine("b", "a")))))
                .hasMessageContaining("gpu 0 (a) of this cluster would be another one");
    }

    @Test
    void capacityCountsNoMissingGpu() {
        Topology now = ClusterMatch.match(machine("a", "b", "c", "d"), machine("c", "d"));
        Capacity capacity = new Capacity(now);
        assertThat(capacity.available(0, Horizon.NOW)).isEqualTo(2);
        assertThat(capacity.availableOnNode(0, Horizon.SOON)).isEqualTo(2);
        assertThat(capacity.schedulableGpus(0)).isEqualTo(2);
        int[] picked = new int[2];
        capacity.pickGpus(0, 2, picked, 0, Horizon.NOW);
        assertThat(Allocation.of(now, picked, false)).hasToString("[2, 3]");
    }
}
