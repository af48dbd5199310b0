package dev.fermata.core.admit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Decision;
import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Fact;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.Reason;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.contract.Verdict;
import dev.fermata.core.cycle.GuardMode;
import dev.fermata.core.cycle.Scheduler;
import dev.fermata.core.model.After;
import dev.fermata.core.model.GpuCatalogue;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Topology;
import dev.fermata.core.model.Trial;
import dev.fermata.core.policy.PolicySpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** One of an unknown kind runs first where GPUs are short, and nobody waits for it longer than it is said. */
class TrialsTest {
    private static final long WAIT = 10_000;

    private final Scheduler scheduler = new Scheduler(
            Topology.builder().rack().node(GpuCatalogue.named("V100"), 4).build(),
            PolicySpec.parse("fifo").create(),
            (job, now) -> 1,
            GuardMode.FULL,
            true);

    private static Job job(long id, long kind) {
        return Job.builder(id, 1)
                .trial(kind == 0 ? Trial.NONE : new Trial(kind, WAIT))
                .build();
    }

    private List<Long> started(Decision decision) {
        List<Long> ids = new ArrayList<>();
        for (Fact fact : decision.facts()) {
            if (fact instanceof Fact.Started) {
                ids.add(fact.jobId());
            }
        }
        return ids;
    }

    private Decision submit(long now, long... kinds) {
        List<Event> events = new ArrayList<>();
        long id = scheduler.jobs().size();
        for (long kind : kinds) {
            events.add(new Event.Submitted(job(++id, kind)));
        }
        return scheduler.step(now, events);
    }

    @Test
    void withGpusForAllNobodyWaits() {
        assertThat(started(submit(0, 7, 7, 7, 7))).containsExactly(1L, 2L, 3L, 4L);
    }

    @Test
    void whereGpusAreShortOneOfEveryUnknownKindRunsAndTheRestAsEver() {
        Decision first = submit(0, 7, 7, 8, 8, 0);
        assertThat(started(first)).containsExactly(1L, 3L, 5L);
        assertThat(first.wakeAtMillis()).isEqualTo(WAIT);
        Verdict why = Objects.requireNonNull(scheduler.explain(4));
        assertThat(why.reason()).isEqualTo(Reason.PROFILE_PENDING);
        assertThat(why.ahead()).isEqualTo(3);
        assertThat(why.untilMillis()).isEqualTo(WAIT);

        assertThat(started(scheduler.step(WAIT - 1, List.of()))).isEmpty();
        assertThat(started(scheduler.step(WAIT, List.of()))).containsExactly(2L);
        assertThat(Objects.requireNonNull(scheduler.explain(4)).reason()).isNotEqualTo(Reason.PROFILE_PENDING);
    }

    @Test
    void whoseKindIsKnownWaitsForNobody() {
        assertThat(started(submit(0, 7, 7, 7, 7, 7))).containsExactly(1L);
        List<Event> known = new ArrayList<>();
        for (long id = 1; id <= 5; id++) {
            known.add(new Event.Changed(job(id, 0)));
        }
        Decision then = scheduler.step(5, known);
        assertThat(started(then)).containsExactly(2L, 3L, 4L);
        assertThat(then.wakeAtMillis()).isEqualTo(Plan.NEVER);
    }

    @Test
    void whenGpusAreNotShortAnyMoreTheRestStarts() {
        submit(0, 7, 7, 7, 7, 7);
        assertThat(started(scheduler.step(5, List.of(new Event.CancelAsked(5)))))
                .containsExactly(2L, 3L, 4L);
    }

    @Test
    void whoCannotStartAnywayMakesNothingShort() {
        List<Event> events = new ArrayList<>();
        for (long id = 1; id <= 6; id++) {
            events.add(new Event.Submitted(job(id, 0)));
            events.add(new Event.HoldAsked(id));
        }
        After first = new After(1, After.Wanted.ANY);
        events.add(new Event.Submitted(Job.builder(7, 1).after(List.of(first)).build()));
        scheduler.step(0, events);
        assertThat(started(scheduler.step(1, List.of(new Event.Submitted(job(8, 7)), new Event.Submitted(job(9, 7))))))
                .containsExactly(8L, 9L);
    }

    @Test
    void whoHasShownItselfLeavesAndTheNextOfItsKindTakesItsTurn() {
        submit(0, 7, 7, 7, 7, 7);
        scheduler.step(1, List.of(new Event.Running(1, 1, 1_000_000)));
        Decision asked = scheduler.step(50, List.of(new Event.Profiled(1, 1)));
        assertThat(asked.facts()).containsExactly(new Fact.Profiled(1, 1));
        assertThat(asked.commands()).hasSize(1);
        assertThat(scheduler.step(51, List.of(new Event.Profiled(1, 1))).facts())
                .isEmpty();

        Usage usage = new Usage(1, 49, 0, 10, 0, 49);
        Decision left = scheduler.step(60, List.of(new Event.Left(1, 1, Outcome.PAUSED, usage)));
        assertThat(started(left)).containsExactly(1L);
        assertThat(Objects.requireNonNull(scheduler.job(1)).preemptions()).isZero();
    }
}
