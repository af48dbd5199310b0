package dev.fermata.live.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.model.Speed;
import dev.fermata.live.engine.Capabilities;
import dev.fermata.live.engine.EngineEvent;
import dev.fermata.live.engine.EngineEvent.FailureKind;
import dev.fermata.live.engine.EngineOrder;
import dev.fermata.live.engine.OrderId;
import dev.fermata.live.health.HealthStatus.DaemonPhase;
import dev.fermata.live.service.Explanation;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An engine that refuses, hangs, answers twice, answers for others or is away: no job is lost, none starts twice. */
class EngineFaultsTest {
    private final LoopFixture fixture = new LoopFixture("fifo", 2);
    private final ManualEngine engine = fixture.engine;

    private static OrderId start(long job, int attempt) {
        return new OrderId(job, attempt, EngineOrder.Type.START, 0);
    }

    private Explanation explain(long job) {
        return fixture.runAndGet(fixture.service().explain(job));
    }

    private void refuse(FailureKind kind, long job, int attempt) {
        engine.onGpus.remove(job);
        engine.send(new EngineEvent.OrderFailed(start(job, attempt), kind, "no disk"));
        fixture.advance(0);
    }

    private long starts(String attempt) {
        return engine.orders.stream()
                .filter(order -> order.startsWith("start " + attempt + " "))
                .count();
    }

    @Test
    void acceptedOrderIsNotRepeatedAndItsIdIsStored() {
        fixture.submit(TestSpec.gpus(1));
        fixture.advance(10).advance(3_600_000);
        assertThat(starts("1.1")).isEqualTo(1);
        engine.send(new EngineEvent.Bound(1, 1, List.of("GPU-a")));
        fixture.advance(10);
        assertThat(fixture.store.attempts(1).get(0).place())
                .satisfies(place -> assertThat(place.externalId()).isEqualTo("id-1.1"))
                .satisfies(place -> assertThat(place.devices()).isEqualTo("GPU-a"));
    }

    @Test
    void transientRefusalIsRepeatedWithBackoffWhileTheJobHoldsItsGpus() {
        engine.answers = false;
        fixture.submit(TestSpec.gpus(2));
        refuse(FailureKind.TRANSIENT, 1, 1);
        assertThat(starts("1.1")).isEqualTo(1);
        assertThat(explain(1).message())
                .contains("is being started")
                .contains("the engine has not accepted the start order yet (no disk)");
        fixture.advance(1_000);
        assertThat(starts("1.1")).isEqualTo(2);
        refuse(FailureKind.TRANSIENT, 1, 1);
        fixture.advance(1_999);
        assertThat(starts("1.1")).isEqualTo(2);
        engine.answers = true;
        fixture.advance(1).advance(10).advance(600_000 - 1);
        assertThat(starts("1.1")).isEqualTo(3);
        assertThat(fixture.row(1).state()).isEqualTo(JobState.STARTING);
    }

    @Test
    void refusedStartIsTriedAgainLaterAndEndsAfterEightFailures() {
        engine.answers = false;
        fixture.submit(TestSpec.gpus(1));
        long wait = 2_000;
        for (int failures = 1; failures < 8; failures++) {
            refuse(FailureKind.PERMANENT, 1, failures);
            assertThat(fixture.row(1).state()).isEqualTo(JobState.PENDING);
            Explanation why = explain(1);
            assertThat(why.reason()).isEqualTo("START_FAILED");
            assertThat(why.message()).contains(failures + " failed start").contains("no disk");
            fixture.advance(wait - 1);
            assertThat(fixture.row(1).state()).isEqualTo(JobState.PENDING);
            fixture.advance(1);
            assertThat(starts("1." + (failures + 1))).isEqualTo(1);
            wait = Math.min(2 * wait, 300_000);
        }
        refuse(FailureKind.PERMANENT, 1, 8);
        assertThat(fixture.row(1).state()).isEqualTo(JobState.FAILED);
        assertThat(fixture.row(1).detail()).isEqualTo("could not be started 8 times in a row: no disk");
        assertThat(fixture.history())
                .filteredOn("StartFailed 1 by engine"::equals)
                .hasSize(8);
    }

    @Test
    void backoffAndFailuresSurviveARestart() {
        engine.answers = false;
        fixture.submit(TestSpec.gpus(1));
        refuse(FailureKind.PERMANENT, 1, 1);
        fixture.settings = fixture.settings.withSnapshotEveryEntries(1);
        fixture.restart();
        assertThat(explain(1).reason()).isEqualTo("START_FAILED");
        fixture.advance(2_000);
        refuse(FailureKind.PERMANENT, 1, 2);
        fixture.restart();
        assertThat(explain(1).evidence()).containsEntry("failedStarts", 2);
        fixture.advance(4_000);
        assertThat(starts("1.3")).isEqualTo(1);
    }

