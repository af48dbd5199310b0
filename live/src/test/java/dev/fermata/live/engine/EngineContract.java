package dev.fermata.live.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.model.Topology;
import dev.fermata.live.engine.EngineEvent.FailureKind;
import dev.fermata.live.spec.EngineOption;
import dev.fermata.live.spec.EngineSpec;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the scheduler loop relies on, of every engine. An engine passes it by a subclass that makes a {@link Bench}. */
public abstract class EngineContract {
    /** What a job of these tests does. */
    public enum Behaviour {
        /** Runs until it is ended, and exits when it gets the signal. */
        SAVES,
        /** Runs until it is killed. */
        IGNORES_SIGNALS,
        /** Exits with 0 at once. */
        COMPLETES,
        /** Exits with 3 at once. */
        FAILS,
        /** Rank 1 exits with 3 at once, the others run until they are ended. */
        LOSES_RANK,
        /** The engine cannot start it. */
        CANNOT_START
    }

    /** An engine at a place with at least 4 GPUs, and what a test does to both. */
    public interface Bench extends AutoCloseable {
        ExecutionEngine engine();

        /** A launch on the first GPUs. */
        Launch launch(long job, int attempt, Behaviour behaviour, int gpus);

        /** As after a crash of the daemon: a new engine at the same place, not opened; its events are empty. */
        void restart();

        /** Everything reported since the last start, in order. */
        List<EngineEvent> events();

        /** Opens it with {@link #events} as its inbox. */
        void open(ExpectedAttempts expected);

        /** Lets time pass until this is so; fails if it never is. */
        void await(BooleanSupplier condition);

        /** Lets time pass in which something unwanted would be seen. */
        void settle();

        /** Something about the machines changes that the engine can see, and that ends no attempt on the first GPU. */
        void disturbCluster();

        /** All is as before {@link #disturbCluster}. */
        void restoreCluster();

        /** How often the command of this attempt has begun; signals reach it from then on. */
        int begun(long job, int attempt);

        @Override
        void close();
    }

    private Bench bench;

    protected abstract Bench newBench();

    protected Bench bench() {
        return bench;
    }

    @BeforeEach
    void makeBench() {
        bench = newBench();
    }

    @AfterEach
    void closeBench() {
        bench.close();
    }

    // What tests do and see

    protected void open() {
        bench.open(ExpectedAttempts.NONE);
        bench.await(this::isReachable);
    }

    protected void reopen(ExpectedAttempts expected) {
        bench.restart();
        bench.open(expected);
        bench.await(this::isReachable);
    }

    protected boolean isReachable() {
        return bench.events().stream().anyMatch(EngineEvent.Reachable.class::isInstance);
    }

    protected Launch start(long job, Behaviour behaviour, int gpus) {
        Launch launch = bench.launch(job, 1, behaviour, gpus);
        bench.engine().submit(new EngineOrder.Start(launch));
        return launch;
    }

    protected Launch startAndAwait(long job, Behaviour behaviour, int gpus) {
        Launch launch = start(job, behaviour, gpus);
        awaitRunning(launch);
        return launch;
    }

    /** It is reported as running, and its command has begun. */
    protected void awaitRunning(Launch launch) {
        bench.await(() -> running(launch) > 0 && bench.begun(launch.jobId(), launch.attempt()) > 0);
    }

    protected boolean accepted(EngineOrder order) {
        return bench.events().stream()
                .anyMatch(event -> event instanceof EngineEvent.Accepted accepted
                        && accepted.order().equals(order.id()));
    }

    protected EngineEvent.OrderFailed awaitFailure(EngineOrder order) {
        bench.await(() -> failure(order) != null);
        return Objects.requireNonNull(failure(order));
    }

    private EngineEvent.@Nullable OrderFailed failure(EngineOrder order) {
        for (EngineEvent event : bench.events()) {
            if (event instanceof EngineEvent.OrderFailed failed
                    && failed.order().equals(order.id())) {
                return failed;
            }
        }
        return null;
    }

    protected long running(Launch launch) {
        return bench.events().stream()
                .filter(event -> event instanceof EngineEvent.StateChanged changed
                        && changed.event() instanceof Event.Running running
                        && running.jobId() == launch.jobId()
                        && running.attempt() == launch.attempt())
                .count();
    }

