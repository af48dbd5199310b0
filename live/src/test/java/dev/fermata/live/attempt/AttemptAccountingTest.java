package dev.fermata.live.attempt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Usage;
import dev.fermata.live.engine.EngineEvent;
import dev.fermata.live.engine.ExhaustedResource;
import dev.fermata.live.engine.JobLogs;
import dev.fermata.live.engine.Launch;
import dev.fermata.live.loop.TestSpec;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What follows from a raw timeline, for an engine that decides nothing. */
class AttemptAccountingTest {
    @TempDir
    Path folder;

    @SuppressWarnings("NullAway.Init")
    private AttemptScene scene;

    @BeforeEach
    void open() {
        scene = new AttemptScene(folder);
    }

    private AttemptScene.Attempt attempt(Launch launch) {
        return scene.new Attempt(launch);
    }

    private AttemptScene.Attempt attempt(long jobId, TestSpec spec) {
        return attempt(AttemptScene.launch(jobId, spec, 0, 0, 0));
    }

    private List<Event> states() {
        return scene.events(EngineEvent.StateChanged.class).stream()
                .map(EngineEvent.StateChanged::event)
                .toList();
    }

    private EngineEvent.StateChanged end() {
        return scene.events(EngineEvent.StateChanged.class).stream()
                .filter(state -> state.event() instanceof Event.AttemptEnded)
                .findFirst()
                .orElseThrow();
    }

    private Event.AttemptEnded ended() {
        return (Event.AttemptEnded) end().event();
    }

    private static EngineEvent.AttemptExit exitOf(EngineEvent.StateChanged end) {
        return Objects.requireNonNull(end.exit());
    }

    @Test
    void timelineBecomesUsage() {
        AttemptScene.Attempt attempt = attempt(1, TestSpec.gpus(1));
        scene.clock.advance(2_000);
        attempt.accounting.started(scene.clock.nowMillis());
        attempt.report("{\"at\":" + (scene.clock.nowMillis() + 1_000) + ",\"type\":\"hello\"}");
        scene.clock.advance(3_000);
        attempt.report("{\"at\":" + scene.clock.nowMillis() + ",\"type\":\"loaded\"}");
        scene.clock.advance(60_000);
        attempt.terminate(TerminationCause.PREEMPTION, 30_000);
        scene.clock.advance(4_000);
        attempt.report("{\"at\":" + scene.clock.nowMillis() + ",\"type\":\"saved\"}");
        attempt.leave(75);

        assertThat(ended().outcome()).isEqualTo(Outcome.PREEMPTED);
        assertThat(ended().usage())
                .isEqualTo(new Usage(5_000, 60_000, 0, 4_000, 0, ended().usage().savedWorkMillis()));
        assertThat(end().measurements().preemptMillis()).isEqualTo(4_000);
    }

    @Test
    void runningIsReportedWhenTheScriptHasLoaded() {
        AttemptScene.Attempt attempt = attempt(AttemptScene.launch(1, TestSpec.gpus(1), 0, 0, 60_000));
        attempt.accounting.started(scene.clock.nowMillis());
        scene.clock.advance(20_000);
        assertThat(states()).isEmpty();

        attempt.report("{\"type\":\"loaded\"}");
        scene.clock.advance(1_000);

        assertThat(states()).hasSize(1).first().isInstanceOf(Event.Running.class);
    }

    @Test
    void overdueReportOfALoadIsNotWaitedFor() {
        AttemptScene.Attempt attempt = attempt(AttemptScene.launch(1, TestSpec.gpus(1), 0, 0, 10_000));
        attempt.accounting.started(scene.clock.nowMillis());
        scene.clock.advance(24_000);
        assertThat(states()).isEmpty();
        scene.clock.advance(2_000);
        assertThat(states()).hasSize(1);
    }

