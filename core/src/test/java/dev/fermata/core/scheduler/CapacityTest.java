package dev.fermata.core.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.DrainNote;
import dev.fermata.core.contract.Horizon;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.GpuCatalogue;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Node;
import dev.fermata.core.model.Topology;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every operation has an exact inverse, and the indexes always agree with the GPUs. */
class CapacityTest {
    private static final Topology CLUSTER = Topology.builder()
            .rack()
            .node(GpuCatalogue.byName("V100"), 4)
            .node("small", GpuCatalogue.byName("V100"), 3, 8000, 64_000)
            .rack()
            .node(GpuCatalogue.byName("K80"), 70)
            .node("tiny", GpuCatalogue.byName("V100"), 1, 2000, 8_000)
            .build();

    private record HeldAllocation(Allocation allocation, Demand demand) {}

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void operationsUndoneInReverseOrderRestoreTheState(long seed) {
        Random random = new Random(seed);
        Capacity capacity = new Capacity(CLUSTER);
        String untouched = dump(capacity);
        List<HeldAllocation> held = new ArrayList<>();
        List<HeldAllocation> vacating = new ArrayList<>();
        Deque<Runnable> undo = new ArrayDeque<>();
        Deque<String> dumps = new ArrayDeque<>();
        for (int i = 0; i < 60; i++) {
            dumps.push(dump(capacity));
            undo.push(randomOperation(random, capacity, held, vacating));
            sumsAgree(capacity);
        }
        while (!undo.isEmpty()) {
            undo.pop().run();
            assertThat(dump(capacity)).as("seed %d", seed).isEqualTo(dumps.pop());
        }
        assertThat(dump(capacity)).isEqualTo(untouched);
    }

    private static Runnable randomOperation(
            Random random, Capacity capacity, List<HeldAllocation> held, List<HeldAllocation> vacating) {
        int operationType = random.nextInt(6);
        if (operationType == 0 && !held.isEmpty()) {
            HeldAllocation job = held.remove(random.nextInt(held.size()));
            vacating.add(job);
            capacity.vacate(job.allocation, job.demand, 1);
            return () -> capacity.vacate(job.allocation, job.demand, -1);
        }
        if (operationType == 1) {
            int gpu = random.nextInt(CLUSTER.gpuCount());
            boolean was = capacity.conditions.isGpuDown(gpu);
            capacity.setGpuDown(gpu, true);
            return () -> capacity.setGpuDown(gpu, was);
        }
        if (operationType == 2 && !vacating.isEmpty()) {
            HeldAllocation job = vacating.get(random.nextInt(vacating.size()));
            boolean empty = java.util.Arrays.stream(job.allocation.toArray()).noneMatch(capacity::isReserved);
            if (empty) {
                capacity.reserve(job.allocation, job.demand, 1);
                return () -> capacity.reserve(job.allocation, job.demand, -1);
            }
        }
        if (operationType == 3) {
            int node = random.nextInt(CLUSTER.nodes().size());
            boolean was = capacity.conditions.isDrained(node);
            capacity.setNodeDrained(node, was ? null : DrainNote.NONE);
            return () -> capacity.setNodeDrained(node, was ? DrainNote.NONE : null);
        }
        boolean shared = random.nextBoolean();
        int[] gpus = random.ints(0, CLUSTER.gpuCount())
                .limit(40)
                .filter(g -> capacity.isFree(g) || (shared && capacity.isShareable(g)))
                .distinct()
                .limit(1 + random.nextInt(4))
                .toArray();
        if (gpus.length == 0) {
            return () -> {};
        }
        Demand demand = new Demand(
                gpus.length, gpus.length, 1024, 100 * (1 + random.nextInt(10)), List.of(), random.nextInt(500), 100);
        HeldAllocation job = new HeldAllocation(Allocation.of(CLUSTER, gpus, shared), demand);
        held.add(job);
        capacity.occupy(job.allocation, demand, 1);
        return () -> capacity.occupy(job.allocation, demand, -1);
    }

