package dev.fermata.core.cycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fermata.core.contract.Action;
import dev.fermata.core.contract.Decision;
import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Fact;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.LedgerImage;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.GpuCatalogue;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.QueueRule;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PolicySpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Images and replay where the random worlds of the laws seldom go. */
class RebuildTest {
    private static final Topology FOUR =
            Topology.builder().node(GpuCatalogue.named("V100"), 4).build();

    private final Bench bench = new Bench(FOUR);
    private final Scheduler copy = new Bench(FOUR).scheduler;

    /** Tells the copy what was decided, and compares. */
    private void told(Decision decision) {
        long now = bench.scheduler.view().nowMillis();
        decision.facts().forEach(fact -> copy.replay(now, fact));
        assertThat(copy.image()).isEqualTo(bench.scheduler.image());
    }

    private void runs(Job job, int... gpus) {
        told(bench.submit(job));
        told(bench.act(new Action.Start(job.id(), bench.on(gpus))));
        told(bench.running(job.id()));
    }

    @Test
    void queuesAndHoldsAreRemembered() {
        told(bench.submit(Bench.job(1, 1), Bench.job(2, 1)));
        List<QueueRule> rules = List.of(new QueueRule("research", 2, 3, 1.5));
        told(bench.at(5).hear(new Event.QueuesSet(rules), new Event.HoldAsked(1), new Event.HoldAsked(2)));
        told(bench.at(6).hear(new Event.ReleaseAsked(2)));

        LedgerImage image = copy.image();
        assertThat(image.factMillis()).isEqualTo(6);
        assertThat(image.queueRules()).isEqualTo(rules);
        assertThat(image.jobs()).extracting(LedgerImage.Page::onHold).containsExactly(true, false);
        assertThat(bench.restored().scheduler.view().queueRules()).isEqualTo(rules);
    }

    @Test
    void aPromiseBrokenByAFaultIsBrokenInTheCopyToo() {
        runs(Bench.job(1, 2), 0, 1);
        told(bench.submit(Bench.job(2, 2)));
        told(bench.act(new Action.Preempt(2, bench.on(0, 1), List.of(1L), 0, 0)));
        Decision broken = bench.at(9).hear(new Event.GpuDown(1));

        assertThat(broken.facts()).contains(new Fact.Unpromised(2));
        told(broken);
        told(bench.hear(new Event.NodeDown(0), new Event.GpuUp(1)));
        assertThat(copy.image().nodesDown()).containsExactly(0);
        assertThat(copy.image().gpusDown()).isEmpty();
    }

    @Test
    void aPromisedJobThatIsCancelledIsGoneInTheCopyToo() {
        runs(Bench.job(1, 2), 0, 1);
        told(bench.submit(Bench.job(2, 2)));
        told(bench.act(new Action.Preempt(2, bench.on(0, 1), List.of(1L), 0, 0)));
        told(bench.at(9).hear(new Event.CancelAsked(2), new Event.CancelAsked(1)));
        told(bench.at(10).left(1, Outcome.CANCELLED));

        assertThat(copy.jobs()).isEmpty();
        assertThat(copy.view().space().onNode(0, dev.fermata.core.contract.Horizon.NOW))
                .isEqualTo(4);
    }

    @Test
    void aMoveIsReplayedAsThePromiseToOneself() {
        runs(Bench.job(1, 1), 0);
        told(bench.at(5).act(new Action.Move(1, bench.on(3))));
        told(bench.at(7).left(1, Outcome.PAUSED));

        assertThat(Objects.requireNonNull(copy.job(1)).allocation()).isEqualTo(bench.on(3));
        assertThat(Objects.requireNonNull(copy.job(1)).attempt()).isEqualTo(2);
    }

    @Test
    void howOftenMemoryRanOutIsRememberedAndSoIsTheLostPlaceInTheLine() {
        told(bench.submit(Bench.job(1, 1)));
        told(bench.act(new Action.Start(1, bench.on(0))));
        told(bench.at(50).left(1, Outcome.OOM));

        LedgerImage.Page page = copy.image().jobs().get(0);
        assertThat(page.outOfMemory()).isEqualTo(1);
        assertThat(page.ticketMillis()).isEqualTo(50);
        assertThat(page.submittedMillis()).isZero();
    }

    private static Job with(long id, long cpuMilli) {
        return Job.builder(id, 1)
                .demand(new Demand(1, 1, 0, 1000, List.of(), cpuMilli, 0))
                .build();
    }

