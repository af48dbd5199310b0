package dev.fermata.engine.local;

import static dev.fermata.engine.local.LocalEngineFixture.awaitUntil;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.PreemptWay;
import dev.fermata.live.engine.EngineEvent;
import dev.fermata.live.engine.EngineOrder;
import dev.fermata.live.engine.ExpectedAttempts;
import dev.fermata.live.engine.JobSpecBuilder;
import dev.fermata.live.engine.Launch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A driver that refuses, hangs, dies halfway and does not restore, and daemons that come and go: no step of a job is lost or done
 * twice. {@code -Dfermata.suspends=1000} for more.
 */
class FaultySuspendTest {
    private static final int SUSPENDS = Integer.getInteger("fermata.suspends", 24);
    private static final long LIMIT_MILLIS = 3_000;

    private static final String DRIVER = """
            import os, random, signal, sys, time
            verb, draw = sys.argv[1], random.random()
            pids = [int(pid) for pid in sys.argv[6 if verb == "suspend" else 2:]]
            def send(sent, some):
                for pid in some:
                    try:
                        os.kill(pid, sent)
                    except ProcessLookupError:
                        pass
            if verb == "state":
                print("{}")
            elif verb == "resume":
                if draw < 0.2:
                    print("not now: another program has the GPU")
                else:
                    send(signal.SIGCONT, pids)
                    print("able")
            elif draw < 0.15:
                print("not now: refused")
            elif draw < 0.2:
                send(signal.SIGSTOP, pids[:1])
                print("never: refused halfway")
            elif draw < 0.3:
                send(signal.SIGSTOP, pids[:1])
                os.kill(os.getpid(), signal.SIGKILL)
            elif draw < 0.33:
                send(signal.SIGSTOP, pids)
                time.sleep(5)
            else:
                print("able")
            """;

    @TempDir
    Path folder;

    private LocalEngineFixture fixture;

    @BeforeEach
    void open() throws IOException {
        Path data = folder.resolve("data");
        Files.writeString(Files.createDirectories(data.resolve("engine")).resolve(Suspender.VIRTUAL_DRIVER), DRIVER);
        fixture = new LocalEngineFixture(data, settings -> settings.gpus("virtual:1+suspend"));
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private boolean failedToSuspend(Launch launch, int before) {
        return count(Event.SuspendFailed.class, launch) > before;
    }

    private int count(Class<? extends Event> type, Launch launch) {
        return (int) fixture.events.stream()
                .filter(event -> event instanceof EngineEvent.StateChanged changed
                        && type.isInstance(changed.event())
                        && changed.event()
                                .toString()
                                .contains("jobId=" + launch.jobId() + ", attempt=" + launch.attempt() + ","))
                .count();
    }

    /** Whether it was suspended; else it runs on, or has ended. */
    private boolean suspend(Launch launch) {
        int before = count(Event.SuspendFailed.class, launch);
        fixture.engine.submit(
                new EngineOrder.Preempt(launch.jobId(), launch.attempt(), 60_000, PreemptWay.SUSPEND, LIMIT_MILLIS));
        awaitUntil(
                () -> failedToSuspend(launch, before) || !fixture.ends(launch).isEmpty());
        return !fixture.ends(launch).isEmpty() && fixture.awaitEnd(launch).outcome() == Outcome.SUSPENDED;
    }

    /** Resumes it, as often as it takes: a refused start is another attempt. */
    private Launch resume(Launch suspended) {
        Launch next = suspended;
        do {
            next = LocalEngineFixture.resuming(next, next.attempt() + 1);
            Launch tried = next;
            fixture.engine.submit(new EngineOrder.Start(tried));
            awaitUntil(() -> count(Event.Running.class, tried) > 0 || isRefused(tried));
        } while (count(Event.Running.class, next) == 0);
        return next;
    }

    private boolean isRefused(Launch launch) {
        return fixture.events.stream()
                .anyMatch(event -> event instanceof EngineEvent.OrderFailed failed
                        && failed.order().jobId() == launch.jobId()
                        && failed.order().attempt() == launch.attempt());
    }

    /** The driver names the processes that stop by themselves; these had done their work, and need CUDA no more. */
    @Test
    void aProgramThatEndsWellWhileItIsSuspendedIsNotRepeated() throws IOException {
        Files.writeString(
                folder.resolve("data/engine").resolve(Suspender.VIRTUAL_DRIVER),
                "import sys\nprint('able', *sys.argv[6 if sys.argv[1] == 'suspend' else 2:])\n");
        Launch first = fixture.startAndAwaitRunning(1, new JobSpecBuilder("sleep 2; echo done"));
        assertThat(suspend(first)).isTrue();
        awaitUntil(() -> Files.exists(fixture.folder(first).resolve("exit")));
        awaitUntil(() -> fixture.aliveProcesses().isEmpty());
        Launch next = resume(first);
        assertThat(fixture.awaitEnd(next).outcome()).isEqualTo(Outcome.COMPLETED);
        assertThat(fixture.stdout(first)).isEqualTo("done\n");
    }

    @Test
    void nothingIsLost() {
        Random random = new Random(11);
        int steps = 6 * SUSPENDS;
        Launch first = fixture.startAndAwaitRunning(
                1,
                new JobSpecBuilder(
                        "trap '' TERM; i=0; while [ $i -lt " + steps + " ]; do i=$((i+1)); echo $i; sleep 0.02; done"));
        Launch launch = first;
        int suspended = 0;
        for (int i = 0; i < SUSPENDS && fixture.ends(launch).isEmpty(); i++) {
            if (suspend(launch)) {
                suspended++;
                if (random.nextInt(8) == 0) {
                    fixture.reopenWith(new ExpectedAttempts(List.of(), List.of(), List.of(launch)));
                }
                launch = resume(launch);
            } else if (fixture.ends(launch).isEmpty() && random.nextInt(8) == 0) {
                fixture.reopenWith(ExpectedAttempts.accepted(List.of(launch)));
            }
        }
        assertThat(fixture.awaitEnd(launch).outcome()).isEqualTo(Outcome.COMPLETED);
        assertThat(suspended).isPositive();
        StringBuilder numbers = new StringBuilder();
        IntStream.rangeClosed(1, steps).forEach(i -> numbers.append(i).append('\n'));
        assertThat(fixture.stdout(first)).isEqualTo(numbers.toString());
    }
}
