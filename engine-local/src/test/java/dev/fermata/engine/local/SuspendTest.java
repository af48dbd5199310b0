package dev.fermata.engine.local;

import static dev.fermata.engine.local.LocalEngineFixture.awaitUntil;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.PreemptWay;
import dev.fermata.live.engine.EngineEvent;
import dev.fermata.live.engine.EngineOrder;
import dev.fermata.live.engine.JobSpecBuilder;
import dev.fermata.live.engine.Launch;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Virtual GPUs simulate what real ones do: the processes of a suspended attempt are stopped, and the next attempt resumes them. */
class SuspendTest {
    private static final long LIMIT_MILLIS = 20_000;

    @TempDir
    Path folder;

    private LocalEngineFixture fixture;

    @BeforeEach
    void open() {
        fixture = new LocalEngineFixture(folder.resolve("data"), settings -> settings.gpus("virtual:2+suspend"));
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    /** A program that counts, and ignores the signal to exit. */
    private static String counting(int steps) {
        return "trap '' TERM; i=0; while [ $i -lt " + steps + " ]; do i=$((i+1)); echo $i; sleep 0.02; done";
    }

    private Launch count(long job, int steps) {
        Launch launch = fixture.startAndAwaitRunning(job, new JobSpecBuilder(counting(steps)));
        awaitUntil(() -> !fixture.stdout(launch).isEmpty());
        return launch;
    }

    private void suspend(Launch launch) {
        fixture.engine.submit(
                new EngineOrder.Preempt(launch.jobId(), launch.attempt(), 60_000, PreemptWay.SUSPEND, LIMIT_MILLIS));
        assertThat(fixture.awaitEnd(launch).outcome()).isEqualTo(Outcome.SUSPENDED);
    }

    private Launch resume(Launch earlier) {
        Launch next = LocalEngineFixture.resuming(earlier, earlier.attempt() + 1);
        fixture.engine.submit(new EngineOrder.Start(next));
        fixture.awaitRunning(next);
        return next;
    }

    private static String numbers(int steps) {
        StringBuilder text = new StringBuilder();
        IntStream.rangeClosed(1, steps).forEach(i -> text.append(i).append('\n'));
        return text.toString();
    }

    private boolean isLost(long job) {
        return fixture.events.stream()
                .anyMatch(event -> event instanceof EngineEvent.StateChanged changed
                        && changed.event() instanceof Event.SuspensionLost lost
                        && lost.jobId() == job);
    }

    private boolean isStopped() {
        return fixture.aliveProcesses().stream().anyMatch(proc -> proc.state() == 'T');
    }

    @Test
    void aSuspendedJobGoesOnWhereItWas() {
        Launch first = count(1, 60);
        suspend(first);
        assertThat(fixture.aliveProcesses()).isNotEmpty();
        awaitUntil(this::isStopped);
        Launch second = resume(first);
        suspend(second);
        LocalEngineFixture.AttemptEndRecord end = fixture.awaitEnd(resume(second));
        assertThat(end.outcome()).isEqualTo(Outcome.COMPLETED);
        assertThat(fixture.stdout(first)).isEqualTo(numbers(60));
    }

    /** Where the next job fits besides, the memory of the victim stays on the GPU for now; one that is not known to fit waits. */
    @Test
    void memoryStaysOnTheGpuWhileThereIsRoom() {
        Launch first = count(1, 80);
        fixture.engine.submit(new EngineOrder.Preempt(
                first.jobId(), first.attempt(), 60_000, PreemptWay.SUSPEND, LIMIT_MILLIS, 1024));
        assertThat(fixture.awaitEnd(first).outcome()).isEqualTo(Outcome.SUSPENDED);
        awaitUntil(this::isStopped);
        AttemptSuspension suspension = fixture.engine.findAttempt(1, 1).suspension();
        Launch next = fixture.launch(2, 1, new JobSpecBuilder("true"));
        assertThat(suspension.vacatedFor(next)).as("its memory is moved first").satisfies(moved -> {
            awaitUntil(moved::isDone);
        });
        assertThat(fixture.awaitEnd(resume(first)).outcome()).isEqualTo(Outcome.COMPLETED);
        assertThat(fixture.stdout(first)).isEqualTo(numbers(80));
    }

    @Test
    void nothingOfASuspendedAttemptIsLost() {
        Launch first = count(1, 1_000);
        suspend(first);
        LocalEngineFixture.AttemptEndRecord end = fixture.awaitEnd(first);
        assertThat(end.usage().lostMillis()).isZero();
        assertThat(end.usage().preemptMillis()).isPositive();
        assertThat(end.usage().savedWorkMillis()).isPositive();
    }

    @Test
    void aSuspendedJobIsKilledOnRequest() {
        Launch first = count(1, 100_000);
        suspend(first);
        fixture.kill(1, 1);
        awaitUntil(() -> fixture.aliveProcesses().isEmpty());
        assertThat(isLost(1)).as("what was asked for is no loss").isFalse();
    }

    @Test
    void theNextDaemonResumesIt() {
        Launch first = count(1, 80);
        suspend(first);
        fixture.reopenSuspended(first);
        awaitUntil(this::isStopped);
        assertThat(fixture.awaitEnd(resume(first)).outcome()).isEqualTo(Outcome.COMPLETED);
        assertThat(fixture.stdout(first)).isEqualTo(numbers(80));
    }

    /** The daemon died after the processes were suspended and before that was durable: it asks once more. */
    @Test
    void aSuspensionIsRepeatedAfterARestart() {
        Launch first = count(1, 80);
        suspend(first);
        fixture.reopen(first);
        suspend(first);
        assertThat(fixture.awaitEnd(resume(first)).outcome()).isEqualTo(Outcome.COMPLETED);
        assertThat(fixture.stdout(first)).isEqualTo(numbers(80));
    }

    @Test
    void suspendedProcessesThatDieAreReported() {
        Launch first = count(1, 100_000);
        suspend(first);
        fixture.aliveProcesses().forEach(Proc::kill);
        awaitUntil(() -> isLost(1));
    }

    @Test
    void processesThatAreGoneCannotBeResumed() {
        Launch first = count(1, 100_000);
        suspend(first);
        fixture.kill(1, 1);
        awaitUntil(() -> fixture.aliveProcesses().isEmpty());
        EngineOrder.Start start = new EngineOrder.Start(LocalEngineFixture.resuming(first, 2));
        awaitUntil(() -> {
            fixture.engine.submit(start); // as the outbox repeats it
            return isLost(1);
        });
        assertThat(fixture.events)
                .anyMatch(event -> event instanceof EngineEvent.OrderFailed failed
                        && failed.order().equals(start.id()));
    }

    @Test
    void virtualGpusSuspendOnlyWhereTheyAreAskedTo() {
        assertThat(fixture.engine.suspendCosts().possible()).isTrue();
        try (LocalEngineFixture others = new LocalEngineFixture(folder.resolve("others"))) {
            assertThat(others.engine.suspendCosts().possible()).isFalse();
        }
    }

    /** Several jobs are suspended again and again: no step is lost or done twice. */
    @Test
    void manySuspensionsLoseNothing() {
        int rounds = Integer.getInteger("fermata.suspends", 40);
        Random random = new Random(7);
        List<Launch> jobs = new ArrayList<>();
        for (int job = 1; job <= 4; job++) {
            jobs.add(count(job, 4 * rounds));
        }
        List<Launch> first = List.copyOf(jobs);
        for (int round = 0; round < rounds; round++) {
            int i = random.nextInt(jobs.size());
            Launch launch = jobs.get(i);
            if (fixture.ends(launch).isEmpty()) {
                fixture.engine.submit(new EngineOrder.Preempt(
                        launch.jobId(), launch.attempt(), 60_000, PreemptWay.SUSPEND, LIMIT_MILLIS));
                if (fixture.awaitEnd(launch).outcome() == Outcome.SUSPENDED) {
                    jobs.set(i, resume(launch));
                }
            }
        }
        for (int i = 0; i < jobs.size(); i++) {
            assertThat(fixture.awaitEnd(jobs.get(i)).outcome()).isEqualTo(Outcome.COMPLETED);
            assertThat(fixture.stdout(first.get(i))).isEqualTo(numbers(4 * rounds));
        }
    }
}