    @Test
    void startThatIsNeverConfirmedIsCancelledAndHoldsItsGpusUntilItIsGone() {
        fixture.submit(TestSpec.gpus(2), TestSpec.gpus(1));
        fixture.advance(Capabilities.START_TIMEOUT_MILLIS);
        assertThat(engine.orders).contains("kill 1.1");
        assertThat(fixture.row(1).state()).isEqualTo(JobState.STARTING);
        assertThat(fixture.row(2).state()).isEqualTo(JobState.PENDING);
        assertThat(explain(1).message()).contains("the engine did not confirm it within 600 s");
        fixture.restart(); // the cancelled start is not forgotten
        assertThat(engine.orders).endsWith("kill 1.1");
        engine.end(1, Outcome.CANCELLED, null, "");
        fixture.advance(10);
        assertThat(fixture.row(1).state()).isEqualTo(JobState.PENDING);
        assertThat(fixture.row(2).state()).isEqualTo(JobState.STARTING);
        assertThat(fixture.history()).contains("StartFailed 1 by engine");
    }

    /** Its user cancelled nothing, so its job is not cancelled. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aStartThatHappensWhileItIsCancelledIsALostAttempt(boolean inOneCycle) {
        fixture.submit(TestSpec.gpus(1));
        fixture.advance(10).advance(600_000);
        assertThat(engine.orders).endsWith("kill 1.1");
        engine.running(1);
        if (!inOneCycle) {
            fixture.advance(10);
            assertThat(fixture.row(1).state()).isEqualTo(JobState.RUNNING);
        }
        engine.end(1, Outcome.CANCELLED, null, "");
        fixture.advance(10);
        assertThat(engine.orders).endsWith("start 1.2 on [0]");
        assertThat(fixture.row(1).state()).isEqualTo(JobState.STARTING);
    }

    @Test
    void cancelledJobWhoseStartIsRefusedIsCancelled() {
        engine.answers = false;
        fixture.submit(TestSpec.gpus(1));
        fixture.runAndGet(fixture.service().cancel(LoopFixture.ANN, 1));
        assertThat(engine.orders).endsWith("kill 1.1");
        engine.end(1, Outcome.CANCELLED, null, "");
        fixture.advance(1);
        assertThat(fixture.row(1).state()).isEqualTo(JobState.CANCELLED);
    }

    @Test
    void unreachableEngineLeavesRunningJobsAloneAndNothingStarts() {
        fixture.submit(TestSpec.gpus(1));
        engine.running(1);
        fixture.advance(10);
        engine.send(new EngineEvent.Unreachable("connection refused"));
        fixture.advance(10);
        assertThat(fixture.service().health().phase()).isEqualTo(DaemonPhase.ENGINE_UNREACHABLE);
        assertThat(fixture.service().health().problem()).contains("connection refused");
        assertThat(fixture.submit(TestSpec.gpus(1))).containsExactly(2L);
        assertThat(fixture.row(2).state()).isEqualTo(JobState.PENDING);
        Explanation why = explain(2);
        assertThat(why.reason()).isEqualTo("ENGINE_UNREACHABLE");
        assertThat(why.message()).contains("connection refused");
        fixture.advance(3_600_000); // an hour later
        assertThat(fixture.row(1).state()).isEqualTo(JobState.RUNNING);
        engine.send(new EngineEvent.Reachable());
        fixture.advance(10);
        assertThat(fixture.service().health().phase()).isEqualTo(DaemonPhase.LEADING);
        assertThat(engine.orders).contains("adopt 1.1", "start 2.1 on [1]");
        assertThat(fixture.row(1).state()).isEqualTo(JobState.RUNNING);
    }

    @Test
    void ordersWaitWhileTheEngineIsAwayAndTheirDeadlinesToo() {
        engine.answers = false;
        fixture.submit(TestSpec.gpus(1));
        engine.send(new EngineEvent.Unreachable("gone"));
        fixture.advance(3_600_000);
        assertThat(starts("1.1")).isEqualTo(1);
        engine.answers = true;
        engine.send(new EngineEvent.Reachable());
        fixture.advance(10);
        assertThat(starts("1.1")).isEqualTo(2);
        assertThat(engine.orders).doesNotContain("kill 1.1");
    }

    @Test
    void silentEngineCountsAsUnreachableUntilItAnswers() {
        engine.answers = false;
        fixture.submit(TestSpec.gpus(1));
        for (int second = 0; second < 70; second += 5) {
            fixture.advance(5_000);
        }
        assertThat(starts("1.1")).isGreaterThan(2);
        assertThat(fixture.service().health().phase()).isEqualTo(DaemonPhase.ENGINE_UNREACHABLE);
        assertThat(fixture.service().health().problem()).contains("no answer to the start order of attempt 1.1");
        engine.answers = true;
        fixture.advance(60_000).advance(10);
        assertThat(fixture.service().health().phase()).isEqualTo(DaemonPhase.LEADING);
        assertThat(fixture.row(1).state()).isEqualTo(JobState.STARTING);
    }

    @Test
    void engineThatHangsAtOpenLeavesTheDaemonLeadingWithAReason() {
        fixture.submit(TestSpec.gpus(1));
        engine.running(1);
        fixture.advance(10);
        engine.reachable = false;
        fixture.restart();
        assertThat(fixture.service().health().phase()).isEqualTo(DaemonPhase.LEADING); // it was just opened
        fixture.submit(TestSpec.gpus(1));
        fixture.advance(5_000);
        assertThat(fixture.service().health().problem()).contains("it has not answered since it was opened");
        assertThat(fixture.row(1).state()).isEqualTo(JobState.RUNNING);
        assertThat(fixture.row(2).state()).isEqualTo(JobState.PENDING);
        engine.send(new EngineEvent.Reachable());
        fixture.advance(10);
        assertThat(fixture.row(2).state()).isEqualTo(JobState.STARTING);
    }

    @Test
    void repeatedAnswersChangeNothing() {
        fixture.submit(TestSpec.gpus(1));
        for (int i = 0; i < 3; i++) {
            engine.send(new EngineEvent.Accepted(start(1, 1), "id-1.1"));
            engine.running(1);
            fixture.advance(10);
        }
        for (int i = 0; i < 3; i++) {
            engine.send(new EngineEvent.StateChanged(
                    new Event.AttemptEnded(1, 1, Outcome.COMPLETED, Usage.NONE),
                    new EngineEvent.AttemptExit(0, 0, "")));
            fixture.advance(10);
        }
        assertThat(fixture.history()).filteredOn("Running 1 by engine"::equals).hasSize(1);
        assertThat(fixture.history())
                .filteredOn("AttemptEnded 1 by engine"::equals)
                .hasSize(1);
        assertThat(fixture.row(1).state()).isEqualTo(JobState.COMPLETED);
    }

    @Test
    void answersForAttemptsThatWereNeverOrderedAreIgnored() {
        fixture.submit(TestSpec.gpus(1));
        fixture.advance(10);
        int entries = fixture.store.entries().size();
        engine.send(new EngineEvent.Accepted(start(99, 1), "x"));
        engine.send(new EngineEvent.Bound(1, 7, List.of("GPU-x")));
        engine.sendEvent(new Event.Running(99, 1, Speed.UNIT));
        engine.sendEvent(new Event.AttemptEnded(1, 7, Outcome.FAILED, Usage.NONE));
        engine.send(new EngineEvent.OrderFailed(start(99, 2), FailureKind.PERMANENT, "who"));
        fixture.advance(10);
        assertThat(fixture.store.entries()).hasSize(entries);
        assertThat(fixture.row(1).state()).isEqualTo(JobState.STARTING);
        assertThat(fixture.store.attempts(1).get(0).place().externalId()).isEqualTo("id-1.1");
    }

    @Test
    void killThatTheEngineRefusesIsFollowedByTheQuestionWhatBecameOfTheAttempt() {
        fixture.submit(TestSpec.gpus(1));
        engine.running(1);
        fixture.advance(10);
        engine.answers = false;
        fixture.runAndGet(fixture.service().cancel(LoopFixture.ANN, 1));
        engine.send(new EngineEvent.OrderFailed(
                new OrderId(1, 1, EngineOrder.Type.KILL, 0), FailureKind.PERMANENT, "no such attempt"));
        fixture.advance(10);
        assertThat(engine.orders).endsWith("kill 1.1", "adopt 1.1");
        engine.end(1, Outcome.LOST, null, "it is not there");
        fixture.advance(10);
        assertThat(fixture.row(1).state()).isEqualTo(JobState.CANCELLED);
    }
}
