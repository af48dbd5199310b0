package dev.fermata.core.cycle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Action;
import dev.fermata.core.contract.Decision;
import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Fact;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.GpuCatalogue;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.JobClass;
import dev.fermata.core.model.Profile;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PolicySpec;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A live job may be described anew in all but what it asks for, and is ranked anew then; some may not be paused yet. */
class DescribedAnewTest {
    private static final Topology TWO =
            Topology.builder().node(GpuCatalogue.named("V100"), 2).build();

    private static Event raised(long id, int priority) {
        return new Event.Changed(
                Bench.job(id, 2).toBuilder(id).priority(priority).build());
    }

    @Test
    void whatAJobAsksForStays() {
        Bench bench = new Bench(TWO);
        bench.submit(Bench.job(1, 2));

        Decision decision = bench.hear(new Event.Changed(Bench.job(1, 1)), new Event.Changed(Bench.job(7, 1)));

        assertThat(decision.facts())
                .containsExactly(new Fact.Rejected(1, "Changed", "the demand of a job stays as it was submitted"));
        assertThat(bench.job(1).job().demand().maxGpus()).isEqualTo(2);
        assertThat(bench.hear(new Event.Changed(Bench.job(1, 2))).facts())
                .as("the same words are no news")
                .isEmpty();
    }

    @Test
    void itsMemoryMayBecomeKnownWhileItWaitsAndOnlyThen() {
        Bench bench = new Bench(TWO);
        Job unknown = Bench.job(1, 1);
        Job known = unknown.withDemand(unknown.demand().withGpuMemory(10_000));
        Job large = unknown.withDemand(unknown.demand().withGpuMemory(1_000_000));
        bench.submit(unknown);

        assertThat(bench.hear(new Event.Changed(large)).facts())
                .containsExactly(new Fact.Rejected(1, "Changed", "no GPUs of this cluster have that much memory"));
        assertThat(bench.hear(new Event.Changed(known)).facts()).containsExactly(new Fact.Changed(known));
        bench.act(new Action.Start(1, Allocation.of(TWO, new int[] {0}, true)));

        assertThat(bench.hear(new Event.Changed(unknown)).facts())
                .containsExactly(new Fact.Rejected(
                        1, "Changed", "the GPU memory of a job stays while it holds GPUs or is promised some"));
        assertThat(bench.job(1).job().demand().gpuMemoryMib()).isEqualTo(10_000);
    }

    @Test
    void whatItIsPromisedItIsPromisedForTheMemoryItNeeded() {
        Bench bench = new Bench(TWO);
        bench.runs(Bench.job(1, 1), 0);
        bench.submit(Bench.job(2, 1));
        bench.act(new Action.Preempt(2, bench.on(0), List.of(1L), 0, 0));

        Job known = Bench.job(2, 1).withDemand(Demand.gpus(1).withGpuMemory(10_000));
        assertThat(bench.hear(new Event.Changed(known)).facts()).first().isInstanceOf(Fact.Rejected.class);
    }

    /** A job that waits behind strangers may go beside them as soon as both are known: that alone is the reason to look. */
    @Test
    void whoBecomesKnownWhileWaitingMayShareAtOnce() {
        Bench bench = new Bench(
                Topology.builder().node(GpuCatalogue.named("V100"), 1).build(),
                PolicySpec.parse("fermata:pays=0").create());
        Profile idle = new Profile("idle", 100, 0.3, 0, 1, 4_000, Map.of());
        Job first = Bench.job(1, 1).toBuilder(1)
                .demand(Demand.gpus(1).withGpuMemory(4_000))
                .profile(idle)
                .build();
        bench.submit(first);
        bench.running(1);
        bench.at(1).submit(Bench.job(2, 1));
        assertThat(bench.job(2).state()).isEqualTo(JobState.PENDING);

        Job known = Bench.job(2, 1).toBuilder(2)
                .demand(Demand.gpus(1).withGpuMemory(4_000))
                .profile(idle)
                .build();
        bench.at(2).hear(new Event.Changed(known));

        assertThat(bench.job(2).state()).isEqualTo(JobState.STARTING);
        assertThat(bench.job(2).allocation()).isEqualTo(bench.job(1).allocation());
    }

    @Test
    void aJobSaysHowOftenItMayRunOutOfMemory() {
        Bench bench = new Bench(TWO);
        bench.runs(Bench.job(1, 1).toBuilder(1).maxOutOfMemory(1).build(), 0);
        bench.at(1).left(1, dev.fermata.core.contract.Outcome.OOM);
        assertThat(bench.job(1).state()).isEqualTo(JobState.PENDING);
        bench.act(new Action.Start(1, bench.on(0)));
        Decision last = bench.at(2).left(1, dev.fermata.core.contract.Outcome.OOM);

        assertThat(last.facts()).anyMatch(fact -> fact instanceof Fact.Left left && left.next() == JobState.OOM);
    }