    private static String dump(Capacity capacity) {
        StringBuilder out = new StringBuilder();
        for (int g = 0; g < CLUSTER.gpuCount(); g++) {
            out.append(capacity.isFree(g) ? 'f' : capacity.isShareable(g) ? 'o' : 't')
                    .append(capacity.jobsOn(g))
                    .append(capacity.vacatingJobs(g))
                    .append(capacity.isReserved(g) ? 'p' : '-')
                    .append(capacity.isSchedulable(g) ? '+' : 'x')
                    .append(capacity.freeGpuMemoryMib(g))
                    .append('/')
                    .append(capacity.freeGpuMilli(g))
                    .append(' ');
        }
        for (Horizon horizon : Horizon.values()) {
            for (Node node : CLUSTER.nodes()) {
                out.append(capacity.availableOnNode(node.index(), horizon))
                        .append(' ')
                        .append(capacity.availableCpuMilli(node.index(), horizon))
                        .append(' ')
                        .append(capacity.availableMemoryMib(node.index(), horizon))
                        .append(';');
            }
            for (int type = 0; type < 2; type++) {
                out.append(capacity.available(type, horizon));
                for (int c = 0; c <= 70; c++) {
                    out.append(',').append(capacity.nodeWithAvailable(type, c, 0, 4, horizon));
                }
            }
        }
        return out.append(capacity.gpusUp())
                .append(' ')
                .append(capacity.schedulableGpus(0))
                .append(' ')
                .append(capacity.schedulableGpus(1))
                .append(' ')
                .append(capacity.nextShareable(0, 0))
                .toString();
    }

    private static void sumsAgree(Capacity capacity) {
        int[][] free = new int[2][2];
        for (Node node : CLUSTER.nodes()) {
            int count = 0;
            for (int g = node.firstGpu(); g < node.firstGpu() + node.gpus(); g++) {
                count += capacity.isFree(g) ? 1 : 0;
            }
            assertThat(capacity.availableOnNode(node.index(), Horizon.NOW)).isEqualTo(count);
            free[node.rack()][node.type()] += count;
            int[] picked = new int[count];
            capacity.pickGpus(node.index(), count, picked, 0, Horizon.NOW);
            assertThat(picked).doesNotHaveDuplicates();
            assertThat(java.util.Arrays.stream(picked).allMatch(capacity::isFree))
                    .isTrue();
        }
        for (int type = 0; type < 2; type++) {
            assertThat(capacity.available(type, Horizon.NOW)).isEqualTo(free[0][type] + free[1][type]);
            assertThat(capacity.availableInRack(0, type, Horizon.NOW)).isEqualTo(free[0][type]);
            assertThat(capacity.availableInRack(1, type, Horizon.NOW)).isEqualTo(free[1][type]);
            assertThat(capacity.available(type, Horizon.SOON)).isGreaterThanOrEqualTo(free[0][type] + free[1][type]);
        }
    }

    @Test
    void aGpuBeingVacatedIsAvailableSoonAndNotNow() {
        Capacity capacity = new Capacity(CLUSTER);
        Allocation both = Allocation.of(CLUSTER, new int[] {0, 1}, false);
        capacity.occupy(both, Demand.gpus(2), 1);
        assertThat(capacity.availableOnNode(0, Horizon.SOON)).isEqualTo(2);

        capacity.vacate(both, Demand.gpus(2), 1);

        assertThat(capacity.availableOnNode(0, Horizon.NOW)).isEqualTo(2);
        assertThat(capacity.availableOnNode(0, Horizon.SOON)).isEqualTo(4);
        assertThat(capacity.isVacated(both)).isFalse();
    }

    @Test
    void aSharedGpuIsVacatedOnlyWhenAllItsJobsVacateIt() {
        Capacity capacity = new Capacity(CLUSTER);
        Allocation gpu = Allocation.of(CLUSTER, new int[] {0}, true);
        Demand demand = new Demand(1, 1, 1024, 300, List.of(), 0, 0);
        capacity.occupy(gpu, demand, 1);
        capacity.occupy(gpu, demand, 1);
        assertThat(capacity.isShareable(0)).isTrue();
        assertThat(capacity.freeGpuMilli(0)).isEqualTo(400);
        assertThat(capacity.freeGpuMemoryMib(0)).isEqualTo(32 * 1024 - 2048);

        capacity.vacate(gpu, demand, 1);
        assertThat(capacity.isShareable(0)).isFalse();
        assertThat(capacity.availableOnNode(0, Horizon.SOON)).isEqualTo(3);

        capacity.vacate(gpu, demand, 1);
        assertThat(capacity.availableOnNode(0, Horizon.SOON)).isEqualTo(4);
    }