    @Test
    void timeLimitIsDecidedHere() {
        AttemptScene.Attempt attempt = attempt(1, AttemptScene.limited(60_000));
        scene.clock.advance(10_000);
        attempt.accounting.started(scene.clock.nowMillis());
        scene.clock.advance(59_999);
        assertThat(scene.orders).isEmpty();
        scene.clock.advance(1);
        assertThat(scene.orders).containsExactly("1.1 TIME_LIMIT 30000");

        attempt.leave(143);
        assertThat(ended().outcome()).isEqualTo(Outcome.TIMEOUT);
        assertThat(exitOf(end()).detail()).isEqualTo("stopped at its time limit of 60 s");
    }

    @Test
    void changedTimeLimitHolds() {
        AttemptScene.Attempt attempt = attempt(1, AttemptScene.limited(60_000));
        attempt.accounting.started(scene.clock.nowMillis());
        attempt.accounting.setTimeLimit(120_000);
        scene.clock.advance(119_000);
        assertThat(scene.orders).isEmpty();
        attempt.accounting.setTimeLimit(1_000);
        scene.clock.advance(1);
        assertThat(scene.orders).containsExactly("1.1 TIME_LIMIT 30000");
    }

    @Test
    void attemptFarAboveItsReservationIsEndedOnASharedGpu() {
        AttemptScene.Attempt modest = attempt(AttemptScene.launch(1, TestSpec.gpus(1), 0, 8_000, 0));
        AttemptScene.Attempt greedy = attempt(AttemptScene.launch(2, TestSpec.gpus(1), 0, 4_000, 0));
        modest.accounting.started(scene.clock.nowMillis());
        greedy.accounting.started(scene.clock.nowMillis());
        modest.accounting.gpuUsage().recordMemory(7_900);
        greedy.accounting.gpuUsage().recordMemory(4_100);
        scene.clock.advance(1_000);
        assertThat(scene.orders).as("the reserve of the GPU covers that").isEmpty();

        greedy.accounting.gpuUsage().recordMemory(6_000);
        scene.clock.advance(2_000);

        assertThat(scene.orders).containsExactly("2.1 MEMORY_OVERUSE 10000");
        greedy.leave(143);
        assertThat(ended().outcome()).isEqualTo(Outcome.OOM);
        assertThat(exitOf(end()).exhaustedResource()).isEqualTo(ExhaustedResource.GPU_MEMORY);
        assertThat(exitOf(end()).detail()).startsWith("it held more than the 4000 MiB");
    }

    @Test
    void attemptAloneOnItsGpuMayUseAllOfIt() {
        AttemptScene.Attempt alone = attempt(AttemptScene.launch(1, TestSpec.gpus(1), 0, 4_000, 0));
        AttemptScene.Attempt elsewhere = attempt(AttemptScene.launch(2, TestSpec.gpus(1), 1, 4_000, 0));
        alone.accounting.gpuUsage().recordMemory(15_000);
        elsewhere.accounting.gpuUsage().recordMemory(1_000);
        scene.clock.advance(5_000);
        assertThat(scene.orders).isEmpty();
    }

    @Test
    void lastOutputOfAnyEngineShowsThatMemoryRanOut() {
        String output = """
                Traceback (most recent call last):
                torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.
                """;
        scene = new AttemptScene(
                folder,
                (job, number, stream, rank) -> Optional.of(new WholeOutput(stream.equals("stderr") ? output : "")));
        AttemptScene.Attempt attempt = attempt(1, TestSpec.gpus(1));
        attempt.accounting.started(scene.clock.nowMillis());
        attempt.leave(1);

        assertThat(ended().outcome()).isEqualTo(Outcome.OOM);
        assertThat(exitOf(end()).detail()).contains("its GPU was out of memory", "Tried to allocate");
    }

