package dev.fermata.insight.replay;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.estimate.HistoryEstimator;
import dev.fermata.core.estimate.PastJob;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Checkpointing;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Speed;
import dev.fermata.core.model.SpeedModel;
import dev.fermata.core.model.Topology;
import dev.fermata.sim.workload.AttemptOverhead;
import dev.fermata.sim.workload.SimulatedJob;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The true work, preemption costs and load costs of the jobs of a history, which were unknown while they lived. They
 * are measured on the attempt, then on the job itself; for a job that was never preempted or loaded again, on similar
 * jobs; else they are the estimates.
 */
final class GroundTruth {
    /** No GPU is this many times as fast as the reference. */
    private static final long MAX_SPEEDUP = 100;

    /** Similar jobs: of one user, name prefix and size. */
    private record RunGroup(String user, String name, int gpus) {
        static RunGroup of(Job job) {
            return new RunGroup(
                    job.user(),
                    HistoryEstimator.namePrefix(job.name()),
                    job.demand().maxGpus());
        }
    }

    /** Measurements of one type of time, by group of similar jobs. */
    private static final class MeasuredTimes {
        private final Function<JobTimeline, List<Long>> times;
        private final Map<RunGroup, List<Long>> byGroup = new HashMap<>();

        MeasuredTimes(Collection<JobTimeline> timelines, Function<JobTimeline, List<Long>> times) {
            this.times = times;
            timelines.forEach(timeline -> byGroup.computeIfAbsent(RunGroup.of(timeline.job), group -> new ArrayList<>())
                    .addAll(times.apply(timeline)));
        }

        OptionalDouble of(JobTimeline timeline) {
            OptionalDouble own = mean(times.apply(timeline));
            return own.isPresent() ? own : mean(byGroup.getOrDefault(RunGroup.of(timeline.job), List.of()));
        }

        private static OptionalDouble mean(List<Long> millis) {
            return millis.stream().mapToLong(Long::longValue).average();
        }
    }

    private final Topology topology;
    private final long endMillis;
    private final long originMillis;
    private final MeasuredTimes firstLoads;
    private final MeasuredTimes reloads;
    private final MeasuredTimes allLoads;
    private final MeasuredTimes preemptTimes;
    private final MeasuredTimes hiddenLoads;

    /**
     * @param endMillis of the history
     * @param originMillis the moment that is 0 in the simulation
     */
    GroundTruth(Collection<JobTimeline> timelines, Topology topology, long originMillis, long endMillis) {
        this.topology = topology;
        this.originMillis = originMillis;
        this.endMillis = endMillis;
        this.firstLoads = new MeasuredTimes(timelines, timeline -> loads(timeline, false));
        this.reloads = new MeasuredTimes(timelines, timeline -> loads(timeline, true));
        this.allLoads = new MeasuredTimes(
                timelines,
                timeline -> Stream.of(loads(timeline, false), loads(timeline, true))
                        .flatMap(List::stream)
                        .toList());
        this.preemptTimes = new MeasuredTimes(timelines, GroundTruth::preemptTimes);
        this.hiddenLoads = new MeasuredTimes(
                timelines,
                timeline -> timeline.intervals.stream()
                        .filter(timeline::hasRun)
                        .map(AttemptInterval::hiddenLoadMillis)
                        .toList());
    }

    private static List<Long> loads(JobTimeline timeline, boolean resumed) {
        return timeline.intervals.stream()
                .filter(interval -> timeline.hasRun(interval) && interval.resumed() == resumed)
                .map(AttemptInterval::loadMillis)
                .toList();
    }

    private static List<Long> preemptTimes(JobTimeline timeline) {
        return timeline.intervals.stream()
                .filter(AttemptInterval::wasPreempted)
                .map(AttemptInterval::preemptMillis)
                .toList();
    }

