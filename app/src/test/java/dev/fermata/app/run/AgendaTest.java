package dev.fermata.app.run;

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

class AgendaTest {

    @Test
    void theLongestOfTheBegunScenesIsNext() {
        Map<String, Double> seconds = Map.of("fifo", 1.0, "las", 2.0, "srtf", 9.0);
        List<Cell> cells = Cells.of(List.of("fifo", "las", "srtf"), List.of(1L, 2L, 3L), 10);

        Agenda agenda = new Agenda(
                scenes(cells), cell -> seconds.getOrDefault(cell.policy().text(), 0.0));

        List<String> order = new ArrayList<>();
        for (Optional<Agenda.Turn> turn = agenda.next(); turn.isPresent(); turn = agenda.next()) {
            order.add(turn.get().cell().policy().text() + turn.get().cell().seed());
        }
        assertThat(order).containsExactly("srtf1", "srtf2", "las1", "las2", "fifo1", "srtf3", "las3", "fifo2", "fifo3");
    }

    @Test
    void largeWorkloadsComeFirst() {
        List<Cell> small = Cells.of(List.of("fifo"), List.of(1L), 10);
        List<Cell> large = Cells.of(List.of("fifo"), List.of(1L), 500);

        Agenda agenda = new Agenda(List.of(new Scene(small), new Scene(large)), cell -> Double.POSITIVE_INFINITY);

        assertThat(agenda.next().orElseThrow().cell().expectedJobs()).isEqualTo(500);
    }

    /** Every run once, and never more than two scenes that are begun and not given out in full. */
    @RepeatedTest(20)
    void givesOutEverythingOnceFromFewScenes(RepetitionInfo round) {
        Random random = new Random(round.getCurrentRepetition());
        List<Long> seeds = new ArrayList<>();
        for (long seed = 0; seed < 1 + random.nextInt(8); seed++) {
            seeds.add(seed);
        }
        List<String> policies = List.of("fifo", "las", "srtf", "sjf").subList(0, 1 + random.nextInt(4));
        List<Cell> cells = Cells.of(policies, seeds, 10);
        Agenda agenda = new Agenda(scenes(cells), cell -> random.nextDouble());
        Map<Integer, Integer> given = new HashMap<>();
        Set<Integer> places = new HashSet<>();

        for (Optional<Agenda.Turn> turn = agenda.next(); turn.isPresent(); turn = agenda.next()) {
            Cell cell = turn.get().cell();
            assertThat(places.add(cell.place())).isTrue();
            assertThat(turn.get().scene().cells()).contains(cell);
            given.merge(cell.scene(), 1, Integer::sum);
            assertThat(given.values().stream().filter(n -> n < policies.size()).count())
                    .isLessThanOrEqualTo(Agenda.BEGUN);
        }

        assertThat(places).hasSize(cells.size());
    }

    private static List<Scene> scenes(List<Cell> cells) {
        Map<Integer, List<Cell>> byScene = new HashMap<>();
        cells.forEach(cell ->
                byScene.computeIfAbsent(cell.scene(), s -> new ArrayList<>()).add(cell));
        return byScene.values().stream().map(Scene::new).toList();
    }
}
