package dev.fermata.live.loop;

import dev.fermata.core.model.Job;
import dev.fermata.core.model.JobClass;
import dev.fermata.core.model.QueueRule;
import dev.fermata.core.model.QueueTerms;
import dev.fermata.live.request.Actor;
import dev.fermata.live.request.RequestRejectedException;
import dev.fermata.live.request.RequestRejectedException.Category;
import dev.fermata.live.spec.JobSpec;
import dev.fermata.live.state.LiveJob;
import dev.fermata.live.state.LiveJobIndex;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * What a user may submit to a queue, by the rules in force. They name submitters, and bound live jobs, grace, minimum run time
 * and trials. Without rules everything is allowed. Each term comes from the nearest rule at or above the queue that sets it;
 * limits of jobs hold at every level.
 */
final class QueueAdmission {
    private static final String DEFAULT_QUEUE = "default";
    private static final Set<String> UNBOUND_ROLES = Set.of("OPERATOR", "ADMIN");

    private final Supplier<List<QueueRule>> rules;
    private final LiveJobIndex liveJobs;
    private final UserGroups groups;
    private final boolean refuseUnknownQueues;

    QueueAdmission(
            Supplier<List<QueueRule>> rules, LiveJobIndex liveJobs, UserGroups groups, boolean refuseUnknownQueues) {
        this.rules = rules;
        this.liveJobs = liveJobs;
        this.groups = groups;
        this.refuseUnknownQueues = refuseUnknownQueues;
    }

    /** Throws a rejection unless this user may have this job in its queue; operators may use every queue. */
    void check(Actor actor, JobSpec spec) {
        if (rules.get().isEmpty()) {
            return;
        }
        String queue = spec.queue();
        if (refuseUnknownQueues && !isKnown(queue)) {
            throw invalid("queue (" + queue + ") has no rule here. Use one of 'fermata queues', or " + DEFAULT_QUEUE);
        }
        if (UNBOUND_ROLES.contains(actor.role())) {
            return;
        }
        QueueTerms.Submitters submitters = nearest(
                        queue, rule -> !rule.terms().submitters().equals(QueueTerms.Submitters.ALL))
                .submitters();
        if (!submitters.allow(actor.user(), groups.of(actor.user()))) {
            throw invalid("user " + actor.user() + " may not submit to queue (" + queue + ")");
        }
        QueueTerms.Ceilings ceilings = ceilings(queue);
        checkCeiling("grace", spec.preempt().graceMillis(), ceilings.graceMillis(), Job.DEFAULT_GRACE_MILLIS, queue);
        checkCeiling("minRuntime", spec.preempt().minRuntimeMillis(), ceilings.minRuntimeMillis(), 0, queue);
        if (spec.jobClass() == JobClass.TRIAL) {
            checkTrial(actor, spec);
        }
    }

    private void checkTrial(Actor actor, JobSpec spec) {
        QueueTerms.Trials trials = trials(spec.queue());
        String where = " in queue (" + spec.queue() + "); use class batch";
        if (trials.gpus() == 0 || !trials.submitters().allow(actor.user(), groups.of(actor.user()))) {
            throw invalid("user " + actor.user() + " may not run trials" + where);
        }
        int gpus = spec.maxGpus();
        if (gpus > trials.gpus()) {
            throw invalid("a trial of " + gpus + " GPUs exceeds the " + trials.gpus() + " allowed" + where);
        }
        if (spec.timeMillis() > trials.millis()) {
            throw invalid("a trial of " + seconds(spec.timeMillis()) + " exceeds the " + seconds(trials.millis())
                    + " allowed" + where);
        }
    }

    private static void checkCeiling(String field, long requested, long max, long byDefault, String queue) {
        if (requested > max && requested != byDefault) {
            throw invalid("preempt." + field + " (" + seconds(requested) + ") exceeds the " + seconds(max)
                    + " allowed in queue (" + queue + ")");
        }
    }

    /**
     * Throws a rejection when the user would have too many live jobs in a queue.
     *
     * @param accepted jobs of this cycle that are not live yet
     */
    void checkJobLimits(Actor actor, List<JobSpec> specs, Collection<LiveJob> accepted) {
        for (QueueRule rule : rules.get()) {
            int max = rule.terms().perUser().jobs();
            if (max == QueueTerms.NO_LIMIT || UNBOUND_ROLES.contains(actor.role())) {
                continue;
            }
            long more = specs.stream().filter(spec -> rule.covers(spec.queue())).count();
            long live = more == 0 ? 0 : count(liveJobs.all(), actor, rule) + count(accepted, actor, rule);
            if (more > 0 && live + more > max) {
                throw new RequestRejectedException(
                        Category.BUSY,
                        "live jobs of " + actor.user() + " in queue (" + rule.path() + "): " + live + " of at most "
                                + max + "; try again when some have ended");
            }
        }
    }

    private static long count(Iterable<LiveJob> jobs, Actor actor, QueueRule rule) {
        long count = 0;
        for (LiveJob job : jobs) {
            count += job.user.equals(actor.user()) && rule.covers(job.spec.queue()) ? 1 : 0;
        }
        return count;
    }

    /** The job with its default grace cut to the ceiling of its queue. */
    Job bounded(Job job) {
        long max =
                rules.get().isEmpty() ? Long.MAX_VALUE : ceilings(job.queue()).graceMillis();
        return job.graceMillis() <= max
                ? job
                : job.toBuilder(job.id()).graceMillis(max).build();
    }

    /** How long a trial of this queue may run. */
    long maxTrialMillis(Job job) {
        long declared = job.declaredMillis() > 0 ? job.declaredMillis() : Long.MAX_VALUE;
        return rules.get().isEmpty()
                ? declared
                : Math.min(declared, trials(job.queue()).millis());
    }

    private boolean isKnown(String queue) {
        String path = QueueRule.trimPath(queue);
        return path.equals(DEFAULT_QUEUE)
                || rules.get().stream()
                        .anyMatch(rule -> QueueRule.trimPath(rule.path()).equals(path));
    }

    private QueueTerms.Ceilings ceilings(String queue) {
        return nearest(queue, rule -> !rule.terms().ceilings().equals(QueueTerms.Ceilings.DEFAULT))
                .ceilings();
    }

    private QueueTerms.Trials trials(String queue) {
        return nearest(queue, rule -> !rule.terms().trials().equals(QueueTerms.Trials.UNLIMITED))
                .trials();
    }

    private QueueTerms nearest(String queue, Predicate<QueueRule> sets) {
        QueueRule found = null;
        for (QueueRule rule : rules.get()) {
            if (rule.covers(queue)
                    && sets.test(rule)
                    && (found == null || rule.path().length() > found.path().length())) {
                found = rule;
            }
        }
        return found == null ? QueueTerms.NONE : found.terms();
    }

    private static String seconds(long millis) {
        return millis / 1000 + " s";
    }

    private static RequestRejectedException invalid(String message) {
        return new RequestRejectedException(Category.INVALID, message);
    }
}