    protected List<EngineEvent.StateChanged> ends(Launch launch) {
        return bench.events().stream()
                .filter(EngineEvent.StateChanged.class::isInstance)
                .map(EngineEvent.StateChanged.class::cast)
                .filter(changed -> changed.event() instanceof Event.AttemptEnded ended
                        && ended.jobId() == launch.jobId()
                        && ended.attempt() == launch.attempt())
                .toList();
    }

    protected Outcome awaitEnd(Launch launch) {
        bench.await(() -> !ends(launch).isEmpty());
        return ((Event.AttemptEnded) ends(launch).get(0).event()).outcome();
    }

    protected void kill(Launch launch) {
        bench.engine().submit(new EngineOrder.Kill(launch.jobId(), launch.attempt()));
    }

    // The contract

    @Test
    void startIsAcceptedWithAnIdThenBoundThenRuns() {
        open();
        Launch launch = startAndAwait(1, Behaviour.SAVES, 1);
        List<EngineEvent> answers = bench.events().stream()
                .filter(event -> event instanceof EngineEvent.Accepted
                        || event instanceof EngineEvent.Bound
                        || event instanceof EngineEvent.StateChanged)
                .limit(3)
                .toList();
        assertThat(answers.get(0)).isInstanceOfSatisfying(EngineEvent.Accepted.class, answer -> {
            assertThat(answer.order()).isEqualTo(new EngineOrder.Start(launch).id());
            assertThat(answer.externalId()).isNotBlank();
        });
        assertThat(answers.get(1))
                .isInstanceOfSatisfying(
                        EngineEvent.Bound.class,
                        bound -> assertThat(bound.devices()).hasSize(1));
        assertThat(answers.get(2)).isInstanceOf(EngineEvent.StateChanged.class);
        kill(launch);
        assertThat(awaitEnd(launch)).isIn(Outcome.CANCELLED, Outcome.LOST);
    }

    @Test
    void gangHasOneStartAndOneEnd() {
        open();
        Launch launch = startAndAwait(1, Behaviour.SAVES, 4);
        bench.engine().submit(new EngineOrder.Preempt(1, 1, 60_000));
        assertThat(awaitEnd(launch)).isEqualTo(Outcome.PREEMPTED);
        bench.settle();
        assertThat(ends(launch)).hasSize(1);
        assertThat(running(launch)).isEqualTo(1);
    }

    @Test
    void exitCodesAreReported() {
        open();
        Launch fine = start(1, Behaviour.COMPLETES, 1);
        Launch bad = start(2, Behaviour.FAILS, 1);
        assertThat(awaitEnd(fine)).isEqualTo(Outcome.COMPLETED);
        assertThat(awaitEnd(bad)).isEqualTo(Outcome.FAILED);
        assertThat(Objects.requireNonNull(ends(bad).get(0).exit()).code()).isEqualTo(3);
    }

    @Test
    void preemptionWithinTheGraceSaves() {
        open();
        Launch launch = startAndAwait(1, Behaviour.SAVES, 1);
        EngineOrder preempt = new EngineOrder.Preempt(1, 1, 60_000);
        bench.engine().submit(preempt);
        assertThat(awaitEnd(launch)).isEqualTo(Outcome.PREEMPTED);
        assertThat(accepted(preempt)).isTrue();
    }

    @Test
    void whatIgnoresTheSignalIsKilledAfterTheGrace() {
        open();
        Launch launch = startAndAwait(1, Behaviour.IGNORES_SIGNALS, 1);
        bench.engine().submit(new EngineOrder.Preempt(1, 1, 300));
        assertThat(awaitEnd(launch)).isEqualTo(Outcome.LOST);
    }

    @Test
    void anOrderThatComesTwiceDoesOneThing() {
        open();
        Launch launch = startAndAwait(1, Behaviour.SAVES, 1);
        EngineOrder again = new EngineOrder.Start(launch);
        long before = bench.events().size();
        bench.engine().submit(again);
        bench.await(() -> bench.events().size() > before);
        bench.engine().submit(new EngineOrder.Preempt(1, 1, 60_000));
        bench.engine().submit(new EngineOrder.Preempt(1, 1, 60_000));
        awaitEnd(launch);
        bench.engine().submit(again); // late
        bench.settle();
        assertThat(bench.begun(1, 1)).isEqualTo(1);
        assertThat(ends(launch)).hasSize(1);
    }

    @Test
    void aStartThatCannotBeIsRefusedForGood() {
        open();
        Launch launch = start(1, Behaviour.CANNOT_START, 1);
        EngineEvent.OrderFailed refused = awaitFailure(new EngineOrder.Start(launch));
        assertThat(refused.kind()).isEqualTo(FailureKind.PERMANENT);
        assertThat(refused.cause()).isNotBlank();
        bench.settle();
        assertThat(ends(launch)).isEmpty();
        assertThat(bench.begun(1, 1)).isZero();
    }

