package dev.fermata.core.cycle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Decision;
import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Fact;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.model.GpuCatalogue;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.Catalogue;
import dev.fermata.core.policy.PolicySpec;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** News in an order that no simulator sends, but the world does. */
class OddNewsTest {
    private static final Topology ONE_GPU =
            Topology.builder().node(GpuCatalogue.GENERIC, 1).build();

    static List<String> policies() {
        return Catalogue.names();
    }

    @ParameterizedTest
    @MethodSource("policies")
    void aJobSubmittedAndCancelledInOneBreathIsOver(String policy) {
        Bench bench = new Bench(ONE_GPU, PolicySpec.parse(policy).create());
        Job job = Job.builder(1, 1).build();

        Decision decision = bench.hear(new Event.Submitted(job), new Event.CancelAsked(1));

        assertThat(decision.facts()).containsExactly(new Fact.Submitted(job), new Fact.Ended(1, JobState.CANCELLED));
        assertThat(bench.scheduler.jobs()).isEmpty();
    }

    @Test
    void faultsThatAreToldTwiceCountOnce() {
        Bench bench = new Bench(ONE_GPU, PolicySpec.parse("fifo").create());
        bench.hear(new Event.GpuUp(0));
        bench.hear(new Event.GpuDown(0));
        bench.hear(new Event.NodeDown(0));
        bench.hear(new Event.NodeDown(0));

        assertThat(bench.hear(new Event.Submitted(Job.builder(1, 1).build())).commands())
                .isEmpty();
        assertThat(bench.hear(new Event.NodeUp(0)).commands()).isEmpty();
        assertThat(bench.hear(new Event.GpuUp(0)).commands()).hasSize(1);
    }

    @Test
    void aJobOnItsWayOutIsNoVictimAndItsGpuIsPromisedAtOnce() {
        Bench bench = new Bench(ONE_GPU, PolicySpec.parse("srtf").create());
        bench.hear(new Event.Submitted(Job.builder(1, 1).declaredMillis(100_000).build()));
        bench.hear(new Event.Running(1, 1, 1_000_000));

        Decision decision = bench.hear(
                new Event.CancelAsked(1),
                new Event.Submitted(Job.builder(2, 1).declaredMillis(1000).build()));

        assertThat(decision.facts()).noneMatch(Fact.Pausing.class::isInstance);
        assertThat(decision.facts()).anyMatch(fact -> fact instanceof Fact.Promised p && p.jobId() == 2);
    }
}
