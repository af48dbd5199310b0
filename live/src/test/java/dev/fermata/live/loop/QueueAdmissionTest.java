package dev.fermata.live.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fermata.core.model.Job;
import dev.fermata.core.model.JobClass;
import dev.fermata.core.model.QueueRule;
import dev.fermata.core.model.QueueTerms;
import dev.fermata.live.request.Actor;
import dev.fermata.live.request.RequestRejectedException;
import dev.fermata.live.request.RequestRejectedException.Category;
import dev.fermata.live.spec.JobPatch;
import dev.fermata.live.spec.JobSpec;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Who may submit what to which queue. */
class QueueAdmissionTest {
    private static final Actor ANN = new Actor("ann", "USER", "test");
    private static final Actor BOB = new Actor("bob", "USER", "test");
    private static final Actor OPERATOR = new Actor("olga", "OPERATOR", "test");

    private final LoopFixture fixture = new LoopFixture("fifo", 8);

    @BeforeEach
    void setRules() {
        QueueTerms.Trials trials = new QueueTerms.Trials(
                new QueueTerms.Submitters(List.of("ann"), List.of()), 2, 600_000, QueueTerms.NO_LIMIT);
        replaceRules(
                rule("research", new QueueTerms.Submitters(List.of("ann"), List.of()), QueueTerms.Trials.UNLIMITED),
                rule("research/nlp", QueueTerms.Submitters.ALL, QueueTerms.Trials.NONE),
                rule("open", QueueTerms.Submitters.ALL, trials));
    }

    private static QueueRule rule(String path, QueueTerms.Submitters submitters, QueueTerms.Trials trials) {
        return new QueueRule(
                path,
                0,
                QueueRule.NO_LIMIT,
                1,
                new QueueTerms(
                        submitters,
                        new QueueTerms.PerUser(QueueTerms.NO_LIMIT, 3, false),
                        new QueueTerms.Ceilings(60_000, 60_000),
                        trials));
    }

    private void replaceRules(QueueRule... rules) {
        fixture.runAndGet(fixture.service().setQueues(OPERATOR, List.of(rules)));
    }

    private static JobSpec spec(String queue, JobClass jobClass, long graceMillis, long minRuntimeMillis) {
        JobSpec spec = TestSpec.gpus(1).spec();
        return new JobSpec(
                new JobSpec.JobLabels("job", queue, jobClass),
                spec.resources(),
                spec.scheduling(),
                new JobSpec.PreemptSpec(graceMillis, minRuntimeMillis, 0, "requeue"),
                spec.checkpoint(),
                spec.dependencies(),
                spec.array(),
                spec.command());
    }

    private static JobSpec batch(String queue) {
        return spec(queue, JobClass.BATCH, 30_000, 0);
    }

    private List<Long> submit(Actor actor, JobSpec... specs) {
        return fixture.runAndGet(fixture.service().submit(actor, List.of(specs), null));
    }

    private RequestRejectedException rejection(Actor actor, JobSpec... specs) {
        return fixture.rejection(fixture.service().submit(actor, List.of(specs), null));
    }

    @Test
    void queueWithoutARuleIsRefusedUnlessNoQueueHasOne() {
        assertThat(rejection(ANN, batch("mine"))).hasMessageContaining("queue (mine) has no rule");
        assertThat(rejection(OPERATOR, batch("research/other"))).hasMessageContaining("has no rule");
        assertThat(submit(ANN, batch("default"))).hasSize(1);
        replaceRules();
        assertThat(submit(ANN, batch("mine"))).hasSize(1);
    }

    @Test
    void usersSubmitToTheirQueuesOnly() {
        assertThat(submit(ANN, batch("research"))).hasSize(1);
        assertThat(rejection(BOB, batch("research")))
                .hasMessage("user bob may not submit to queue (research)")
                .extracting(RequestRejectedException::category)
                .isEqualTo(Category.INVALID);
        assertThat(rejection(BOB, batch("research/nlp"))).hasMessageContaining("may not submit");
        assertThat(submit(BOB, batch("open"))).hasSize(1);
        assertThat(submit(OPERATOR, batch("research"))).hasSize(1);
    }

