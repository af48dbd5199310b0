package dev.fermata.live.loop;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Order;
import dev.fermata.core.contract.PreemptWay;
import dev.fermata.core.contract.SchedulerSnapshot;
import dev.fermata.core.contract.Suspension;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.SpeedModel;
import dev.fermata.core.model.Topology;
import dev.fermata.core.scheduler.Scheduler;
import dev.fermata.live.engine.EngineOrder;
import dev.fermata.live.engine.ExpectedAttempts;
import dev.fermata.live.engine.Launch;
import dev.fermata.live.learning.ProfileService;
import dev.fermata.live.state.LiveAttempt;
import dev.fermata.live.state.LiveJob;
import dev.fermata.live.state.LiveJobIndex;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Makes orders to the engine from those of the scheduler, and from the attempts on GPUs after a restart. */
final class EngineOrderFactory {
    private final Scheduler scheduler;
    private final LiveJobIndex liveJobs;
    private final ProfileService profiles;

    EngineOrderFactory(Scheduler scheduler, LiveJobIndex liveJobs, ProfileService profiles) {
        this.scheduler = scheduler;
        this.liveJobs = liveJobs;
        this.profiles = profiles;
    }

    EngineOrder of(Order order) {
        return switch (order.type()) {
            case START -> {
                Order.Start start = (Order.Start) order;
                yield new EngineOrder.Start(
                        launchOf(start.jobId(), start.attempt(), start.allocation(), start.resumed(), start.process()));
            }
            case PREEMPT -> preempt((Order.Preempt) order);
            case KILL -> new EngineOrder.Kill(order.jobId(), order.attempt());
        };
    }

    private EngineOrder.Preempt preempt(Order.Preempt order) {
        JobView job = Objects.requireNonNull(scheduler.job(order.jobId()));
        return preempt(job, order.graceMillis(), order.way(), roomMib(scheduler.job(order.beneficiary())));
    }

    /** What the next job takes of the memory of a GPU, as declared or measured; -1 for unknown. */
    private static long roomMib(@Nullable JobView next) {
        int declared = next == null ? 0 : next.job().demand().gpuMemoryMib();
        int measured = next == null ? 0 : next.job().profile().peakMemoryMib();
        return Math.max(declared, measured) > 0 ? Math.max(declared, measured) : -1;
    }

    private static EngineOrder.Preempt preempt(JobView job, long graceMillis, PreemptWay way, long roomMib) {
        long limitMillis = job.job().costs().suspend().limitMillis();
        return new EngineOrder.Preempt(job.id(), job.attempt(), graceMillis, way, limitMillis, roomMib);
    }

    private Launch launchOf(long id, int attempt, Allocation allocation, boolean resumed, int process) {
        LiveJob job = Objects.requireNonNull(liveJobs.find(id));
        JobView view = Objects.requireNonNull(scheduler.job(id));
        return new Launch(
                id,
                attempt,
                job.arrayId,
                job.user,
                job.spec,
                allocation,
                new Launch.PriorWork(
                        resumed, view.savedWorkMillis(), job.runMillis(), process, view.savedOnDiskMillis()),
                new Launch.LearnedLimits(
                        allocation.shared() ? view.job().demand().gpuMemoryMib() : 0,
                        profiles.estimateFor(job.programKey, job.spec).maxLoadMillis(),
                        job.spec.splitBatch()
                                ? SpeedModel.batchShares(
                                        view.job(), allocation, scheduler.view().topology())
                                : List.of()));
    }

    private Launch launchOf(JobView job) {
        return launchOf(
                job.id(), job.attempt(), Objects.requireNonNull(job.allocation()), job.resumed(), job.process());
    }

    /** Asks for the state of the attempt of a job on GPUs. */
    EngineOrder adopt(long jobId, long nowMillis) {
        return new EngineOrder.Adopt(launchOf(Objects.requireNonNull(scheduler.job(jobId))), nowMillis);
    }

    /** Every attempt that holds GPUs in the cluster state, for the engine to compare with what runs. */
    ExpectedAttempts expectedAttempts() {
        List<Launch> accepted = new ArrayList<>();
        List<Launch> unconfirmed = new ArrayList<>();
        List<Launch> suspended = new ArrayList<>();
        for (JobView job : scheduler.jobs()) {
            if (job.state().holdsGpus()) {
                (mayNotHaveStarted(job.id(), job.state()) ? unconfirmed : accepted).add(launchOf(job));
            } else if (job.suspension() != null) {
                Suspension suspension = job.suspension();
                suspended.add(launchOf(job.id(), job.attempt(), suspension.gpus(), true, suspension.process()));
            }
        }
        return new ExpectedAttempts(accepted, unconfirmed, suspended);
    }

    /** Whether its start order is not confirmed. One that is being ended is never started any more. */
    private boolean mayNotHaveStarted(long jobId, JobState state) {
        LiveAttempt attempt = attemptOf(jobId);
        return state == JobState.STARTING
                && !attempt.isAccepted()
                && attempt.startAbort().isEmpty();
    }

    private LiveAttempt attemptOf(long jobId) {
        return Objects.requireNonNull(Objects.requireNonNull(liveJobs.find(jobId)).liveAttempt);
    }

    /** The node of an attempt that is on one alone, else -1. */
    int onlyNodeOf(Allocation allocation) {
        Topology topology = scheduler.view().topology();
        int node = topology.nodeOf(allocation.gpu(0));
        for (int i = 1; i < allocation.size(); i++) {
            if (topology.nodeOf(allocation.gpu(i)) != node) {
                return -1;
            }
        }
        return node;
    }

    /** The attempts whose start is not confirmed. */
    List<LiveAttempt> unconfirmedStarts() {
        return scheduler.jobs().stream()
                .filter(job -> job.state() == JobState.STARTING)
                .map(job -> attemptOf(job.id()))
                .filter(attempt ->
                        !attempt.isConfirmed() && attempt.startAbort().isEmpty())
                .toList();
    }

    /** The orders to attempts on GPUs that may not have reached the engine before a crash. */
    List<EngineOrder> openOrders() {
        List<EngineOrder> orders = new ArrayList<>();
        for (SchedulerSnapshot.JobSnapshot job : scheduler.snapshot().jobs()) {
            long id = job.job().id();
            if (job.state() == JobState.STARTING && mayNotHaveStarted(id, job.state())) {
                orders.add(new EngineOrder.Start(launchOf(Objects.requireNonNull(scheduler.job(id)))));
            } else if (job.state() == JobState.STARTING
                    && !attemptOf(id).startAbort().isEmpty()) {
                orders.add(new EngineOrder.Kill(id, job.attempt()));
            } else if (job.state() == JobState.PREEMPTING) {
                orders.add(
                        job.cancelling()
                                ? new EngineOrder.Kill(id, job.attempt())
                                : preempt(
                                        Objects.requireNonNull(scheduler.job(id)),
                                        job.job().graceMillis(),
                                        job.suspend().suspending() ? PreemptWay.SUSPEND : PreemptWay.CHECKPOINT,
                                        -1));
            }
        }
        return orders;
    }
}
