package dev.fermata.live.attempt;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.fermata.history.RecordJson;
import dev.fermata.live.engine.EngineEvent;
import dev.fermata.live.profile.AttemptMeasurements;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The phases of an attempt as derived from reports. */
class AttemptPhasesTest {
    private static EngineEvent.JobReport report(
            long at, String type, long step, long took, long iterationMicros, long up) {
        return new EngineEvent.JobReport(
                at,
                type,
                step,
                100,
                new EngineEvent.ReportedMetric("", Double.NaN),
                new EngineEvent.ReportedFigures(0, 0, took, iterationMicros, 0, up));
    }

    private static AttemptPhases applyAll(List<EngineEvent.JobReport> reports) {
        AttemptPhases phases = AttemptPhases.NONE;
        for (EngineEvent.JobReport report : reports) {
            phases = phases.apply(report, false);
        }
        return phases;
    }

    @Test
    void loadIsSplitIntoItsParts() {
        AttemptPhases phases = applyAll(List.of(
                report(1_900, "hello", 0, -1, 0, 1_300),
                report(2_500, "loaded", 10, 600, 0, 0),
                report(3_700, "step", 11, -1, 0, 0),
                report(3_900, "step", 12, -1, 200_000, 0)));
        AttemptMeasurements shown = phases.toMeasurements(1_000, phases.readyMillis() - 1_000, -1, -1, false);

        assertThat(shown.startMillis()).isEqualTo(300);
        assertThat(shown.buildMillis()).isEqualTo(600);
        assertThat(shown.restoreMillis()).isEqualTo(600);
        assertThat(shown.warmupMillis()).isEqualTo(1_000);
        assertThat(shown.loadMillis()).isEqualTo(2_500);
    }

    @Test
    void stepTimeIsMeasuredBetweenReportsWhenNotReported() {
        AttemptPhases phases = applyAll(List.of(
                report(1_000, "loaded", 0, -1, 0, 0),
                report(3_000, "step", 1, -1, 0, 0),
                report(3_500, "step", 2, -1, 0, 0),
                report(9_000, "step", 3, -1, 0, 0),
                report(10_000, "step", 5, -1, 0, 0)));

        assertThat(phases.iterationMicros()).isEqualTo(500_000);
        assertThat(phases.warmupMillis()).isEqualTo(1_500);
    }

    @Test
    void stepTimeIsUnknownAfterOneStep() {
        AttemptPhases phases =
                applyAll(List.of(report(1_000, "loaded", 0, -1, 0, 0), report(3_000, "step", 1, -1, 0, 0)));

        assertThat(phases.warmupMillis()).isEqualTo(-1);
        assertThat(phases.readyMillis()).isEqualTo(1_000);
    }

    @Test
    void requestedSavesDoNotCountForTheSaveInterval() {
        AttemptPhases phases = applyAll(List.of(
                report(1_000, "loaded", 0, -1, 0, 0),
                report(5_000, "saved", 4, 10, 0, 0),
                report(9_100, "saved", 8, 10, 0, 0)));

        assertThat(phases.apply(report(9_300, "saved", 8, 10, 0, 0), true).toMeasurements(0, 0, 9_200, 200, true))
                .satisfies(shown -> {
                    assertThat(shown.checkpointEveryMillis()).isEqualTo(4_000);
                    assertThat(shown.saveMillis()).isEqualTo(100);
                    assertThat(shown.savedStep()).isEqualTo(8);
                });
    }

    @Test
    void finalSaveDoesNotCountForTheSaveInterval() {
        AttemptPhases phases =
                applyAll(List.of(report(1_000, "loaded", 0, -1, 0, 0), report(25_000, "saved", 100, 10, 0, 0)));
        assertThat(phases.toMeasurements(0, 0, -1, -1, false)).satisfies(shown -> {
            assertThat(shown.checkpointEveryMillis()).isEqualTo(-1);
            assertThat(shown.savedStep()).isEqualTo(100);
        });
    }

    @Test
    void phasesAreStoredAsOneFlatObject() throws JsonProcessingException {
        AttemptPhases phases = applyAll(List.of(
                report(1_900, "hello", 0, -1, 0, 1_300),
                report(2_500, "loaded", 10, 600, 0, 0),
                report(3_700, "step", 11, -1, 0, 0),
                report(4_700, "saved", 11, 10, 0, 0)));
        RecordJson json = new RecordJson();

        assertThat(json.mapper().readTree(json.write(phases)))
                .isEqualTo(json.mapper()
                        .readTree(("{'upMillis':1300,'loadedMillis':2500,'restoreMillis':600,'firstStepMillis':3700,"
                                        + "'firstStep':11,'lastStepMillis':3700,'savedMillis':4700,'savedBytes':-1,"
                                        + "'saveIntervalsMillis':[2200],'reportedStepMicros':-1,'stepTimesMicros':[],"
                                        + "'step':11,'savedStep':11,'total':100}")
                                .replace('\'', '"')));
        assertThat(json.read(json.write(phases), AttemptPhases.class)).isEqualTo(phases);
    }

    @Test
    void measurementsAreNeverNegativeForAnyReports() {
        Random random = new Random(11);
        List<String> types = List.of("hello", "loaded", "step", "saving", "saved", "finished");
        for (int i = 0; i < 20_000; i++) {
            AttemptPhases phases = AttemptPhases.NONE;
            for (int n = random.nextInt(12); n > 0; n--) {
                phases = phases.apply(
                        report(
                                random.nextInt(5_000),
                                types.get(random.nextInt(types.size())),
                                random.nextInt(5),
                                random.nextInt(3_000) - 1,
                                random.nextInt(2) * (long) random.nextInt(9_000_000),
                                random.nextInt(2) * (long) random.nextInt(9_000)),
                        random.nextBoolean());
            }
            AttemptMeasurements shown =
                    phases.toMeasurements(1_000, random.nextInt(5_000), 3_000, random.nextInt(400) - 1, true);
            assertThat(List.of(
                            shown.startMillis(),
                            shown.buildMillis(),
                            shown.restoreMillis(),
                            shown.warmupMillis(),
                            shown.loadMillis(),
                            shown.preemptMillis(),
                            shown.saveMillis(),
                            shown.iterationMicros(),
                            shown.checkpointEveryMillis()))
                    .allMatch(value -> value >= -1);
        }
    }
}