    @Test
    void jobMovesOnlyToAQueueOfItsUser() {
        long job = submit(BOB, batch("open")).get(0);
        JobPatch patch = new JobPatch(null, "research", null, null, null, null);

        assertThat(fixture.rejection(fixture.service().update(BOB, job, patch))).hasMessageContaining("may not submit");
        fixture.runAndGet(fixture.service().update(OPERATOR, job, patch));
    }

    @Test
    void liveJobsOfAUserAreLimitedInAQueueAndBelow() {
        assertThat(submit(ANN, batch("research"), batch("research/nlp"))).hasSize(2);
        assertThat(rejection(ANN, batch("research"), batch("research")))
                .hasMessageContaining("live jobs of ann in queue (research): 2 of at most 3")
                .extracting(RequestRejectedException::category)
                .isEqualTo(Category.BUSY);
        assertThat(submit(ANN, batch("research"))).hasSize(1);
        assertThat(submit(ANN, batch("open"))).hasSize(1);
    }

    @Test
    void graceAndMinimumRunTimeHaveCeilings() {
        assertThat(rejection(ANN, spec("open", JobClass.BATCH, 61_000, 0)))
                .hasMessage("preempt.grace (61 s) exceeds the 60 s allowed in queue (open)");
        assertThat(rejection(ANN, spec("open", JobClass.BATCH, 1, 3_456_000_000_000L)))
                .hasMessageContaining("preempt.minRuntime (3456000000 s) exceeds the 60 s");
        assertThat(rejection(ANN, spec("default", JobClass.BATCH, 3_456_000_000_000L, 0)))
                .as("the usual ceilings")
                .hasMessageContaining("exceeds the 3600 s allowed in queue (default)");

        long usual = submit(ANN, spec("open", JobClass.BATCH, Job.DEFAULT_GRACE_MILLIS, 0))
                .get(0);
        assertThat(job(usual).graceMillis()).as("the default is cut").isEqualTo(60_000);
    }

    private Job job(long id) {
        return Objects.requireNonNull(fixture.loop().cycle().scheduler.job(id)).job();
    }

    @Test
    void trialsNeedThePermissionOfTheQueue() {
        assertThat(submit(ANN, spec("open", JobClass.TRIAL, 1, 0))).hasSize(1);
        assertThat(rejection(BOB, spec("open", JobClass.TRIAL, 1, 0)))
                .hasMessage("user bob may not run trials in queue (open); use class batch");
        assertThat(rejection(ANN, spec("research/nlp", JobClass.TRIAL, 1, 0))).hasMessageContaining("may not run");
        assertThat(submit(ANN, spec("research", JobClass.TRIAL, 1, 0))).hasSize(1);
    }

    @Test
    void trialThatOutlivesItsTimeBecomesABatchJob() {
        long id = submit(ANN, spec("open", JobClass.TRIAL, 1, 0)).get(0);
        fixture.engine.running(id);
        fixture.runCycle();

        fixture.advance(599_000);
        assertThat(job(id).jobClass()).isEqualTo(JobClass.TRIAL);
        fixture.restart().advance(2_000);

        assertThat(job(id).jobClass()).isEqualTo(JobClass.BATCH);
        assertThat(fixture.row(id).jobClass()).isEqualTo("batch");
        fixture.restart();
        assertThat(job(id).jobClass()).isEqualTo(JobClass.BATCH);
    }

    @Test
    void groupsOfTheMachineCount() {
        UserGroups groups = new UserGroups(user -> List.of("nlp", user), () -> 0);
        QueueAdmission admission = new QueueAdmission(
                () -> List.of(
                        rule("g", new QueueTerms.Submitters(List.of(), List.of("nlp")), QueueTerms.Trials.UNLIMITED)),
                fixture.loop().cycle().liveJobs,
                groups,
                true);

        assertThatThrownBy(() -> admission.check(ANN, batch("g"))).hasMessageContaining("may not submit");
        groups.load("ann");
        assertThatCode(() -> admission.check(ANN, batch("g"))).doesNotThrowAnyException();

        UserGroups here = UserGroups.ofThisMachine();
        here.load("root");
        here.load("-u");
        here.load("no such user");
        assertThat(here.of("root")).contains("root");
        assertThat(here.of("-u")).isEmpty();
        assertThat(here.of("no such user")).isEmpty();
    }
}
