package dev.fermata.insight.experiment;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

class RunQueueTest {

    @Test
    void longestRunOfTheOpenGroupsIsNext() {
        Map<String, Double> seconds = Map.of("fifo", 1.0, "las", 2.0, "srtf", 9.0);
        List<MatrixCell> cells = MatrixCells.of(List.of("fifo", "las", "srtf"), List.of(1L, 2L, 3L), 10);

        RunQueue runQueue = new RunQueue(
                groups(cells), cell -> seconds.getOrDefault(cell.policy().text(), 0.0));

        List<String> order = new ArrayList<>();
        for (Optional<RunQueue.QueuedRun> queued = runQueue.next(); queued.isPresent(); queued = runQueue.next()) {
            order.add(queued.get().cell().policy().text() + queued.get().cell().seed());
        }
        assertThat(order).containsExactly("srtf1", "srtf2", "las1", "las2", "fifo1", "srtf3", "las3", "fifo2", "fifo3");
    }

    @Test
    void largeWorkloadsComeFirst() {
        List<MatrixCell> small = MatrixCells.of(List.of("fifo"), List.of(1L), 10);
        List<MatrixCell> large = MatrixCells.of(List.of("fifo"), List.of(1L), 500);

        RunQueue runQueue = new RunQueue(
                List.of(new WorkloadGroup(small), new WorkloadGroup(large)), cell -> Double.POSITIVE_INFINITY);

        assertThat(runQueue.next().orElseThrow().cell().expectedJobs()).isEqualTo(500);
    }

    /** Every run once, and never more than two groups that are partly taken. */
    @RepeatedTest(20)
    void everyRunIsTakenOnceFromFewGroups(RepetitionInfo round) {
        Random random = new Random(round.getCurrentRepetition());
        List<Long> seeds = new ArrayList<>();
        for (long seed = 0; seed < 1 + random.nextInt(8); seed++) {
            seeds.add(seed);
        }
        List<String> policies = List.of("fifo", "las", "srtf", "sjf").subList(0, 1 + random.nextInt(4));
        List<MatrixCell> cells = MatrixCells.of(policies, seeds, 10);
        RunQueue runQueue = new RunQueue(groups(cells), cell -> random.nextDouble());
        Map<Integer, Integer> given = new HashMap<>();
        Set<Integer> places = new HashSet<>();

        for (Optional<RunQueue.QueuedRun> queued = runQueue.next(); queued.isPresent(); queued = runQueue.next()) {
            MatrixCell cell = queued.get().cell();
            assertThat(places.add(cell.index())).isTrue();
            assertThat(queued.get().group().cells()).contains(cell);
            given.merge(cell.group(), 1, Integer::sum);
            assertThat(given.values().stream().filter(n -> n < policies.size()).count())
                    .isLessThanOrEqualTo(RunQueue.MAX_OPEN_GROUPS);
        }

        assertThat(places).hasSize(cells.size());
    }

    private static List<WorkloadGroup> groups(List<MatrixCell> cells) {
        Map<Integer, List<MatrixCell>> byGroup = new HashMap<>();
        cells.forEach(cell ->
                byGroup.computeIfAbsent(cell.group(), s -> new ArrayList<>()).add(cell));
        return byGroup.values().stream().map(WorkloadGroup::new).toList();
    }
}