    @Test
    void ordersToUnknownAttemptsAreRefused() {
        open();
        EngineOrder kill = new EngineOrder.Kill(7, 1);
        bench.engine().submit(kill);
        assertThat(awaitFailure(kill).kind()).isEqualTo(FailureKind.PERMANENT);
    }

    @Test
    void adoptionOfAnAttemptThatIsNotThereIsItsLossForEver() {
        open();
        Launch launch = bench.launch(7, 1, Behaviour.SAVES, 1);
        bench.engine().submit(new EngineOrder.Adopt(launch, 1));
        assertThat(awaitEnd(launch)).isEqualTo(Outcome.LOST);
        bench.settle();
        assertThat(bench.begun(7, 1)).isZero();
    }

    @Test
    void aRunningAttemptIsAdoptedWhenAsked() {
        open();
        Launch launch = startAndAwait(1, Behaviour.SAVES, 1);
        EngineOrder adopt = new EngineOrder.Adopt(launch, 5);
        bench.engine().submit(adopt);
        bench.await(() -> accepted(adopt));
        assertThat(ends(launch)).isEmpty();
        assertThat(bench.begun(1, 1)).isEqualTo(1);
    }

    @Test
    void ordersToAnOldAttemptDoNotTouchTheNext() {
        open();
        Launch first = start(1, Behaviour.COMPLETES, 1);
        awaitEnd(first);
        Launch second = bench.launch(1, 2, Behaviour.SAVES, 1);
        bench.engine().submit(new EngineOrder.Start(second));
        awaitRunning(second);
        kill(first);
        bench.engine().submit(new EngineOrder.Preempt(1, 1, 0));
        bench.settle();
        assertThat(ends(second)).isEmpty();
    }

    @Test
    void acceptedAttemptsContinueWithoutTheDaemonAndAreReportedBeforeReachable() {
        open();
        Launch runs = startAndAwait(1, Behaviour.SAVES, 1);
        Launch ends = startAndAwait(2, Behaviour.SAVES, 1);
        kill(ends);
        awaitEnd(ends);
        reopen(ExpectedAttempts.accepted(List.of(runs, ends, bench.launch(3, 1, Behaviour.SAVES, 1))));
        List<EngineEvent> until = bench.events().stream()
                .takeWhile(event -> !(event instanceof EngineEvent.Reachable))
                .toList();
        assertThat(until).anyMatch(event -> isEnd(event, 2)).anyMatch(event -> isEnd(event, 3));
        assertThat(until).noneMatch(event -> isEnd(event, 1));
        assertThat(bench.begun(1, 1)).isEqualTo(1);
        bench.engine().submit(new EngineOrder.Preempt(1, 1, 60_000));
        assertThat(awaitEnd(runs)).isEqualTo(Outcome.PREEMPTED);
    }

    private static boolean isEnd(EngineEvent event, long job) {
        return event instanceof EngineEvent.StateChanged changed
                && changed.event() instanceof Event.AttemptEnded ended
                && ended.jobId() == job;
    }

    @Test
    void aStartThatAnEarlierDaemonGaveIsNotGivenTwice() {
        open();
        Launch launch = startAndAwait(1, Behaviour.SAVES, 1);
        reopen(new ExpectedAttempts(List.of(), List.of(launch)));
        EngineOrder start = new EngineOrder.Start(launch);
        bench.engine().submit(start);
        bench.await(() -> accepted(start));
        assertThat(bench.begun(1, 1)).isEqualTo(1);
        assertThat(ends(launch)).isEmpty();
    }

    @Test
    void aStartThatNoDaemonGaveIsCarriedOutAfterARestart() {
        open();
        Launch launch = bench.launch(1, 1, Behaviour.SAVES, 1);
        reopen(new ExpectedAttempts(List.of(), List.of(launch)));
        bench.engine().submit(new EngineOrder.Start(launch));
        awaitRunning(launch);
        assertThat(bench.begun(1, 1)).isEqualTo(1);
    }

