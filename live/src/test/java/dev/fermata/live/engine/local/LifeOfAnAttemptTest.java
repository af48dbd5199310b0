package dev.fermata.live.engine.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Outcome;
import dev.fermata.live.engine.Launch;
import org.junit.jupiter.api.Test;

/** Start, exit, pause and kill of ordinary jobs. */
class LifeOfAnAttemptTest extends OnStage {
    @Test
    void aCommandThatSucceedsIsCompleted() {
        Launch launch = stage.start(1, new SpecDraft("echo hello; echo world >&2"));

        Stage.End end = stage.end(launch);

        assertThat(end.outcome()).isEqualTo(Outcome.COMPLETED);
        assertThat(end.exit().code()).isZero();
        assertThat(end.exit().signal()).isZero();
        assertThat(stage.stdout(launch)).isEqualTo("hello\n");
        assertThat(stage.file(stage.folder(launch).resolve("stderr.0"))).isEqualTo("world\n");
        stage.awaitRunning(launch);
    }

    @Test
    void aCommandThatFailsIsFailedWithItsCode() {
        Stage.End end = stage.end(stage.start(1, new SpecDraft("exit 3")));

        assertThat(end.outcome()).isEqualTo(Outcome.FAILED);
        assertThat(end.exit().code()).isEqualTo(3);
    }

    @Test
    void aCommandThatDiesOfASignalIsFailedWithTheSignal() {
        Stage.End end = stage.end(stage.start(1, new SpecDraft("kill -SEGV $$")));

        assertThat(end.outcome()).isEqualTo(Outcome.FAILED);
        assertThat(end.exit().signal()).isEqualTo(11);
        assertThat(end.exit().code()).isNull();
    }

    @Test
    void aWholeScriptRunsUnderItsOwnInterpreter() {
        Launch launch = stage.start(1, new SpecDraft("#!/bin/bash\nnumbers=(1 2 3)\necho ${#numbers[@]}\n"));

        assertThat(stage.end(launch).outcome()).isEqualTo(Outcome.COMPLETED);
        assertThat(stage.stdout(launch)).isEqualTo("3\n");
    }

    @Test
    void aJobThatSavesWhenAskedIsPaused() {
        Launch launch =
                stage.run(1, new SpecDraft("trap 'echo saved; exit 0' TERM; echo up; while :; do sleep 0.01; done"));
        Stage.until(() -> stage.stdout(launch).contains("up"));

        stage.engine.pause(1, 1, 10_000);

        assertThat(stage.end(launch).outcome()).isEqualTo(Outcome.PAUSED);
        assertThat(stage.stdout(launch)).contains("saved");
    }

    @Test
    void aLimitThatIsChangedWhileItRunsHolds() {
        Launch shorter = stage.run(1, new SpecDraft("sleep 1000").limitMillis(3_600_000));
        Launch longer = stage.run(2, new SpecDraft("sleep 4").limitMillis(3_000));

        stage.engine.limit(2, 1, 3_600_000);
        stage.engine.limit(1, 1, 1);

        assertThat(stage.end(shorter).outcome()).isEqualTo(Outcome.TIMEOUT);
        assertThat(stage.end(longer).outcome()).isEqualTo(Outcome.COMPLETED);
    }

    @Test
    void nothingWaitsForTheLimitOfAJobThatHasEnded() {
        stage.end(stage.start(1, new SpecDraft("true").limitMillis(3_600_000)));

        Stage.until(() -> stage.engine.timers() == 0);
    }

    @Test
    void aJobThatIsKilledIsCancelledAndLeavesNothingBehind() {
        Launch launch = stage.run(1, new SpecDraft("sleep 1000 & sleep 1000"));

        stage.engine.kill(1, 1);

        assertThat(stage.end(launch).outcome()).isEqualTo(Outcome.CANCELLED);
        assertThat(stage.alive()).isEmpty();
    }
}
