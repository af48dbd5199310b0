package dev.fermata.core.cycle;

import static org.assertj.core.api.Assertions.assertThat;

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

/** Every operation has an exact inverse, and the indexes always say what the GPUs say. */
class CapacityTest {
    private static final Topology CLUSTER = Topology.builder()
            .rack()
            .node(GpuCatalogue.named("V100"), 4)
            .node("small", GpuCatalogue.named("V100"), 3, 8000, 64_000)
            .rack()
            .node(GpuCatalogue.named("K80"), 70)
            .node("tiny", GpuCatalogue.named("V100"), 1, 2000, 8_000)
            .build();

    private record Held(Allocation allocation, Demand demand) {}

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void operationsUndoneInReverseLeaveNoTrace(long seed) {
        Random random = new Random(seed);
        Capacity capacity = new Capacity(CLUSTER);
        String untouched = picture(capacity);
        List<Held> held = new ArrayList<>();
        List<Held> leaving = new ArrayList<>();
        Deque<Runnable> undo = new ArrayDeque<>();
        Deque<String> pictures = new ArrayDeque<>();
        for (int i = 0; i < 60; i++) {
            pictures.push(picture(capacity));
            undo.push(operation(random, capacity, held, leaving));
            sumsAgree(capacity);
        }
        while (!undo.isEmpty()) {
            undo.pop().run();
            assertThat(picture(capacity)).as("seed %d", seed).isEqualTo(pictures.pop());
        }
        assertThat(picture(capacity)).isEqualTo(untouched);
    }

    private static Runnable operation(Random random, Capacity capacity, List<Held> held, List<Held> leaving) {
        int kind = random.nextInt(5);
        if (kind == 0 && !held.isEmpty()) {
            Held job = held.remove(random.nextInt(held.size()));
            leaving.add(job);
            capacity.leave(job.allocation, job.demand, 1);
            return () -> capacity.leave(job.allocation, job.demand, -1);
        }
        if (kind == 1) {
            int gpu = random.nextInt(CLUSTER.gpuCount());
            boolean was = !capacity.isHealthy(gpu);
            capacity.gpuFault(gpu, true);
            return () -> capacity.gpuFault(gpu, was);
        }
        if (kind == 2 && !leaving.isEmpty()) {
            Held job = leaving.get(random.nextInt(leaving.size()));
            boolean empty = java.util.Arrays.stream(job.allocation.toArray()).noneMatch(capacity::isPromised);
            if (empty) {
                capacity.promise(job.allocation, job.demand, 1);
                return () -> capacity.promise(job.allocation, job.demand, -1);
            }
        }
        boolean shared = random.nextBoolean();
        int[] gpus = random.ints(0, CLUSTER.gpuCount())
                .limit(40)
                .filter(g -> capacity.isFree(g) || (shared && capacity.open(g)))
                .distinct()
                .limit(1 + random.nextInt(4))
                .toArray();
        if (gpus.length == 0) {
            return () -> {};
        }
        Demand demand = new Demand(
                gpus.length, gpus.length, 1024, 100 * (1 + random.nextInt(10)), List.of(), random.nextInt(500), 100);
        Held job = new Held(Allocation.of(CLUSTER, gpus, shared), demand);
        held.add(job);
        capacity.hold(job.allocation, demand, 1);
        return () -> capacity.hold(job.allocation, demand, -1);
    }

    private static String picture(Capacity capacity) {
        StringBuilder out = new StringBuilder();
        for (int g = 0; g < CLUSTER.gpuCount(); g++) {
            out.append(capacity.isFree(g) ? 'f' : capacity.open(g) ? 'o' : 't')
                    .append(capacity.sharers(g))
                    .append(capacity.leaving(g))
                    .append(capacity.isPromised(g) ? 'p' : '-')
                    .append(capacity.isHealthy(g) ? '+' : 'x')
                    .append(capacity.memoryLeftMib(g))
                    .append('/')
                    .append(capacity.milliLeft(g))
                    .append(' ');
        }
        for (Horizon horizon : Horizon.values()) {
            for (Node node : CLUSTER.nodes()) {
                out.append(capacity.onNode(node.index(), horizon))
                        .append(' ')
                        .append(capacity.cpuMilli(node.index(), horizon))
                        .append(' ')
                        .append(capacity.memoryMib(node.index(), horizon))
                        .append(';');
            }
            for (int type = 0; type < 2; type++) {
                out.append(capacity.available(type, horizon));
                for (int c = 0; c <= 70; c++) {
                    out.append(',').append(capacity.nodeWith(type, c, 0, 4, horizon));
                }
            }
        }
        return out.append(capacity.gpusUp()).append(capacity.nextOpen(0, 0)).toString();
    }

