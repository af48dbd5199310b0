package dev.fermata.live.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Outcome;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.GpuType;
import dev.fermata.core.model.Topology;
import dev.fermata.live.engine.EngineEvent.FailureKind;
import dev.fermata.live.loop.TestSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The contract for an engine over a connection, in virtual time: also outages and failures that pass. */
class SimulatedEngineContractTest extends EngineContract {
    private static final GpuType H100 = new GpuType("H100", 80_000, 1.0);
    private static final Topology CLUSTER =
            Topology.builder().node(H100, 4).node(H100, 4).build();

    @Override
    protected Bench newBench() {
        return new SimulatedBench();
    }

    private static final class SimulatedBench implements Bench {
        final SimulatedSite site = new SimulatedSite(CLUSTER);
        private final List<EngineEvent> events = new ArrayList<>();
        private SimulatedSite.Engine engine = site.newEngine();

        @Override
        public SimulatedSite.Engine engine() {
            return engine;
        }

        @Override
        public Launch launch(long job, int attempt, Behaviour behaviour, int gpus) {
            site.setBehaviour(job, behaviour);
            return new Launch(
                    job,
                    attempt,
                    -1,
                    "ann",
                    TestSpec.gpus(gpus).spec(),
                    Allocation.of(CLUSTER, IntStream.range(0, gpus).toArray(), false),
                    Launch.PriorWork.NONE,
                    Launch.LearnedLimits.NONE);
        }

        @Override
        public void restart() {
            engine.close();
            events.clear();
            engine = site.newEngine();
        }

        @Override
        public List<EngineEvent> events() {
            return events;
        }

        @Override
        public void open(ExpectedAttempts expected) {
            engine.open(CLUSTER, expected, events::add);
        }

        @Override
        public void await(BooleanSupplier condition) {
            for (int i = 0; i < 10_000 && !condition.getAsBoolean(); i++) {
                site.advance(1);
            }
            assertThat(condition.getAsBoolean()).isTrue();
        }

        @Override
        public void settle() {
            site.advance(10_000);
        }

        @Override
        public void disturbCluster() {
            site.setLastGpu(false);
        }

        @Override
        public void restoreCluster() {
            site.setLastGpu(true);
        }

        @Override
        public int begun(long job, int attempt) {
            return site.begun(job, attempt);
        }

        @Override
        public void close() {
            engine.close();
        }
    }

    private SimulatedBench simulated() {
        return (SimulatedBench) bench();
    }

    @Test
    void anOrderThatFailsForNowIsCarriedOutWhenItIsRepeated() {
        open();
        simulated().site.failOrders(2);
        Launch launch = start(1, Behaviour.SAVES, 1);
        assertThat(awaitFailure(new EngineOrder.Start(launch)).kind()).isEqualTo(FailureKind.TRANSIENT);
        bench().engine().submit(new EngineOrder.Start(launch));
        bench().settle();
        assertThat(bench().begun(1, 1)).isZero();
        bench().engine().submit(new EngineOrder.Start(launch));
        bench().await(() -> running(launch) == 1);
        assertThat(bench().begun(1, 1)).isEqualTo(1);
    }

    @Test
    void anOutageIsReportedAndNothingOfItIsLost() {
        open();
        Launch launch = startAndAwait(1, Behaviour.SAVES, 1);
        Launch ended = start(2, Behaviour.COMPLETES, 1);
        bench().await(() -> accepted(new EngineOrder.Start(ended)));
        simulated().site.setReachable(false);
        assertThat(bench().events()).last().isEqualTo(new EngineEvent.Unreachable("connection refused"));
        int events = bench().events().size();
        EngineOrder lost = new EngineOrder.Preempt(1, 1, 1_000);
        bench().engine().submit(lost);
        simulated().site.advance(3_600_000);
        assertThat(bench().events()).hasSize(events);
        simulated().site.setReachable(true);
        assertThat(awaitEnd(ended)).isEqualTo(Outcome.COMPLETED);
        assertThat(bench().events()).last().isEqualTo(new EngineEvent.Reachable());
        assertThat(ends(launch)).isEmpty();
        bench().engine().submit(lost);
        assertThat(awaitEnd(launch)).isEqualTo(Outcome.PREEMPTED);
    }
}
