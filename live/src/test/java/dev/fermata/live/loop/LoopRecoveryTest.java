package dev.fermata.live.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.model.Dependency;
import dev.fermata.core.model.QueueRule;
import dev.fermata.live.service.DefaultSchedulerService;
import dev.fermata.live.state.GpuState;
import dev.fermata.live.state.QueueState;
import dev.fermata.live.store.JobRow;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** A restarted scheduler loop restores the state of the one before it. */
class LoopRecoveryTest {
    private final LoopFixture fixture = new LoopFixture("srtf", 2);

    @Test
    void recoveredLoopContinuesTheHistory() {
        fixture.submit(TestSpec.gpus(1), TestSpec.gpus(1), TestSpec.gpus(1));
        fixture.engine.running(1);
        fixture.advance(10);
        fixture.restart();
        assertThat(fixture.engine.orders)
                .filteredOn(order -> order.startsWith("start"))
                .hasSize(2);
        fixture.engine.end(1, Outcome.COMPLETED, 0, "");
        fixture.advance(10);
        assertThat(fixture.engine.orders).last().isEqualTo("start 3.1 on [0]");
        assertThat(fixture.submit(TestSpec.gpus(1))).containsExactly(4L);
        assertThat(fixture.store.entries())
                .extracting(entry -> entry.seq())
                .isSorted()
                .doesNotHaveDuplicates();
    }

    @Test
    void startThatNeverReachedTheEngineIsRepeated() {
        fixture.submit(TestSpec.gpus(1));
        fixture.engine.onGpus.clear(); // crash between the commit and the order
        fixture.restart();
        assertThat(fixture.engine.orders).containsExactly("start 1.1 on [0]", "start 1.1 on [0]");
        assertThat(fixture.row(1).attempt()).isEqualTo(1);
        fixture.advance(10);
        assertThat(fixture.store.attempts(1).get(0).place().externalId()).isEqualTo("id-1.1");
    }

    @Test
    void acceptedStartThatTheEngineLostIsRetriedAsAnotherAttempt() {
        fixture.submit(TestSpec.gpus(1));
        fixture.advance(10); // the engine's answer becomes durable
        fixture.engine.onGpus.clear();
        fixture.restart();
        assertThat(fixture.engine.orders).endsWith("missing 1.1", "start 1.2 on [0]");
        assertThat(fixture.store.attempts(1)).extracting(run -> run.outcome()).containsExactly("LOST", "");
    }

    @Test
    void endWithoutADaemonKeepsItsTime() {
        fixture.submit(TestSpec.gpus(1), TestSpec.gpus(1), TestSpec.gpus(1));
        fixture.engine.running(1);
        fixture.engine.running(2);
        fixture.advance(10);
        long running = fixture.now;
        fixture.now += 3_600_000;
        fixture.engine.endUnreported(1, Outcome.COMPLETED, running + 4_000);
        fixture.engine.endUnreported(
                2, Outcome.FAILED, running - 4_000); // a clock that was set back, or a file that was touched
        fixture.restart();
        JobRow first = fixture.row(1);
        assertThat(first.state()).isEqualTo(JobState.COMPLETED);
        assertThat(first.finishedMillis()).isEqualTo(running + 4_000);
        assertThat(first.runMillis()).isEqualTo(4_000);
        assertThat(fixture.store.attempts(1).get(0).endedMillis()).isEqualTo(running + 4_000);
        assertThat(fixture.row(2).finishedMillis()).isEqualTo(running);
        assertThat(fixture.row(3).firstStartMillis()).isEqualTo(fixture.now);
    }

    @Test
    void preemptAndKillOrdersAreRepeated() {
        fixture.submit(TestSpec.gpus(2));
        fixture.engine.running(1);
        fixture.advance(10);
        fixture.runAndGet(fixture.service().cancel(LoopFixture.ANN, 1));
        fixture.restart();
        assertThat(fixture.engine.orders).endsWith("kill 1.1", "kill 1.1");
        fixture.engine.end(1, Outcome.CANCELLED, null, "");
        fixture.advance(10);
        assertThat(fixture.row(1).state()).isEqualTo(JobState.CANCELLED);
    }