    SimulatedJob trueJob(JobTimeline timeline) {
        Job job = timeline.job;
        AttemptOverhead typical = new AttemptOverhead(
                costs(timeline), Math.round(hiddenLoads.of(timeline).orElse(0)), false);
        return new SimulatedJob(
                job,
                timeline.submittedMillis - originMillis,
                Math.max(1, workMillis(timeline)),
                Math.max(job.demand().gpuMemoryMib(), job.profile().peakMemoryMib()),
                typical,
                outcome(timeline),
                timeline.intervals.stream()
                        .map(interval -> timeline.hasRun(interval) ? overhead(interval, typical) : typical)
                        .toList());
    }

    private Costs costs(JobTimeline timeline) {
        Costs estimated = timeline.job.costs();
        long first = Math.round(firstLoads.of(timeline).orElse((double) estimated.firstLoadMillis()));
        long again = Math.round(reloads.of(timeline).orElse((double) (first + estimated.restoreMillis())));
        long preemptMillis = Math.round(preemptTimes.of(timeline).orElse((double) estimated.preemptMillis()));
        if (again < first) { // noise: a restore takes no negative time, and the sum of all loads stays
            first = Math.round(allLoads.of(timeline).orElse((double) first));
            again = first;
        }
        boolean measured = preemptTimes.of(timeline).isPresent();
        return new Costs(preemptMillis, first, again - first, 0)
                .withCheckpointing(measured ? Checkpointing.ON_PREEMPTION : estimated.checkpointing());
    }

    /** The costs of one attempt, else the average over the job. */
    private static AttemptOverhead overhead(AttemptInterval interval, AttemptOverhead typical) {
        long usually = typical.costs().preemptMillis();
        long preemptMillis = interval.wasPreempted()
                ? interval.preemptMillis()
                : interval.completedInstead() ? Math.max(interval.preemptMillis(), usually) : usually;
        return new AttemptOverhead(
                new Costs(preemptMillis, interval.loadMillis(), 0, 0)
                        .withCheckpointing(
                                interval.wasPreempted()
                                        ? Checkpointing.ON_PREEMPTION
                                        : typical.costs().checkpointing()),
                interval.hiddenLoadMillis(),
                interval.completedInstead());
    }

    /** A cancelled job ends when it is cancelled, whatever the policy; a live one goes on. */
    private static Outcome outcome(JobTimeline timeline) {
        JobState end = timeline.end;
        if (end == JobState.TIMEOUT) {
            return Outcome.TIMEOUT;
        }
        return end == JobState.FAILED || end == JobState.OOM ? Outcome.FAILED : Outcome.COMPLETED;
    }

    private long workMillis(JobTimeline timeline) {
        JobState end = timeline.end;
        double micro = 0;
        for (int i = 0; i < timeline.intervals.size(); i++) {
            AttemptInterval interval = timeline.intervals.get(i);
            boolean untilItFailed = i == timeline.intervals.size() - 1
                    && (end == JobState.FAILED || end == JobState.TIMEOUT || end == JobState.OOM);
            long ran = untilItFailed ? interval.heldMillis() - interval.loadMillis() : interval.workedMillis();
            micro += (double) ran * speedMicro(timeline.job, interval.allocation(), interval.speedMicro());
        }
        Allocation held = timeline.heldAllocation();
        if (held != null) {
            micro += (double) (endMillis - timeline.heldSinceMillis()) * speedMicro(timeline.job, held, 0);
        }
        long done = (long) (micro / Speed.UNIT);
        if (end == JobState.CANCELLED) {
            return done
                    + MAX_SPEEDUP
                            * Math.max(1000, endMillis - timeline.submittedMillis); // more than it can do until then
        }
        return end != null ? done : done + Math.max(done, timeline.job.declaredMillis() - done);
    }

    /** Alone, the speed that the simulator computes; co-located, the speed that was reported. */
    private long speedMicro(Job job, Allocation allocation, long reportedMicro) {
        return allocation.shared() && reportedMicro > 0
                ? reportedMicro
                : SpeedModel.speedAlone(job, allocation, topology).micro();
    }

    /** For estimators that learn from jobs that ended before. */
    PastJob pastJob(JobTimeline timeline, JobState end) {
        long ran = timeline.intervals.stream()
                .mapToLong(AttemptInterval::ranMillis)
                .sum();
        return new PastJob(timeline.job, end, timeline.submittedMillis, ran, ran);
    }
}
