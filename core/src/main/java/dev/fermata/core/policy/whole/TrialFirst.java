package dev.fermata.core.policy.whole;

import dev.fermata.core.contract.Action;
import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.PendingReason;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.Policy;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.JobClass;
import dev.fermata.core.policy.composed.PendingReasons;
import dev.fermata.core.policy.place.Placement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Trials start at once, if need be on GPUs of batch jobs preempted for them. Batch jobs form one queue, and the first
 * that does not fit blocks the others. A preempted job returns to the queue at the place of its submission, which is
 * the head unless others were preempted too. A {@link VictimChoice} chooses the victims.
 *
 * <p>The frame of FitGpp (OpML 2019) and of the two policies it is compared with. A decision costs a look at the heads
 * of queues that capacity or new possible victims came for; a preemption O(nodes + running batch jobs).
 */
public final class TrialFirst implements Policy {
    private static final Comparator<FifoQueues.FifoQueue> BY_HEAD =
            Comparator.comparing(FifoQueues.FifoQueue::firstWaiting, FifoQueues.WaitingJob.ORDER);

    private final Placement placement;
    private final VictimChoice choice;
    private final FifoQueues trials = new FifoQueues(false);
    private final FifoQueues batch = new FifoQueues(true);
    private @Nullable VictimCandidates victimCandidates;

    public TrialFirst(Placement placement, VictimChoice choice) {
        this.placement = placement;
        this.choice = choice;
    }

    @Override
    public Plan decide(View view) {
        VictimCandidates running = victimCandidates(view);
        running.update(view);
        for (JobView job : view.changedJobs()) {
            trials.remove(job.id());
            batch.remove(job.id());
            if (view.isWaiting(job)) {
                queuesOf(job).add(job);
            }
        }
        long version = view.capacityVersion() + running.arrivals();
        List<Action> actions = new ArrayList<>();
        List<PendingReason> pendingReasons = new ArrayList<>();
        serve(trials, version, view, actions, pendingReasons);
        serve(batch, version, view, actions, pendingReasons);
        return new Plan(actions, pendingReasons, trials.isEmpty() ? Plan.NEVER : running.nextMillis());
    }

    /** Serves the queues by their heads, each until its head has to wait. */
    private void serve(
            FifoQueues queues, long version, View view, List<Action> actions, List<PendingReason> pendingReasons) {
        List<FifoQueues.FifoQueue> due = queues.queuesToServe(version);
        if (due.isEmpty()) {
            return;
        }
        PriorityQueue<FifoQueues.FifoQueue> pendingQueues = new PriorityQueue<>(due.size(), BY_HEAD);
        pendingQueues.addAll(due);
        for (FifoQueues.FifoQueue queue = pendingQueues.poll(); queue != null; queue = pendingQueues.poll()) {
            JobView head = queue.head();
            Action action = tryServe(head, view);
            if (action != null) {
                actions.add(action);
                queues.remove(head.id());
                if (!queue.isEmpty()) {
                    pendingQueues.add(queue);
                }
            } else if (queue.block(
                    version, PendingReasons.codeFor(head, view.draft().capacity()))) {
                pendingReasons.add(PendingReasons.forUnfit(head, view.draft().capacity()));
            }
        }
    }

    private @Nullable Action tryServe(JobView job, View view) {
        Allocation now = placement.place(view.draft().capacity(), job, Horizon.NOW);
        if (now != null) {
            view.draft().allocate(job, now);
            return new Action.Start(job.id(), now);
        }
        return job.job().jobClass() == JobClass.TRIAL
                ? new TrialVictimSearch(view, victimCandidates(view), placement, job).run(choice)
                : null;
    }

    private FifoQueues queuesOf(JobView job) {
        return job.job().jobClass() == JobClass.TRIAL ? trials : batch;
    }

    private VictimCandidates victimCandidates(View view) {
        VictimCandidates current = victimCandidates;
        if (current == null) {
            current = new VictimCandidates(view.topology(), choice.budget());
            victimCandidates = current;
        }
        return current;
    }

    @Override
    public PendingReason explain(View view, JobView job) {
        int ahead = queuesOf(job).countAhead(job.id());
        if (ahead == 0) {
            return PendingReasons.forUnfit(job, view.capacity());
        }
        return ahead < 0
                ? new PendingReason.NotYetConsidered(job.id())
                : PendingReasons.forPriority(job, view.capacity(), ahead);
    }
}