    @Test
    void preemptionKeepsItsBeneficiary() {
        fixture.preemptFirstForSecond("requeue");
        fixture.restart();
        assertThat(fixture.engine.orders).endsWith("pause 1.1", "pause 1.1");
        assertThat(fixture.runAndGet(fixture.service().explain(1)).message()).contains("for job 2");
        assertThat(fixture.service().gpus()).anyMatch(gpu -> gpu.reservedFor() == 2);
    }

    /** Otherwise the engine would end its processes as unknown ones. */
    @Test
    void preemptingAttemptIsPassedToTheEngineOnRecovery() {
        fixture.preemptFirstForSecond("requeue");
        fixture.restart();
        assertThat(fixture.engine.openedWith)
                .extracting(launch -> launch.jobId() + "." + launch.attempt())
                .containsExactly("1.1");
    }

    @Test
    void snapshotAndLaterEntriesRestoreTheSameState() {
        fixture.settings = fixture.settings.withSnapshotEveryEntries(3);
        fixture.restart();
        fixture.runAndGet(fixture.service()
                .setQueues(
                        LoopFixture.ANN,
                        List.of(
                                new QueueRule("research", 1, 2, 2),
                                new QueueRule("research/nlp", 0, QueueRule.NO_LIMIT, 1))));
        fixture.submit(
                TestSpec.gpus(1).queue("research/nlp"),
                TestSpec.gpus(2),
                TestSpec.gpus(1).held());
        assertThat(fixture.store.hasSnapshot()).isTrue();
        fixture.engine.running(1);
        fixture.advance(5);
        List<GpuState> gpus = fixture.service().gpus();
        List<QueueState> queues = fixture.service().queues();
        fixture.restart();
        assertThat(fixture.service().gpus()).isEqualTo(gpus);
        assertThat(fixture.service().queues()).isEqualTo(queues);
        assertThat(fixture.row(3).onHold()).isTrue();
    }

    @Test
    void timeNeverGoesBeforeTheHistory() {
        fixture.submit(TestSpec.gpus(1), TestSpec.gpus(2));
        long behind = fixture.now - 500_000; // the wall clock was set back while the daemon was down
        try (SchedulerLoop loop = fixture.newLoop(new MonotonicClock(() -> behind, System::nanoTime))
                .start()) {
            loop.ready().join();
            new DefaultSchedulerService(loop).cancel(LoopFixture.ANN, 2).join();
            assertThat(fixture.row(2).finishedMillis()).isGreaterThanOrEqualTo(fixture.now);
        }
    }

    /** Nothing is wrong with this program: the operator sees what to do, and no stack trace. */
    @Test
    void aHistoryOfANewerProgramIsRefusedWithItsMessageAlone() {
        fixture.submit(TestSpec.gpus(1));
        fixture.store.rewriteLastEntry("{\"v\":99,\"jobId\":1}");
        int orders = fixture.engine.orders.size();
        long last =
                fixture.store.entries().get(fixture.store.entries().size() - 1).seq();
        try (SchedulerLoop loop = fixture.newLoop(new MonotonicClock()).start()) {
            loop.ready().join(); // the last of its futures
            assertThat(loop.ended().join())
                    .isEqualTo("entry " + last + " of the history has format 99, written by a newer fermata; this one"
                            + " reads up to 3. Use the newer program, or another data folder.");
            assertThat(loop.leading()).isCancelled();
        }
        assertThat(fixture.engine.orders).hasSize(orders);
    }

    @Test
    void jobsInfeasibleOnAShrunkClusterWaitForNodes() {
        fixture.settings = fixture.settings.withSnapshotEveryEntries(1);
        fixture.restart();
        fixture.submit(TestSpec.gpus(2).held(), TestSpec.gpus(1).held());
        LoopFixture small = new LoopFixture("srtf", fixture.store, 1);
        small.runAndGet(small.service().release(LoopFixture.ANN, 1));
        assertThat(small.row(1).state()).isEqualTo(JobState.PENDING);
        assertThat(Objects.requireNonNull(small.loop().cycle().scheduler.explain(1))
                        .message())
                .isEqualTo("needs 2 GPUs; the cluster has 1 suitable GPUs for it at present");
        small.runAndGet(small.service().release(LoopFixture.ANN, 2));
        assertThat(small.row(2).state()).isEqualTo(JobState.STARTING);
    }