    @Test
    void kernelThatKilledForMemoryIsBelieved() {
        AttemptScene.Attempt attempt = attempt(1, TestSpec.gpus(1));
        attempt.accounting.started(scene.clock.nowMillis());
        long now = scene.clock.nowMillis();
        attempt.accounting.left(new AttemptEnd(
                true,
                new AttemptEnd.ExitRecord(137, true),
                now,
                now,
                new AttemptEnd.ExitRequest(null, false),
                new AttemptEnd.MemoryKills(0, true),
                "",
                ""));
        assertThat(ended().outcome()).isEqualTo(Outcome.OOM);
        assertThat(exitOf(end()).exhaustedResource()).isEqualTo(ExhaustedResource.HOST_MEMORY);
    }

    @Test
    void attemptThatNeverBeganHasNoUsage() {
        AttemptScene.Attempt attempt = attempt(1, TestSpec.gpus(1));
        attempt.report("{\"type\":\"saved\"}");
        scene.clock.advance(7_000);
        attempt.accounting.left(AttemptEnd.unstarted(false, null, scene.clock.nowMillis(), "the disk is full"));

        assertThat(ended().outcome()).isEqualTo(Outcome.LOST);
        assertThat(ended().usage()).isEqualTo(new Usage(0, 0, 0, 0, 0, 0));
        assertThat(exitOf(end()).detail()).isEqualTo("the disk is full");
    }

    @Test
    void endThatCouldNotBeDeliveredIsReportedAgain() {
        AttemptRegistry registry = scene.registry(
                new AttemptRegistry.EngineSide(() -> AttemptScene.CLUSTER, () -> false, JobLogs.NONE, event -> {
                    if (scene.orders.isEmpty()) {
                        scene.orders.add("refused once");
                        throw new IllegalStateException("the loop is closed");
                    }
                    scene.events.add(event);
                }));
        AttemptAccounting accounting =
                registry.open(AttemptScene.launch(1, TestSpec.gpus(1), 0, 0, 0), folder, new NoControl());
        AttemptEnd end = AttemptEnd.unstarted(true, null, scene.clock.nowMillis(), "no such account");

        assertThatThrownBy(() -> accounting.left(end)).isInstanceOf(IllegalStateException.class);
        accounting.left(end);

        assertThat(ended().outcome()).isEqualTo(Outcome.FAILED);
    }

    @Test
    void nothingRemainsScheduledAfterTheLastAttempt() {
        AttemptScene.Attempt attempt = attempt(1, AttemptScene.limited(3_600_000));
        attempt.accounting.started(scene.clock.nowMillis());
        scene.clock.advance(5_000);
        attempt.leave(0);
        scene.clock.advance(1_000);
        assertThat(scene.clock.pending()).isZero();

        AttemptScene.Attempt next = attempt(2, TestSpec.gpus(1));
        next.accounting.started(scene.clock.nowMillis());
        next.report("{\"type\":\"step\",\"step\":5}");
        scene.clock.advance(1_000);
        assertThat(scene.events(EngineEvent.ProgressReported.class))
                .as("reports are read again")
                .hasSize(1);
    }

    /** Of an engine without the attempt. */
    private static final class NoControl implements AttemptControl {
        @Override
        public @Nullable TerminationRequest terminationRequest() {
            return null;
        }

        @Override
        public void terminate(TerminationCause cause, long graceMillis) {
            throw new AssertionError("it has ended");
        }
    }

    /** Output in memory. */
    private record WholeOutput(String text) implements JobLogs.LogOutput {
        @Override
        public long firstOffset() {
            return 0;
        }

        @Override
        public long endOffset() {
            return text.length();
        }

        @Override
        public long nextAvailable(long offset) {
            return offset;
        }

        @Override
        public int read(long offset, byte[] into) throws IOException {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            int count = Math.max(0, Math.min(into.length, bytes.length - (int) offset));
            System.arraycopy(bytes, (int) offset, into, 0, count);
            return count;
        }

        @Override
        public void close() {
            // nothing is open
        }
    }
}