    @Test
    void whatTheDaemonDoesNotExpectIsKilled() {
        open();
        Launch launch = startAndAwait(1, Behaviour.SAVES, 1);
        reopen(ExpectedAttempts.NONE);
        bench.settle();
        assertThat(bench.events()).noneMatch(event -> isEnd(event, 1));
        Launch next = bench.launch(1, 2, Behaviour.COMPLETES, 1);
        bench.engine().submit(new EngineOrder.Start(next));
        assertThat(awaitEnd(next)).isEqualTo(Outcome.COMPLETED);
        assertThat(ends(launch)).isEmpty();
    }

    @Test
    void aGangOverAllNodesItNeedsHasOneStartAndOneEnd() {
        Topology cluster = bench.engine().topology();
        boolean several = cluster.nodes().size() > 1;
        assertThat(bench.engine().capabilities().has(Capabilities.Feature.SEVERAL_NODES))
                .isEqualTo(several);
        open();
        Launch launch = startAndAwait(1, Behaviour.SAVES, cluster.node(0).gpus() + (several ? 1 : 0));
        assertThat(launch.allocation().nodeCount()).isEqualTo(several ? 2 : 1);
        bench.engine().submit(new EngineOrder.Preempt(1, 1, 60_000));
        assertThat(awaitEnd(launch)).isEqualTo(Outcome.PREEMPTED);
        bench.settle();
        assertThat(ends(launch)).hasSize(1);
        assertThat(running(launch)).isEqualTo(1);
    }

    @Test
    void aLostRankEndsTheAttemptOnce() {
        open();
        Launch launch = start(1, Behaviour.LOSES_RANK, 2);
        assertThat(awaitEnd(launch)).isEqualTo(Outcome.FAILED);
        EngineEvent.AttemptExit exit =
                Objects.requireNonNull(ends(launch).get(0).exit());
        boolean ofOtherRank = exit.signal() > 0; // where only the worst exit is known, such as by srun
        assertThat(ofOtherRank || Integer.valueOf(3).equals(exit.code())).isTrue();
        bench.settle();
        assertThat(ends(launch)).hasSize(1);
    }

    /** A report that comes again says nothing new, so the scheduler would make events of it for nothing. */
    @Test
    void aChangeOfTheClusterIsReportedOnceAndEndsNoAttempt() {
        open();
        Launch launch = startAndAwait(1, Behaviour.SAVES, 1);
        bench.settle();
        int before = clusterReports().size();
        int disturbed;
        try {
            bench.disturbCluster();
            bench.await(() -> clusterReports().size() > before);
            bench.settle();
            disturbed = clusterReports().size();
        } finally {
            bench.restoreCluster();
        }
        bench.await(() -> clusterReports().size() > disturbed);
        for (int i = before; i + 1 < clusterReports().size(); i++) {
            assertThat(clusterReports().get(i)).isNotEqualTo(clusterReports().get(i + 1));
        }
        assertThat(ends(launch)).isEmpty();
    }

    private List<EngineEvent> clusterReports() {
        return bench.events().stream()
                .filter(event -> event instanceof EngineEvent.NodeReported
                        || event instanceof EngineEvent.NodeGone
                        || event instanceof EngineEvent.NodeConditionReported)
                .toList();
    }

    @Test
    void optionsThatItCannotServeAreRefusedWithAReason() {
        EngineSpec all = new EngineSpec(
                "pytorch:2.4",
                new EngineSpec.SlurmSpec("gpu", "", "", "", ""),
                new EngineSpec.KubernetesSpec("team", "", Map.of(), List.of()));
        Set<EngineOption> served = bench.engine().capabilities().options();
        String reason = all.rejectionReason(bench.engine().name(), served);
        for (EngineOption option : EngineOption.values()) {
            EngineSpec one = new EngineSpec(
                    option == EngineOption.IMAGE ? all.image() : "",
                    option == EngineOption.SLURM ? all.slurm() : EngineSpec.SlurmSpec.NONE,
                    option == EngineOption.KUBERNETES ? all.kubernetes() : EngineSpec.KubernetesSpec.NONE);
            String refused = one.rejectionReason(bench.engine().name(), served);
            if (served.contains(option)) {
                assertThat(refused).isNull();
            } else {
                assertThat(reason).isNotNull();
                assertThat(refused).contains(option.key(), bench.engine().name(), option.meaning());
            }
        }
    }

    @Test
    void theTopologyHasStableIds() {
        List<String> ids = ids();
        bench.restart();
        assertThat(ids()).isEqualTo(ids).doesNotHaveDuplicates();
    }

    private List<String> ids() {
        var topology = bench.engine().topology();
        return IntStream.range(0, topology.gpuCount()).mapToObj(topology::gpuId).toList();
    }
}