    /** Without ids nothing says which GPUs the numbers of an older history mean. */
    @Test
    void jobsOnGpusBeyondAnUnknownClusterStopTheRecovery() {
        fixture.submit(TestSpec.gpus(2));
        fixture.store.removeEntries("ClusterChanged");
        assertThatThrownBy(() -> new LoopFixture("srtf", fixture.store, 1))
                .hasMessageContaining("cannot be continued on this cluster (1 GPU)")
                .hasMessageContaining("Start the daemon with the GPUs it had before");
        fixture.restart();
        assertThat(fixture.row(1).state()).isEqualTo(JobState.STARTING);
        assertThat(fixture.history()).last().isEqualTo("ClusterChanged by engine");
    }

    @Test
    void historyThatContradictsItsRowsStopsTheRecovery() {
        fixture.submit(TestSpec.gpus(1));
        fixture.store.removeJob(1);
        assertThatThrownBy(fixture::restart).hasMessageContaining("the history has job 1");
    }

    @Test
    void rowThatDiffersFromTheHistoryIsWrittenAgain() {
        fixture.submit(TestSpec.gpus(1));
        fixture.engine.running(1);
        fixture.advance(10);
        JobRow before = fixture.row(1);
        JobRow.StatusColumns pending = new JobRow.StatusColumns(JobState.PENDING, 7, 0, "", true, null, "");
        fixture.store.replaceRow(new JobRow(1, before.request(), pending, before.times(), before.spec()));
        fixture.restart();
        assertThat(fixture.row(1)).isEqualTo(before);
    }

    @Test
    void interruptedDependencyCascadeIsFinished() {
        fixture.submit(TestSpec.gpus(1));
        fixture.submit(TestSpec.gpus(1).after(new Dependency(1, Dependency.Condition.SUCCESS)));
        JobRow waiting = fixture.row(2);
        fixture.engine.end(1, Outcome.FAILED, 1, "");
        fixture.advance(10);
        assertThat(fixture.row(2).state()).isEqualTo(JobState.CANCELLED);
        fixture.store.dropLastEntry(waiting);
        fixture.restart();
        assertThat(fixture.row(2).state()).isEqualTo(JobState.CANCELLED);
        assertThat(fixture.row(2).detail()).contains("job 1 has ended as FAILED");
        assertThat(fixture.engine.onGpus).isEmpty();
    }

    @Test
    void jobWithAMetDependencyStartsAfterRecovery() {
        fixture.submit(TestSpec.gpus(1));
        fixture.submit(TestSpec.gpus(1)
                .after(new Dependency(1, Dependency.Condition.FAILURE))
                .held());
        fixture.engine.end(1, Outcome.FAILED, 1, "");
        fixture.advance(10);
        fixture.restart();
        fixture.runAndGet(fixture.service().release(LoopFixture.ANN, 2));
        assertThat(fixture.row(2).state()).isEqualTo(JobState.STARTING);
    }

    @Test
    void jobsRunningElsewhereAreNotStartedHere() {
        fixture.submit(TestSpec.gpus(1));
        LoopFixture other = elsewhere();
        assertThatThrownBy(other::restart)
                .hasMessageContaining("1 job is on GPUs at the engine hand")
                .hasMessageContaining("--abandon");
        assertThat(other.engine.orders).isEmpty();
        assertThat(fixture.row(1).attempt()).isEqualTo(1);
        fixture.restart(); // the original location is not affected
        assertThat(fixture.row(1).state()).isEqualTo(JobState.STARTING);
    }

    @Test
    void abandonedJobsAreStartedAgain() {
        fixture.submit(TestSpec.gpus(1));
        LoopFixture other = elsewhere();
        other.settings = other.settings.withAbandon(true);
        other.restart();
        assertThat(other.engine.orders).containsExactly("start 1.1 on [0]");
        assertThatThrownBy(fixture::restart).hasMessageContaining("on GPUs at");
    }

    @Test
    void historyWithoutRunningJobsMayMove() {
        fixture.submit(TestSpec.gpus(1).held());
        LoopFixture other = elsewhere();
        other.restart();
        other.runAndGet(other.service().release(LoopFixture.ANN, 1));
        assertThat(other.engine.orders).containsExactly("start 1.1 on [0]");
        assertThatThrownBy(fixture::restart).hasMessageContaining("on GPUs at");
    }

    /** A loop on the same history at another location, not started. */
    private LoopFixture elsewhere() {
        return new LoopFixture("srtf", fixture.store, "elsewhere", 2);
    }
}
