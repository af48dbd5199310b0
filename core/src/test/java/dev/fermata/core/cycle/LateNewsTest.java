package dev.fermata.core.cycle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Decision;
import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Fact;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.GpuCatalogue;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Pace;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PolicySpec;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Some clusters say at once that a job has loaded, some together with the next thing that happens: what it costs to pause is the same. */
class LateNewsTest {
    private final Bench bench = new Bench(
            Topology.builder().rack().node(GpuCatalogue.named("V100"), 1).build(),
            PolicySpec.parse("fermata").create());

    private static Job job(long id, long seconds) {
        return Job.builder(id, 1)
                .declaredMillis(1000 * seconds)
                .costs(new Costs(1_000, 2_000, 0, 0))
                .build();
    }

    private Event ran(long id) {
        return new Event.Running(id, bench.attempt(id), Pace.UNIT);
    }

    /** Two long ones wait; ten short ones come and go before them. Then the first runs, and one comes for which a pause pays. */
    private Fact.Pausing pause(boolean together) {
        bench.submit(job(10, 10));
        bench.submit(job(1, 9_000), job(2, 9_100));
        for (int id = 10; id < 20; id++) {
            bench.at(10_000L * id);
            if (together) {
                bench.hear(ran(id), new Event.Submitted(job(id + 1, 10)));
            } else {
                bench.hear();
                bench.hear(ran(id));
                bench.submit(job(id + 1, 10));
            }
            bench.left(id, Outcome.COMPLETED);
        }
        bench.running(20);
        bench.left(20, Outcome.COMPLETED);
        bench.running(1);
        return pausing(bench.at(300_000).submit(job(30, 5)));
    }

    /** Ten come while nobody waits, and run as soon as they come; the next waits, and the one after it is short. */
    private Fact.Pausing pauseAfterPeace(boolean together) {
        Bench wide = new Bench(
                Topology.builder().rack().node(GpuCatalogue.named("V100"), 10).build(),
                PolicySpec.parse("fermata").create());
        for (int id = 10; id < 20; id++) {
            wide.submit(job(id, 9_000));
        }
        Event[] news = new Event[11];
        for (int i = 0; i < 10; i++) {
            news[i] = new Event.Running(10 + i, 1, Pace.UNIT);
        }
        news[10] = new Event.Submitted(job(1, 9_500));
        wide.at(10_000);
        if (together) {
            wide.hear(news);
        } else {
            wide.hear(Arrays.copyOf(news, 10));
            wide.hear(news[10]);
        }
        return pausing(wide.at(60_000).submit(job(30, 5)));
    }

    private static Fact.Pausing pausing(Decision decision) {
        return decision.facts().stream()
                .filter(Fact.Pausing.class::isInstance)
                .map(Fact.Pausing.class::cast)
                .findFirst()
                .orElseThrow();
    }

    /** It was said to run while it still loaded: it has done nothing, but was thought to have, and must not look young again. */
    @Test
    void whatAJobWasThoughtToHaveDoneIsRemembered() {
        bench.submit(job(1, 100));
        bench.running(1);
        bench.at(5_000).hear(new Event.Left(1, 1, Outcome.LOST, new Usage(5_000, 0, 0, 0, 0, 0)));
        assertThat(bench.job(1).savedWorkMillis()).isZero();
        assertThat(bench.job(1).mostWorkMillis()).isEqualTo(5_000);
    }

    /** The machine was off for hours, and the engine knows of nothing that the job did. */
    @Test
    void whatNobodyKnowsOfIsNotTakenForWork() {
        bench.submit(job(1, 100));
        bench.running(1);
        bench.at(30_000_000).left(1, Outcome.LOST);
        assertThat(bench.job(1).mostWorkMillis()).isZero();
    }

    @Test
    void whoCameWhenNobodyWaitedIsNotCountedWheneverItIsHeardToRun() {
        assertThat(pauseAfterPeace(true)).isEqualTo(pauseAfterPeace(false));
    }

    @Test
    void whoCameSinceSomebodyWaitsIsCountedWheneverItIsHeardToRun() {
        Fact.Pausing late = pause(true);
        Fact.Pausing prompt = new LateNewsTest().pause(false);
        assertThat(late).isEqualTo(prompt);
    }
}
