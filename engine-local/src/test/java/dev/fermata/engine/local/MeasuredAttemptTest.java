package dev.fermata.engine.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Usage;
import dev.fermata.live.attempt.ReportLines;
import dev.fermata.live.engine.EngineEvent;
import dev.fermata.live.engine.EngineOrder;
import dev.fermata.live.engine.JobSpecBuilder;
import dev.fermata.live.engine.Launch;
import dev.fermata.live.profile.AttemptMeasurements;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The measurements of real processes, and their agreement with the accounted time. */
class MeasuredAttemptTest extends LocalEngineTestBase {
    /** Takes 200 ms to build, 100 ms to load, 150 ms longer for its first step than for others, and 120 ms to save. */
    private static final String TRAINER = """
            #!/usr/bin/env python3
            import fermata, time
            time.sleep(0.2)
            def save(path):
                time.sleep(0.12)
                open(path, "w").write("x" * 5000)
            def load(path):
                time.sleep(0.1)
            first = True
            for step in fermata.steps(10000, save=save, load=load, every=8):
                time.sleep(0.18 if first else 0.03)
                first = False
            """;

    private void awaitReports(Launch launch, String type, int count) {
        LocalEngineFixture.awaitUntil(() -> fixture.events.stream()
                        .filter(event -> event instanceof EngineEvent.ProgressReported progress
                                && progress.attempt() == launch.attempt()
                                && progress.report().type().equals(type))
                        .count()
                >= count);
    }

    /** What the job itself recorded, in order. */
    private List<EngineEvent.JobReport> written(Launch launch) {
        return fixture.readFile(fixture.folder(launch).resolve("report"))
                .lines()
                .map(line -> ReportLines.parse(line))
                .toList();
    }

    private static EngineEvent.JobReport first(List<EngineEvent.JobReport> written, String type) {
        return written.stream()
                .filter(report -> report.type().equals(type))
                .findFirst()
                .orElseThrow();
    }

    /** The phases of its load are exactly the intervals between the times it recorded. */
    private void loadedAsWritten(Launch launch, AttemptMeasurements shown) {
        List<EngineEvent.JobReport> written = written(launch);
        long ordered = Long.parseLong(
                fixture.readFile(fixture.folder(launch).resolve("order")).split(" ")[0]);
        EngineEvent.JobReport hello = first(written, "hello");
        EngineEvent.JobReport loaded = first(written, "loaded");
        assertThat(shown.startMillis()).isEqualTo(hello.upMillis() - ordered);
        assertThat(shown.buildMillis())
                .isEqualTo(loaded.atMillis() - Math.max(0, shown.restoreMillis()) - hello.upMillis())
                .isGreaterThanOrEqualTo(195);
        long iteration = written.stream()
                .mapToLong(EngineEvent.JobReport::iterationMicros)
                .filter(micros -> micros > 0)
                .reduce(-1, (before, micros) -> micros);
        assertThat(shown.iterationMicros()).isEqualTo(iteration).isGreaterThanOrEqualTo(30_000);
        assertThat(shown.warmupMillis())
                .isEqualTo(Math.max(
                        0, first(written, "step").atMillis() - loaded.atMillis() - shown.iterationMicros() / 1000));
    }

    @Test
    void everyPhaseOfJobWithHelperIsReported() {
        Launch first = fixture.startAndAwaitRunning(1, new JobSpecBuilder(TRAINER));
        awaitReports(first, "saved", 3);
        fixture.preempt(1, 1, 20_000);
        AttemptMeasurements shown = fixture.measurements(first);
        Usage usage = fixture.awaitEnd(first).usage();

        assertThat(fixture.awaitEnd(first).outcome()).isEqualTo(Outcome.PREEMPTED);
        assertThat(shown.restoreMillis()).isEqualTo(-1);
        loadedAsWritten(first, shown);
        assertThat(shown.startMillis() + shown.buildMillis() + shown.warmupMillis())
                .isEqualTo(shown.loadMillis())
                .isEqualTo(usage.loadMillis());
        assertThat(shown.preemptMillis()).isEqualTo(usage.preemptMillis());
        assertThat(shown.saveMillis()).isBetween(0L, shown.preemptMillis());
        assertThat(shown.keptByPreemption()).isEqualTo(1);
        assertThat(shown.savedBytes()).isEqualTo(5_000);
        assertThat(shown.checkpointEveryMillis()).isGreaterThanOrEqualTo(8 * 30 + 100);
        assertThat(shown.totalSteps()).isEqualTo(10_000);
        assertThat(shown.savedStep()).isEqualTo(shown.step()).isGreaterThanOrEqualTo(24);

        Launch second = fixture.launch(1, 2, new JobSpecBuilder(TRAINER), usage.savedWorkMillis(), 0);
        fixture.engine.submit(new EngineOrder.Start(second));
        awaitReports(second, "step", 2);
        fixture.preempt(1, 2, 20_000);
        assertThat(fixture.awaitEnd(second).outcome()).isEqualTo(Outcome.PREEMPTED);
        AttemptMeasurements again = fixture.events.stream()
                .filter(event -> event instanceof EngineEvent.StateChanged happened
                        && happened.event() instanceof dev.fermata.core.contract.Event.AttemptEnded left
                        && left.attempt() == 2)
                .map(event -> ((EngineEvent.StateChanged) event).measurements())
                .findFirst()
                .orElseThrow();
        assertThat(again.restoreMillis())
                .isEqualTo(first(written(second), "loaded").durationMillis())
                .isGreaterThanOrEqualTo(100);
        loadedAsWritten(second, again);
        assertThat(again.step()).isGreaterThan(shown.step());
        assertThat(again.startMillis() + again.buildMillis() + again.restoreMillis() + again.warmupMillis())
                .isEqualTo(again.loadMillis())
                .isEqualTo(fixture.awaitEnd(second).usage().loadMillis());
    }