    /** As in {@link PromiseOnCrowdedHostTest}, but whoever waited for CPU is restored from an image in between. */
    @Test
    void aPromiseThatWaitsForCpuIsKeptAfterARestore() {
        Bench crowded = new Bench(Topology.builder()
                .node("n", GpuCatalogue.named("V100"), 2, 1000, 1000)
                .build());
        crowded.runs(with(1, 0), 0);
        crowded.runs(with(2, 1000), 1);
        crowded.submit(with(3, 0), with(4, 1000));
        crowded.act(
                new Action.Preempt(3, crowded.on(0), List.of(1L), 0, 0),
                new Action.Preempt(4, crowded.on(1), List.of(2L), 0, 0));
        crowded.left(1, Outcome.PAUSED);
        assertThat(crowded.job(3).state()).isEqualTo(JobState.PENDING);

        Bench restored = crowded.restored();
        restored.hear();
        restored.left(2, Outcome.PAUSED);

        assertThat(restored.job(3).state()).isEqualTo(JobState.STARTING);
        assertThat(restored.job(4).state()).isEqualTo(JobState.STARTING);
    }

    @Test
    void theFirstDecisionAfterARestoreSeesEveryLiveJob() {
        bench.runs(Bench.job(1, 4), 0, 1, 2, 3);
        bench.at(10).submit(Bench.job(2, 4));
        bench.at(20).hear();
        Scheduler next = new Scheduler(FOUR, PolicySpec.parse("sjf").create(), (job, now) -> 1, GuardMode.FULL, true);
        next.restore(bench.scheduler.image());

        assertThat(next.step(30, List.of()).facts()).isEmpty();
        assertThat(Objects.requireNonNull(next.explain(2)).message()).isEqualTo("needs 4 GPUs, 0 are free");
        Decision over = next.step(40, List.of(new Event.Left(1, 1, Outcome.COMPLETED, Usage.NOTHING)));
        assertThat(over.facts()).contains(new Fact.Started(2, 1, bench.on(0, 1, 2, 3), false));
    }

    /** What would become of a job if it came now: asked of a copy, which the original never notices. */
    @Test
    void aCopyAnswersWhatIfWithoutTouchingTheOriginal() {
        bench.runs(Bench.job(1, 3), 0, 1, 2);
        LedgerImage before = bench.scheduler.image();
        List<Fact> facts = new ArrayList<>();
        for (int gpus = 1; gpus <= 5; gpus++) {
            Scheduler trial =
                    new Scheduler(FOUR, PolicySpec.parse("srtf").create(), (job, now) -> 100, GuardMode.FULL, true);
            trial.restore(bench.scheduler.image());
            Job asked = Bench.job(99, gpus);
            facts.addAll(trial.step(1000, List.of(new Event.Submitted(asked))).facts());
            boolean waits = gpus > 1 && gpus <= 4;
            assertThat(trial.explain(99) != null).as("%s GPUs", gpus).isEqualTo(waits);
        }

        assertThat(facts.stream().filter(Fact.Started.class::isInstance)).hasSize(1);
        assertThat(facts.stream().filter(Fact.Refused.class::isInstance)).hasSize(1);
        assertThat(bench.scheduler.image()).isEqualTo(before);
        assertThat(bench.scheduler.job(99)).isNull();
        assertThat(bench.at(1).submit(Bench.job(99, 1)).facts()).hasSize(1);
    }

    @Test
    void aHistoryThatDoesNotFitTogetherIsRefusedWithTheLineAndTheJob() {
        copy.replay(0, new Fact.Submitted(Bench.job(1, 1)));

        assertThatThrownBy(() -> copy.replay(3, new Fact.Running(1, 1, 5)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("the history does not fit together at 3 ms")
                .hasMessageContaining("Running[jobId=1, attempt=1")
                .hasMessageContaining("PENDING #0");
        assertThatThrownBy(() -> copy.replay(3, new Fact.Held(7))).hasMessageContaining("there is no such live job");
        assertThatThrownBy(() -> copy.replay(3, new Fact.Submitted(Bench.job(1, 1))))
                .hasMessageContaining("submits job 1 while it is live");
        assertThatThrownBy(() -> copy.replay(2, new Fact.Held(1))).hasMessageContaining("time went back");
    }

    @Test
    void anImageOfALargerClusterIsRefused() {
        bench.runs(Bench.job(1, 1), 3);
        LedgerImage image = bench.scheduler.image();
        Topology two = Topology.builder().node(GpuCatalogue.named("V100"), 2).build();

        assertThatThrownBy(() -> new Bench(two).scheduler.restore(image))
                .hasMessage("the history speaks of gpu 3; this cluster has 2");
        assertThatThrownBy(() -> bench.scheduler.restore(image)).hasMessageContaining("only a fresh scheduler");
    }
}
