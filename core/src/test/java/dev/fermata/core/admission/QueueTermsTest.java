package dev.fermata.core.admission;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Decision;
import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Order;
import dev.fermata.core.contract.PendingReason;
import dev.fermata.core.model.GpuCatalogue;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.JobClass;
import dev.fermata.core.model.QueueRule;
import dev.fermata.core.model.QueueTerms;
import dev.fermata.core.model.Speed;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.core.scheduler.GuardMode;
import dev.fermata.core.scheduler.Scheduler;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** What a queue allows each of its users, whatever the policy. */
class QueueTermsTest {
    private final Scheduler scheduler = new Scheduler(
            Topology.builder().rack().node(GpuCatalogue.byName("V100"), 4).build(),
            PolicySpec.parse("fifo-backfill").create(),
            (job, now) -> 1000,
            GuardMode.FULL,
            true);

    private static QueueTerms terms(QueueTerms.PerUser perUser, QueueTerms.Trials trials) {
        return new QueueTerms(QueueTerms.Submitters.ALL, perUser, QueueTerms.Ceilings.DEFAULT, trials);
    }

    private static Event rules(QueueRule... rules) {
        return new Event.QueuesSet(List.of(rules));
    }

    private static QueueRule rule(String path, QueueTerms terms) {
        return new QueueRule(path, 0, QueueRule.NO_LIMIT, 1, terms);
    }

    private static Job.Builder job(long id, String user) {
        return Job.builder(id, 1).queue("q").user(user);
    }

    private static Event submitted(Job.Builder job) {
        return new Event.Submitted(job.build());
    }

    private List<Long> onGpus() {
        List<Long> ids = new ArrayList<>();
        for (JobView job : scheduler.jobs()) {
            if (job.state() != JobState.PENDING) {
                ids.add(job.id());
            }
        }
        return ids;
    }

    @Test
    void userHoldsNoMoreGpusThanAllowedInAQueueAndBelow() {
        QueueTerms two = terms(new QueueTerms.PerUser(2, QueueTerms.NO_LIMIT, false), QueueTerms.Trials.UNLIMITED);
        scheduler.runCycle(
                0,
                List.of(
                        rules(rule("q", two), rule("q/below", QueueTerms.NONE)),
                        submitted(job(1, "ann")),
                        submitted(job(2, "ann").queue("q/below")),
                        submitted(job(3, "ann")),
                        submitted(job(4, "bob"))));

        assertThat(onGpus()).containsExactly(1L, 2L, 4L);
        assertThat(Objects.requireNonNull(scheduler.explain(3))).isEqualTo(new PendingReason.QueueLimit(3, 1, 0));

        scheduler.runCycle(1, List.of(new Event.CancelRequested(3), submitted(job(5, "ann"))));
        assertThat(onGpus()).containsExactly(1L, 2L, 4L);
        scheduler.runCycle(2, List.of(rules()));
        assertThat(onGpus()).as("without rules").containsExactly(1L, 2L, 4L, 5L);
    }

    @Test
    void trialsOfAQueueHoldNoMoreGpusThanAllowed() {
        QueueTerms.Trials one = new QueueTerms.Trials(
                QueueTerms.Submitters.ALL, QueueTerms.NO_LIMIT, QueueTerms.Trials.NO_TIME_LIMIT, 1);
        scheduler.runCycle(
                0,
                List.of(
                        rules(rule("q", terms(QueueTerms.PerUser.UNLIMITED, one))),
                        submitted(job(1, "ann").jobClass(JobClass.TRIAL)),
                        submitted(job(2, "bob").jobClass(JobClass.TRIAL)),
                        submitted(job(3, "bob"))));

        assertThat(onGpus()).containsExactly(1L, 3L);
    }

    @Test
    void usersShareAFairQueueEqually() {
        QueueTerms fair = terms(
                new QueueTerms.PerUser(QueueTerms.NO_LIMIT, QueueTerms.NO_LIMIT, true), QueueTerms.Trials.UNLIMITED);
        List<Event> events = new ArrayList<>(List.of(rules(rule("q", fair))));
        for (long id = 1; id <= 8; id++) {
            events.add(submitted(job(id, id <= 6 ? "ann/x" : "bob")));
        }

        scheduler.runCycle(0, events);

        assertThat(onGpus()).containsExactly(1L, 2L, 7L, 8L);
    }

    @Test
    void jobThatMayNeverBePreemptedGivesBackWhatIsGuaranteedToOthers() {
        QueueRule guaranteed = new QueueRule("g", 4, 4, 1);
        scheduler.runCycle(
                0,
                List.of(
                        rules(guaranteed),
                        new Event.Submitted(
                                Job.builder(1, 4).queue("q").maxPreemptions(0).build())));
        scheduler.runCycle(1, List.of(new Event.Running(1, 1, Speed.UNIT)));

        Decision decision = scheduler.runCycle(
                2, List.of(new Event.Submitted(Job.builder(2, 4).queue("g").build())));

        assertThat(decision.orders()).anyMatch(order -> order instanceof Order.Preempt preempt && preempt.jobId() == 1);
    }
}
