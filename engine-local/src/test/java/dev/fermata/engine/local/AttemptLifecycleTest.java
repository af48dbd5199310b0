package dev.fermata.engine.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Outcome;
import dev.fermata.live.engine.JobSpecBuilder;
import dev.fermata.live.engine.Launch;
import org.junit.jupiter.api.Test;

/** Start, exit, pause and kill of ordinary jobs. */
class AttemptLifecycleTest extends LocalEngineTestBase {
    @Test
    void successfulCommandIsCompleted() {
        Launch launch = fixture.start(1, new JobSpecBuilder("echo hello; echo world >&2"));

        LocalEngineFixture.AttemptEndRecord end = fixture.awaitEnd(launch);

        assertThat(end.outcome()).isEqualTo(Outcome.COMPLETED);
        assertThat(end.exit().code()).isZero();
        assertThat(end.exit().signal()).isZero();
        assertThat(fixture.stdout(launch)).isEqualTo("hello\n");
        assertThat(fixture.readFile(fixture.folder(launch).resolve("stderr.0"))).isEqualTo("world\n");
        fixture.awaitRunning(launch);
    }

    @Test
    void failingCommandIsFailedWithItsExitCode() {
        LocalEngineFixture.AttemptEndRecord end = fixture.awaitEnd(fixture.start(1, new JobSpecBuilder("exit 3")));

        assertThat(end.outcome()).isEqualTo(Outcome.FAILED);
        assertThat(end.exit().code()).isEqualTo(3);
    }

    @Test
    void commandKilledBySignalIsFailedWithTheSignal() {
        LocalEngineFixture.AttemptEndRecord end =
                fixture.awaitEnd(fixture.start(1, new JobSpecBuilder("kill -SEGV $$")));

        assertThat(end.outcome()).isEqualTo(Outcome.FAILED);
        assertThat(end.exit().signal()).isEqualTo(11);
        assertThat(end.exit().code()).isNull();
    }

    @Test
    void scriptRunsUnderItsOwnInterpreter() {
        Launch launch = fixture.start(1, new JobSpecBuilder("#!/bin/bash\nnumbers=(1 2 3)\necho ${#numbers[@]}\n"));

        assertThat(fixture.awaitEnd(launch).outcome()).isEqualTo(Outcome.COMPLETED);
        assertThat(fixture.stdout(launch)).isEqualTo("3\n");
    }

    @Test
    void jobThatSavesOnRequestIsPreempted() {
        Launch launch = fixture.startAndAwaitRunning(
                1, new JobSpecBuilder("trap 'echo saved; exit 0' TERM; echo up; while :; do sleep 0.01; done"));
        LocalEngineFixture.awaitUntil(() -> fixture.stdout(launch).contains("up"));

        fixture.preempt(1, 1, 60_000);

        assertThat(fixture.awaitEnd(launch).outcome()).isEqualTo(Outcome.PREEMPTED);
        assertThat(fixture.stdout(launch)).contains("saved");
    }

    @Test
    void processesForkedDuringTheSignalGetItToo() {
        Launch launch = fixture.startAndAwaitRunning(
                1, new JobSpecBuilder("i=0; while [ $i -lt 2000 ]; do sleep 1000 & i=$((i + 1)); echo $i; done; wait"));
        LocalEngineFixture.awaitUntil(() -> fixture.stdout(launch).contains("10\n"));

        fixture.preempt(1, 1, 600_000); // without the signal a process would live that long

        assertThat(fixture.awaitEnd(launch).outcome()).isEqualTo(Outcome.LOST);
        assertThat(fixture.aliveProcesses()).isEmpty();
    }

    @Test
    void changedTimeLimitHoldsForARunningAttempt() {
        Launch shorter = fixture.startAndAwaitRunning(1, new JobSpecBuilder("sleep 1000").limitMillis(3_600_000));
        // It outlives its first limit, which leaves a busy machine ten seconds for the change.
        Launch longer = fixture.startAndAwaitRunning(2, new JobSpecBuilder("sleep 11").limitMillis(10_000));

        fixture.setTimeLimit(2, 1, 3_600_000);
        fixture.setTimeLimit(1, 1, 1);

        assertThat(fixture.awaitEnd(shorter).outcome()).isEqualTo(Outcome.TIMEOUT);
        assertThat(fixture.awaitEnd(longer).outcome()).isEqualTo(Outcome.COMPLETED);
    }

    @Test
    void timersOfEndedAttemptsAreCancelled() {
        fixture.awaitEnd(fixture.start(1, new JobSpecBuilder("true").limitMillis(3_600_000)));

        LocalEngineFixture.awaitUntil(() -> fixture.engine.pendingTimers() == 0);
    }

    @Test
    void killedJobIsCancelledAndLeavesNoProcesses() {
        Launch launch = fixture.startAndAwaitRunning(1, new JobSpecBuilder("sleep 1000 & sleep 1000"));

        fixture.kill(1, 1);

        assertThat(fixture.awaitEnd(launch).outcome()).isEqualTo(Outcome.CANCELLED);
        assertThat(fixture.aliveProcesses()).isEmpty();
    }
}