    @Test
    void hostResourcesLimitWhatANodeCanServe() {
        Capacity capacity = new Capacity(CLUSTER);
        Demand demanding = new Demand(1, 1, 0, 1000, List.of(), 3000, 0);

        assertThat(capacity.hostCapacityFor(0, demanding, Horizon.NOW)).isGreaterThan(1000);
        assertThat(capacity.hostCapacityFor(1, demanding, Horizon.NOW)).isEqualTo(2);
        assertThat(capacity.hostCapacityFor(3, demanding, Horizon.NOW)).isZero();

        Allocation one = Allocation.of(CLUSTER, new int[] {4}, false);
        capacity.occupy(one, demanding, 1);
        capacity.vacate(one, demanding, 1);
        assertThat(capacity.hostCapacityFor(1, demanding, Horizon.NOW)).isEqualTo(1);
        assertThat(capacity.hostCapacityFor(1, demanding, Horizon.SOON)).isEqualTo(2);
    }

    @Test
    void aRolledBackDraftRestoresTheState() {
        Capacity capacity = new Capacity(CLUSTER);
        TrackedJob runs = new TrackedJob(Job.builder(1, 2).build(), 0, 0, 1, new int[] {0});
        runs.held = Allocation.of(CLUSTER, new int[] {0, 1}, false);
        capacity.occupy(runs.held, runs.job.demand(), 1);
        TrackedJob waits = new TrackedJob(Job.builder(2, 4).build(), 1, 0, 1, new int[] {0});
        CapacityDraft draft = new CapacityDraft(() -> capacity);
        String before = dump(capacity);

        draft.evict(runs);
        int mark = draft.mark();
        String evicted = dump(capacity);
        draft.allocate(waits, Allocation.of(CLUSTER, new int[] {0, 1, 2, 3}, false));
        draft.allocate(waits, Allocation.of(CLUSTER, new int[] {7}, true));
        assertThat(draft.capacity().available(0, Horizon.SOON)).isEqualTo(4);

        draft.rollback(mark);
        assertThat(dump(capacity)).isEqualTo(evicted);
        draft.rollback(0);
        assertThat(dump(capacity)).isEqualTo(before);
    }

    @Test
    void aKeptJobIsAsIfItHadNeverBeenEvicted() {
        Capacity capacity = new Capacity(CLUSTER);
        TrackedJob first = running(1, capacity, 0, 1);
        TrackedJob second = running(2, capacity, 2, 4);
        TrackedJob waits = new TrackedJob(Job.builder(3, 2).build(), 1, 0, 1, new int[] {0});
        CapacityDraft draft = new CapacityDraft(() -> capacity);
        String before = dump(capacity);
        draft.evict(second);
        draft.allocate(waits, Allocation.of(CLUSTER, new int[] {2, 4}, false));
        String onlySecond = dump(capacity);
        draft.rollback(0);

        draft.evict(first);
        draft.evict(second);
        draft.allocate(waits, Allocation.of(CLUSTER, new int[] {2, 4}, false));
        draft.keep(first);

        assertThat(dump(capacity)).isEqualTo(onlySecond);
        assertThat(draft.mark()).isEqualTo(2);
        draft.rollback(0);
        assertThat(dump(capacity)).isEqualTo(before);
    }

    private static TrackedJob running(long id, Capacity capacity, int... gpus) {
        TrackedJob job = new TrackedJob(Job.builder(id, gpus.length).build(), 0, 0, 1, new int[] {0});
        job.held = Allocation.of(CLUSTER, gpus, false);
        capacity.occupy(job.held, job.job.demand(), 1);
        return job;
    }

    @Test
    void cpuAndRamOfWhatHasLeftAreNoLongerBeingVacated() {
        Capacity capacity = new Capacity(CLUSTER);
        Demand demanding = new Demand(1, 1, 0, 1000, List.of(), 3000, 20_000);
        Allocation one = Allocation.of(CLUSTER, new int[] {4}, false);
        capacity.occupy(one, demanding, 1);
        capacity.vacate(one, demanding, 1);
        assertThat(capacity.availableCpuMilli(1, Horizon.NOW)).isEqualTo(5000);
        assertThat(capacity.availableCpuMilli(1, Horizon.SOON)).isEqualTo(8000);
        assertThat(capacity.availableMemoryMib(1, Horizon.SOON)).isEqualTo(64_000);

        capacity.releaseVacated(one, demanding);

        assertThat(capacity.availableCpuMilli(1, Horizon.SOON)).isEqualTo(8000);
        assertThat(capacity.availableMemoryMib(1, Horizon.SOON)).isEqualTo(64_000);
        assertThat(capacity.availableMemoryMib(1, Horizon.NOW)).isEqualTo(64_000);
    }
}