    /** It was refused GPUs before, and nothing else happens: its new rank alone is the reason to look again. */
    @ParameterizedTest
    @ValueSource(strings = {"srtf", "las", "xion", "fermata", "srtf:place=consolidate"})
    void whoIsRaisedWhileWaitingIsServedAtOnce(String policy) {
        Bench bench = new Bench(TWO, PolicySpec.parse(policy).create());
        bench.submit(Bench.job(1, 2).toBuilder(1).declaredMillis(50_000).build());
        bench.running(1);
        Job longer = Bench.job(2, 2).toBuilder(2).declaredMillis(90_000).build();
        assertThat(bench.at(1).submit(longer).commands()).isEmpty();

        // above a job that still has 50 s, even one that weighs must find it worth a free pause
        Job raised = longer.toBuilder(2).priority(5).declaredMillis(100).build();
        Decision decision = bench.at(2).hear(new Event.Changed(raised));

        assertThat(decision.facts()).contains(new Fact.Changed(raised));
        assertThat(bench.job(1).state()).isEqualTo(JobState.PAUSING);
        assertThat(bench.job(2).promised()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"fifo", "fifo-backfill", "sjf", "xonar", "jps", "fitgpp", "lrtp"})
    void whoIsRaisedGoesFirstWhenRoomComes(String policy) {
        Bench bench = new Bench(TWO, PolicySpec.parse(policy).create());
        bench.submit(Bench.job(1, 2));
        bench.running(1);
        bench.at(1).submit(Bench.job(2, 2));
        bench.at(2).submit(Bench.job(3, 2));
        bench.at(3).hear(raised(3, 1));
        bench.at(4).left(1, dev.fermata.core.contract.Outcome.COMPLETED);

        assertThat(bench.job(3).state()).isEqualTo(JobState.STARTING);
        assertThat(bench.job(2).state()).isEqualTo(JobState.PENDING);
    }

    @Test
    void aTrialThatBecomesABatchJobStandsInOneLineOnly() {
        Bench bench = new Bench(
                Topology.builder().node(GpuCatalogue.named("V100"), 4).build(),
                PolicySpec.parse("fitgpp").create());
        Job trial = Bench.job(2, 2).toBuilder(2).jobClass(JobClass.TRIAL).build();
        bench.submit(Bench.job(1, 4).toBuilder(1).maxPreemptions(0).build());
        bench.running(1);
        bench.at(1).submit(trial);
        bench.at(2)
                .hear(new Event.Changed(
                        trial.toBuilder(2).jobClass(JobClass.BATCH).build()));
        Decision freed = bench.at(3).left(1, dev.fermata.core.contract.Outcome.COMPLETED);

        assertThat(freed.facts().stream().filter(Fact.Rejected.class::isInstance))
                .isEmpty();
        assertThat(bench.job(2).state()).isEqualTo(JobState.STARTING);
    }

    @Test
    void theGuardLetsNobodyBePausedBeforeHeSettled() {
        Bench bench = new Bench(TWO);
        bench.runs(Job.builder(1, 1).minRuntimeMillis(100).build(), 0);
        bench.at(99).submit(Bench.job(2, 1));

        Action preempt = new Action.Preempt(2, bench.on(0), List.of(1L), 0, 0);
        assertThat(bench.act(preempt).facts())
                .containsExactly(new Fact.Rejected(
                        2, preempt.toString(), "victim 1 has not run for as long as it may at least"));
        Action move = new Action.Move(1, bench.on(1));
        assertThat(bench.act(move).facts())
                .containsExactly(
                        new Fact.Rejected(1, move.toString(), "it has not run for as long as it may at least"));
        assertThat(bench.at(100).act(preempt).facts()).hasSize(2);
    }

    /** Nothing happens but time: the policy asks to be woken when the first possible victim has settled. */
    @ParameterizedTest
    @ValueSource(strings = {"srtf", "srtf:place=consolidate", "las", "fermata", "fitgpp", "lrtp", "rand"})
    void whoWaitsIsServedWhenTheVictimHasSettled(String policy) {
        Bench bench = new Bench(TWO, PolicySpec.parse(policy).create());
        bench.submit(Job.builder(1, 2)
                .declaredMillis(500_000)
                .minRuntimeMillis(30_000)
                .build());
        bench.at(10).running(1);
        Job urgent = Job.builder(2, 2)
                .declaredMillis(1_000)
                .priority(1)
                .jobClass(JobClass.TRIAL)
                .build();
        Decision early = bench.at(20).submit(urgent);

        assertThat(early.commands()).isEmpty();
        assertThat(early.wakeAtMillis()).isEqualTo(30_010);
        assertThat(bench.why(2)).isNotNull();
        bench.at(30_010).hear();
        assertThat(bench.job(1).state()).isEqualTo(JobState.PAUSING);
        assertThat(bench.job(2).promised()).isTrue();
    }
}