    @Test
    void jobWithoutHelperHasKnownPauseAndUnknownLoad() {
        Launch launch = fixture.startAndAwaitRunning(
                1, new JobSpecBuilder("trap 'sleep 0.2; exit 0' TERM; echo on; while :; do sleep 0.05; done"));
        fixture.awaitFile(fixture.folder(launch).resolve("stdout.0"));
        fixture.preempt(1, 1, 20_000);
        AttemptMeasurements shown = fixture.measurements(launch);

        assertThat(shown.preemptMillis())
                .isEqualTo(fixture.awaitEnd(launch).usage().preemptMillis())
                .isGreaterThanOrEqualTo(200);
        assertThat(shown.keptByPreemption()).isEqualTo(1);
        assertThat(shown.loadMillis()).isEqualTo(-1);
        assertThat(shown.saveMillis()).isEqualTo(-1);
    }

    @Test
    void jobWithoutSignalHandlerLosesItsWork() {
        Launch launch = fixture.startAndAwaitRunning(1, new JobSpecBuilder("echo on; exec sleep 60"));
        fixture.awaitFile(fixture.folder(launch).resolve("stdout.0"));
        fixture.preempt(1, 1, 20_000);

        assertThat(fixture.measurements(launch).keptByPreemption()).isZero();
        assertThat(fixture.awaitEnd(launch).outcome()).isEqualTo(Outcome.LOST);
    }

    @Test
    void hardKillLosesTheTimeSinceTheLastSave() {
        String deaf = """
                #!/bin/sh
                trap '' TERM
                say() { echo "{\\"at\\":$(date +%s%3N),\\"type\\":\\"$1\\",\\"step\\":$2,\\"total\\":9}" >>"$FERMATA_REPORT"; }
                say hello 0; say loaded 0; sleep 0.2; say step 1; sleep 0.2; say step 2; say saved 2
                while :; do sleep 0.05; done
                """;
        Launch launch = fixture.startAndAwaitRunning(1, new JobSpecBuilder(deaf));
        awaitReports(launch, "saved", 1);
        fixture.preempt(1, 1, 300);
        AttemptMeasurements shown = fixture.measurements(launch);
        Usage usage = fixture.awaitEnd(launch).usage();

        assertThat(fixture.awaitEnd(launch).outcome()).isEqualTo(Outcome.LOST);
        long requested = Long.parseLong(
                fixture.readFile(fixture.folder(launch).resolve("exit-request")).split(" ")[1]);
        assertThat(usage.lostMillis()).isEqualTo(requested - shown.savedAtMillis());
        assertThat(usage.preemptMillis()).isEqualTo(shown.preemptMillis()).isGreaterThanOrEqualTo(300);
        assertThat(shown.savedStep()).isEqualTo(2);
        assertThat(shown.keptByPreemption()).isZero();
    }

    @Test
    void nextDaemonMeasuresTheSame() {
        Launch launch = fixture.startAndAwaitRunning(1, new JobSpecBuilder(TRAINER));
        awaitReports(launch, "saved", 2);
        fixture.reopen(launch);
        fixture.preempt(1, 1, 20_000);
        AttemptMeasurements shown = fixture.measurements(launch);

        loadedAsWritten(launch, shown);
        assertThat(shown.loadMillis())
                .isEqualTo(fixture.awaitEnd(launch).usage().loadMillis());
        assertThat(shown.checkpointEveryMillis()).isPositive();
        assertThat(shown.preemptMillis())
                .isEqualTo(fixture.awaitEnd(launch).usage().preemptMillis());
    }
}