    private static void sumsAgree(Capacity capacity) {
        int[][] free = new int[2][2];
        for (Node node : CLUSTER.nodes()) {
            int count = 0;
            for (int g = node.firstGpu(); g < node.firstGpu() + node.gpus(); g++) {
                count += capacity.isFree(g) ? 1 : 0;
            }
            assertThat(capacity.onNode(node.index(), Horizon.NOW)).isEqualTo(count);
            free[node.rack()][node.type()] += count;
            int[] picked = new int[count];
            capacity.pick(node.index(), count, picked, 0, Horizon.NOW);
            assertThat(picked).doesNotHaveDuplicates();
            assertThat(java.util.Arrays.stream(picked).allMatch(capacity::isFree))
                    .isTrue();
        }
        for (int type = 0; type < 2; type++) {
            assertThat(capacity.available(type, Horizon.NOW)).isEqualTo(free[0][type] + free[1][type]);
            assertThat(capacity.inRack(0, type, Horizon.NOW)).isEqualTo(free[0][type]);
            assertThat(capacity.inRack(1, type, Horizon.NOW)).isEqualTo(free[1][type]);
            assertThat(capacity.available(type, Horizon.SOON)).isGreaterThanOrEqualTo(free[0][type] + free[1][type]);
        }
    }

    @Test
    void aGpuBeingVacatedIsAvailableSoonAndNotNow() {
        Capacity capacity = new Capacity(CLUSTER);
        Allocation both = Allocation.of(CLUSTER, new int[] {0, 1}, false);
        capacity.hold(both, Demand.gpus(2), 1);
        assertThat(capacity.onNode(0, Horizon.SOON)).isEqualTo(2);

        capacity.leave(both, Demand.gpus(2), 1);

        assertThat(capacity.onNode(0, Horizon.NOW)).isEqualTo(2);
        assertThat(capacity.onNode(0, Horizon.SOON)).isEqualTo(4);
        assertThat(capacity.vacated(both)).isFalse();
    }

    @Test
    void aSharedGpuIsVacatedOnlyWhenAllItsJobsLeave() {
        Capacity capacity = new Capacity(CLUSTER);
        Allocation gpu = Allocation.of(CLUSTER, new int[] {0}, true);
        Demand demand = new Demand(1, 1, 1024, 300, List.of(), 0, 0);
        capacity.hold(gpu, demand, 1);
        capacity.hold(gpu, demand, 1);
        assertThat(capacity.open(0)).isTrue();
        assertThat(capacity.milliLeft(0)).isEqualTo(400);
        assertThat(capacity.memoryLeftMib(0)).isEqualTo(32 * 1024 - 2048);

        capacity.leave(gpu, demand, 1);
        assertThat(capacity.open(0)).isFalse();
        assertThat(capacity.onNode(0, Horizon.SOON)).isEqualTo(3);

        capacity.leave(gpu, demand, 1);
        assertThat(capacity.onNode(0, Horizon.SOON)).isEqualTo(4);
    }

    @Test
    void hostsLimitWhatANodeCanServe() {
        Capacity capacity = new Capacity(CLUSTER);
        Demand hungry = new Demand(1, 1, 0, 1000, List.of(), 3000, 0);

        assertThat(capacity.hostRoom(0, hungry, Horizon.NOW)).isGreaterThan(1000);
        assertThat(capacity.hostRoom(1, hungry, Horizon.NOW)).isEqualTo(2);
        assertThat(capacity.hostRoom(3, hungry, Horizon.NOW)).isZero();

        Allocation one = Allocation.of(CLUSTER, new int[] {4}, false);
        capacity.hold(one, hungry, 1);
        capacity.leave(one, hungry, 1);
        assertThat(capacity.hostRoom(1, hungry, Horizon.NOW)).isEqualTo(1);
        assertThat(capacity.hostRoom(1, hungry, Horizon.SOON)).isEqualTo(2);
    }

    @Test
    void aDraftRolledBackLeavesNoTrace() {
        Capacity capacity = new Capacity(CLUSTER);
        JobRecord runs = new JobRecord(Job.builder(1, 2).build(), 0, 0, 1, new int[] {0});
        runs.held = Allocation.of(CLUSTER, new int[] {0, 1}, false);
        capacity.hold(runs.held, runs.job.demand(), 1);
        JobRecord waits = new JobRecord(Job.builder(2, 4).build(), 1, 0, 1, new int[] {0});
        LedgerDraft draft = new LedgerDraft(capacity);
        String before = picture(capacity);

        draft.evict(runs);
        int mark = draft.mark();
        String evicted = picture(capacity);
        draft.take(waits, Allocation.of(CLUSTER, new int[] {0, 1, 2, 3}, false));
        draft.take(waits, Allocation.of(CLUSTER, new int[] {7}, true));
        assertThat(draft.space().available(0, Horizon.SOON)).isEqualTo(4);

        draft.rollback(mark);
        assertThat(picture(capacity)).isEqualTo(evicted);
        draft.rollback(0);
        assertThat(picture(capacity)).isEqualTo(before);
    }
}
