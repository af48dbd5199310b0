package dev.fermata.live.engine.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Usage;
import dev.fermata.live.engine.Launch;
import dev.fermata.live.engine.News;
import dev.fermata.live.learn.Measured;
import org.junit.jupiter.api.Test;

/** What real processes show of their own costs, and that it agrees with what is counted of their time. */
class MeasuredAttemptTest extends OnStage {
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

    private void awaitReports(Launch launch, String kind, int count) {
        Stage.until(() -> stage.told.stream()
                        .filter(news -> news instanceof News.Progress progress
                                && progress.attempt() == launch.attempt()
                                && progress.report().kind().equals(kind))
                        .count()
                >= count);
    }

    @Test
    void everyPhaseOfAJobWithTheHelperIsTold() {
        Launch first = stage.run(1, new SpecDraft(TRAINER));
        awaitReports(first, "saved", 3);
        stage.engine.pause(1, 1, 20_000);
        Measured shown = stage.measured(first);
        Usage usage = stage.end(first).usage();

        assertThat(stage.end(first).outcome()).isEqualTo(Outcome.PAUSED);
        assertThat(shown.buildMillis()).isBetween(195L, 5_000L);
        assertThat(shown.restoreMillis()).isEqualTo(-1);
        assertThat(shown.warmupMillis()).isBetween(100L, 5_000L);
        assertThat(shown.startMillis() + shown.buildMillis() + shown.warmupMillis())
                .isEqualTo(shown.loadMillis())
                .isEqualTo(usage.loadMillis());
        assertThat(shown.pauseMillis()).isEqualTo(usage.pauseMillis());
        assertThat(shown.saveMillis()).isBetween(0L, shown.pauseMillis());
        assertThat(shown.keptByPause()).isEqualTo(1);
        assertThat(shown.iterationMicros()).isBetween(30_000L, 300_000L);
        assertThat(shown.savedBytes()).isEqualTo(5_000);
        assertThat(shown.checkpointEveryMillis()).isBetween(8 * 30L + 100, 10_000L);
        assertThat(shown.totalSteps()).isEqualTo(10_000);
        assertThat(shown.savedStep()).isEqualTo(shown.step()).isGreaterThanOrEqualTo(24);

        Launch second = stage.launch(1, 2, new SpecDraft(TRAINER), usage.savedWorkMillis(), 0);
        stage.engine.start(second);
        awaitReports(second, "step", 2);
        stage.engine.pause(1, 2, 20_000);
        assertThat(stage.end(second).outcome()).isEqualTo(Outcome.PAUSED);
        Measured again = stage.told.stream()
                .filter(news -> news instanceof News.Happened happened
                        && happened.event() instanceof dev.fermata.core.contract.Event.Left left
                        && left.attempt() == 2)
                .map(news -> ((News.Happened) news).measured())
                .findFirst()
                .orElseThrow();
        assertThat(again.restoreMillis()).isBetween(100L, 5_000L);
        assertThat(again.step()).isGreaterThan(shown.step());
        assertThat(again.startMillis() + again.buildMillis() + again.restoreMillis() + again.warmupMillis())
                .isEqualTo(again.loadMillis())
                .isEqualTo(stage.end(second).usage().loadMillis());
    }

    @Test
    void ofAJobWithoutTheHelperThePauseIsKnownAndTheLoadIsNot() {
        Launch launch =
                stage.run(1, new SpecDraft("trap 'sleep 0.2; exit 0' TERM; echo on; while :; do sleep 0.05; done"));
        stage.awaitFile(stage.folder(launch).resolve("stdout.0"));
        stage.engine.pause(1, 1, 20_000);
        Measured shown = stage.measured(launch);

        assertThat(shown.pauseMillis())
                .isEqualTo(stage.end(launch).usage().pauseMillis())
                .isGreaterThanOrEqualTo(200);
        assertThat(shown.keptByPause()).isEqualTo(1);
        assertThat(shown.loadMillis()).isEqualTo(-1);
        assertThat(shown.saveMillis()).isEqualTo(-1);
    }

    @Test
    void aJobThatDoesNotListenLosesItsWork() {
        Launch launch = stage.run(1, new SpecDraft("echo on; exec sleep 60"));
        stage.awaitFile(stage.folder(launch).resolve("stdout.0"));
        stage.engine.pause(1, 1, 20_000);

        assertThat(stage.measured(launch).keptByPause()).isZero();
        assertThat(stage.end(launch).outcome()).isEqualTo(Outcome.LOST);
    }

    @Test
    void whatAHardKillLosesIsTheTimeSinceTheLastSave() {
        String deaf = """
                #!/bin/sh
                trap '' TERM
                say() { echo "{\\"at\\":$(date +%s%3N),\\"kind\\":\\"$1\\",\\"step\\":$2,\\"total\\":9}" >>"$FERMATA_REPORT"; }
                say hello 0; say loaded 0; sleep 0.2; say step 1; sleep 0.2; say step 2; say saved 2
                while :; do sleep 0.05; done
                """;
        Launch launch = stage.run(1, new SpecDraft(deaf));
        awaitReports(launch, "saved", 1);
        stage.engine.pause(1, 1, 300);
        Measured shown = stage.measured(launch);
        Usage usage = stage.end(launch).usage();

        assertThat(stage.end(launch).outcome()).isEqualTo(Outcome.LOST);
        long asked =
                Long.parseLong(stage.file(stage.folder(launch).resolve("leave")).split(" ")[1]);
        assertThat(usage.lostMillis()).isEqualTo(asked - shown.savedAtMillis());
        assertThat(usage.pauseMillis()).isEqualTo(shown.pauseMillis()).isGreaterThanOrEqualTo(300);
        assertThat(shown.savedStep()).isEqualTo(2);
        assertThat(shown.keptByPause()).isZero();
    }

    @Test
    void anotherDaemonMeasuresTheSame() {
        Launch launch = stage.run(1, new SpecDraft(TRAINER));
        awaitReports(launch, "saved", 2);
        stage.reopen(launch);
        stage.engine.pause(1, 1, 20_000);
        Measured shown = stage.measured(launch);

        assertThat(shown.buildMillis()).isBetween(195L, 5_000L);
        assertThat(shown.loadMillis()).isEqualTo(stage.end(launch).usage().loadMillis());
        assertThat(shown.checkpointEveryMillis()).isPositive();
        assertThat(shown.pauseMillis()).isEqualTo(stage.end(launch).usage().pauseMillis());
    }
}
