package dev.fermata.live.service;

import dev.fermata.core.contract.GpuUse;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.PendingReason;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Node;
import dev.fermata.core.model.Topology;
import dev.fermata.history.RemainingTime;
import dev.fermata.live.loop.SchedulingCycle;
import dev.fermata.live.service.BlockingJob.ExpectedEnd;
import dev.fermata.live.state.LiveJob;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * Finds the jobs in the way of a pending one: where it waits for GPUs, those whose ends would free enough of them first. It
 * reads estimates and decides nothing. Only the scheduler loop's thread uses it.
 */
final class BlockingJobs {
    private static final int MAX_JOBS = 20;

    private final SchedulingCycle cycle;
    private final Topology topology;
    private final GpuUse use;
    private final long nowMillis;

    BlockingJobs(SchedulingCycle cycle, Topology topology, long nowMillis) {
        this.cycle = cycle;
        this.topology = topology;
        this.use = cycle.scheduler.gpuUse();
        this.nowMillis = nowMillis;
    }

    /** At most {@value #MAX_JOBS}, the first to end first; none where only a user, an operator or time is in the way. */
    List<BlockingJob> of(LiveJob job, JobView view, PendingReason reason) {
        return switch (reason.code()) {
            case DEPENDENCY -> named(((PendingReason.DependencyPending) reason).firstDependency());
            case PROFILE_PENDING -> named(((PendingReason.ProfilePending) reason).profilingJob());
            case RESERVATION -> named(((PendingReason.Reservation) reason).reservedForJob());
            case ARRAY_LIMIT -> onGpus(other -> other.arrayId == job.arrayId);
            case QUEUE_LIMIT, QUEUE_SHARE -> ofQueue(job);
            case PREEMPTION_PENDING -> firstToEnd(jobsOn(0, topology.gpuCount(), gpu -> reservedForIt(gpu, view)));
            case RESOURCES,
                    PRIORITY,
                    FRAGMENTED,
                    HOST_RESOURCES,
                    MEMORY,
                    WAITING_FOR_LOCALITY,
                    PREEMPTION_NOT_WORTH_IT -> holdersOfGpus(view);
            case HELD, NO_NODES, START_FAILED, ENGINE_UNREACHABLE, NOT_YET_CONSIDERED, UNSATISFIABLE -> List.of();
        };
    }

    private List<BlockingJob> named(long id) {
        return firstToEnd(LongStream.of(id));
    }

    private List<BlockingJob> onGpus(Predicate<LiveJob> which) {
        return firstToEnd(StreamSupport.stream(cycle.liveJobs.all().spliterator(), false)
                .filter(other -> other.state().holdsGpus() && which.test(other))
                .mapToLong(other -> other.id));
    }

    /** The jobs on GPUs of the innermost queue at or above its own that has some. */
    private List<BlockingJob> ofQueue(LiveJob job) {
        String path = job.spec.queue();
        for (int end = path.length(); end > 0; end = path.lastIndexOf('/', end - 1)) {
            String queue = path.substring(0, end);
            List<BlockingJob> found = onGpus(other ->
                    other.spec.queue().equals(queue) || other.spec.queue().startsWith(queue + "/"));
            if (!found.isEmpty()) {
                return found;
            }
        }
        return onGpus(other -> true);
    }

    private boolean reservedForIt(int gpu, JobView view) {
        JobView beneficiary = use.reservedFor(gpu);
        return beneficiary != null && beneficiary.id() == view.id();
    }

    /** On one node where the job fits on one, since it will probably be placed there; else anywhere. */
    private List<BlockingJob> holdersOfGpus(JobView view) {
        List<BlockingJob> best = null;
        long bestEnd = Long.MAX_VALUE;
        for (Node node : topology.nodes()) {
            List<BlockingJob> found = firstEnough(view, node.firstGpu(), node.firstGpu() + node.gpus());
            long end = found == null ? Long.MAX_VALUE : lastEnd(found);
            if (found != null && (best == null || end < bestEnd)) {
                best = found;
                bestEnd = end;
            }
        }
        if (best == null) {
            best = firstEnough(view, 0, topology.gpuCount());
        }
        return best == null ? List.of() : best;
    }

    /** The first jobs to end on these GPUs that leave as many GPUs as the job needs at least; null where all do not. */
    private @Nullable List<BlockingJob> firstEnough(JobView view, int from, int to) {
        IntPredicate usable = gpu -> (view.eligibleTypes() >> topology.typeOf(gpu) & 1) != 0
                && use.isUp(gpu)
                && !use.isDrained(topology.nodeOf(gpu));
        int missing = view.job().demand().minGpus();
        int all = 0;
        for (int gpu = from; gpu < to; gpu++) {
            if (usable.test(gpu)) {
                all++;
                missing -= use.jobsOn(gpu).isEmpty() ? 1 : 0;
            }
        }
        if (all < view.job().demand().minGpus()) {
            return null;
        }
        List<BlockingJob> found = new ArrayList<>();
        for (BlockingJob holder : byEnd(jobsOn(from, to, usable)).toList()) {
            if (missing <= 0 && !found.isEmpty()) {
                break;
            }
            found.add(holder);
            missing -= gpusHeld(holder.job(), gpu -> gpu >= from && gpu < to && usable.test(gpu));
        }
        return List.copyOf(found.subList(0, Math.min(MAX_JOBS, found.size())));
    }

    private int gpusHeld(long job, IntPredicate which) {
        JobView view = cycle.scheduler.job(job);
        Allocation held = view == null ? null : view.allocation();
        return held == null
                ? 0
                : (int) IntStream.of(held.toArray()).filter(which).count();
    }

    private LongStream jobsOn(int from, int to, IntPredicate gpus) {
        Set<Long> jobs = new LinkedHashSet<>();
        for (int gpu = from; gpu < to; gpu++) {
            if (gpus.test(gpu)) {
                use.jobsOn(gpu).forEach(job -> jobs.add(job.id()));
            }
        }
        return jobs.stream().mapToLong(Long::longValue);
    }

    private static long lastEnd(List<BlockingJob> jobs) {
        return jobs.stream().mapToLong(BlockingJobs::endMillis).max().orElse(0);
    }

    /** A job that is leaving ends before all others, one that cannot be told after them. */
    private static long endMillis(BlockingJob job) {
        return job.expectedEnd() != null
                ? job.expectedEnd().p50Millis()
                : job.state() == JobState.PREEMPTING ? 0 : Long.MAX_VALUE;
    }

    private List<BlockingJob> firstToEnd(LongStream jobs) {
        return byEnd(jobs).limit(MAX_JOBS).toList();
    }

    private Stream<BlockingJob> byEnd(LongStream jobs) {
        return jobs.mapToObj(this::blockingJob)
                .flatMap(Stream::ofNullable)
                .sorted(Comparator.comparingLong(BlockingJobs::endMillis).thenComparingLong(BlockingJob::job));
    }

    private @Nullable BlockingJob blockingJob(long id) {
        LiveJob job = cycle.liveJobs.find(id);
        JobView view = cycle.scheduler.job(id);
        return job == null || view == null
                ? null
                : new BlockingJob(id, job.user, view.gpus(), job.state(), expectedEnd(view));
    }

    private @Nullable ExpectedEnd expectedEnd(JobView view) {
        if (view.state() != JobState.RUNNING && view.state() != JobState.STARTING) {
            return null;
        }
        RemainingTime remaining = cycle.estimator.remaining(view, nowMillis).atSpeed(view.speedMicro());
        return new ExpectedEnd(nowMillis + remaining.p50Millis(), nowMillis + remaining.p90Millis());
    }
}
