package dev.fermata.core.policy.composed;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.LongMap;
import dev.fermata.core.model.Speed;
import dev.fermata.core.model.SpeedModel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import java.util.function.ToLongBiFunction;

/**
 * When GPUs of each type are expected to come free, by the estimates at the time of each job's last change. A decision
 * costs what changed.
 */
final class ExpectedEnds {
    private record ExpectedEnd(long atMillis, long jobId, int type, int gpus) {}

    private static final Comparator<ExpectedEnd> BY_TIME =
            Comparator.comparingLong(ExpectedEnd::atMillis).thenComparingLong(ExpectedEnd::jobId);

    private final List<TreeSet<ExpectedEnd>> byType = new ArrayList<>();
    private final LongMap<ExpectedEnd> byJob = new LongMap<>();

    private final ToLongBiFunction<JobView, View> remaining;

    ExpectedEnds(int types) {
        this(types, (job, view) -> view.remainingMillis(job));
    }

    /** @param remaining the work that a job still has, in reference-milliseconds */
    ExpectedEnds(int types, ToLongBiFunction<JobView, View> remaining) {
        this.remaining = remaining;
        for (int t = 0; t < types; t++) {
            byType.add(new TreeSet<>(BY_TIME));
        }
    }

    void update(View view) {
        for (JobView job : view.changedJobs()) {
            ExpectedEnd before = byJob.remove(job.id());
            if (before != null) {
                byType.get(before.type).remove(before);
            }
            Allocation held = job.allocation();
            boolean runs = job.state() == JobState.STARTING || job.state() == JobState.RUNNING;
            if (held != null && runs && !held.mixed()) {
                add(view, job, held);
            }
        }
    }

    private void add(View view, JobView job, Allocation held) {
        long speed = SpeedModel.speedAlone(job.job(), held, view.topology()).micro();
        long load = job.state() == JobState.STARTING ? job.job().costs().loadMillis(job.resumed()) : 0;
        long end = view.nowMillis() + load + Math.round((double) remaining.applyAsLong(job, view) * Speed.UNIT / speed);
        ExpectedEnd one = new ExpectedEnd(end, job.id(), view.topology().typeOf(held.gpu(0)), held.size());
        byJob.put(job.id(), one);
        byType.get(one.type).add(one);
    }

    /** When each of the first GPUs of a type comes free, soonest first: now for those that are free. */
    long[] availableMillis(int type, int free, long nowMillis, int limit) {
        long[] found = new long[limit];
        int n = Math.min(free, limit);
        Arrays.fill(found, 0, n, nowMillis);
        for (ExpectedEnd one : byType.get(type)) {
            if (n == limit) {
                break;
            }
            int to = Math.min(limit, n + one.gpus);
            Arrays.fill(found, n, to, Math.max(nowMillis + 1, one.atMillis)); // late ones are expected at once
            n = to;
        }
        return Arrays.copyOf(found, n);
    }
}
