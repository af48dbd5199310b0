package dev.fermata.app.replay;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.estimate.History;
import dev.fermata.core.estimate.PastJob;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Pace;
import dev.fermata.core.model.SpeedModel;
import dev.fermata.core.model.Topology;
import dev.fermata.sim.workload.Toll;
import dev.fermata.sim.workload.TrueJob;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * What nobody knew of the jobs of a history while they lived: how much work each had, and what pausing and loading it took. Measured
 * on the attempt, then on the job itself; where it was never paused or loaded again, on others of its family; else it is what was believed.
 */
final class Hindsight {
    /** No GPU is this many times as fast as the reference. */
    private static final long FASTEST = 100;

    /** Jobs of one family are runs of the same thing. */
    private record Family(String user, String name, int gpus) {
        static Family of(Job job) {
            return new Family(
                    job.user(), History.family(job.name()), job.demand().maxGpus());
        }
    }

    /** What was measured of one kind of time, by family. */
    private static final class Measured {
        private final Function<JobStory, List<Long>> times;
        private final Map<Family, List<Long>> byFamily = new HashMap<>();

        Measured(Collection<JobStory> stories, Function<JobStory, List<Long>> times) {
            this.times = times;
            stories.forEach(story -> byFamily.computeIfAbsent(Family.of(story.job), f -> new ArrayList<>())
                    .addAll(times.apply(story)));
        }

        OptionalDouble of(JobStory story) {
            OptionalDouble own = mean(times.apply(story));
            return own.isPresent() ? own : mean(byFamily.getOrDefault(Family.of(story.job), List.of()));
        }

        private static OptionalDouble mean(List<Long> millis) {
            return millis.stream().mapToLong(Long::longValue).average();
        }
    }

    private final Topology topology;
    private final long endMillis;
    private final long originMillis;
    private final Measured firstLoads;
    private final Measured reloads;
    private final Measured allLoads;
    private final Measured pauses;
    private final Measured unseenLoads;

    /**
     * @param endMillis of the history
     * @param originMillis the moment that is 0 in the simulation
     */
    Hindsight(Collection<JobStory> stories, Topology topology, long originMillis, long endMillis) {
        this.topology = topology;
        this.originMillis = originMillis;
        this.endMillis = endMillis;
        this.firstLoads = new Measured(stories, story -> loads(story, false));
        this.reloads = new Measured(stories, story -> loads(story, true));
        this.allLoads = new Measured(
                stories,
                story -> Stream.of(loads(story, false), loads(story, true))
                        .flatMap(List::stream)
                        .toList());
        this.pauses = new Measured(stories, Hindsight::pauses);
        this.unseenLoads = new Measured(
                stories,
                story -> story.stays.stream()
                        .filter(story::began)
                        .map(Stay::unseenLoadMillis)
                        .toList());
    }

    private static List<Long> loads(JobStory story, boolean resumed) {
        return story.stays.stream()
                .filter(stay -> story.began(stay) && stay.resumed() == resumed)
                .map(Stay::loadMillis)
                .toList();
    }

    private static List<Long> pauses(JobStory story) {
        return story.stays.stream().filter(Stay::paused).map(Stay::pauseMillis).toList();
    }

    TrueJob truth(JobStory story) {
        Job job = story.job;
        Toll usual = new Toll(costs(story), Math.round(unseenLoads.of(story).orElse(0)), false);
        return new TrueJob(
                job,
                story.submittedMillis - originMillis,
                Math.max(1, workMillis(story)),
                Math.max(job.demand().gpuMemoryMib(), job.profile().peakMemoryMib()),
                usual,
                end(story),
                story.stays.stream()
                        .map(stay -> story.began(stay) ? toll(stay, usual) : usual)
                        .toList());
    }

    private Costs costs(JobStory story) {
        Costs believed = story.job.costs();
        long first = Math.round(firstLoads.of(story).orElse((double) believed.firstLoadMillis()));
        long again = Math.round(reloads.of(story).orElse((double) (first + believed.restoreMillis())));
        long pause = Math.round(pauses.of(story).orElse((double) believed.pauseMillis()));
        if (again < first) { // noise: a restore takes no less than nothing, and all loads together stay what they were
            first = Math.round(allLoads.of(story).orElse((double) first));
            again = first;
        }
        return new Costs(pause, first, again - first, 0);
    }

    /** What one attempt showed of them, else what the job showed on average. */
    private static Toll toll(Stay stay, Toll usual) {
        long usually = usual.costs().pauseMillis();
        long pause = stay.paused()
                ? stay.pauseMillis()
                : stay.endedInstead() ? Math.max(stay.pauseMillis(), usually) : usually;
        return new Toll(new Costs(pause, stay.loadMillis(), 0, 0), stay.unseenLoadMillis(), stay.endedInstead());
    }

    /** A job that was cancelled ends when it is cancelled, whatever the policy; one that lives goes on. */
    private static Outcome end(JobStory story) {
        JobState end = story.end;
        if (end == JobState.TIMEOUT) {
            return Outcome.TIMEOUT;
        }
        return end == JobState.FAILED || end == JobState.OOM ? Outcome.FAILED : Outcome.COMPLETED;
    }

    private long workMillis(JobStory story) {
        JobState end = story.end;
        double micro = 0;
        for (int i = 0; i < story.stays.size(); i++) {
            Stay stay = story.stays.get(i);
            boolean untilItFailed = i == story.stays.size() - 1
                    && (end == JobState.FAILED || end == JobState.TIMEOUT || end == JobState.OOM);
            long ran = untilItFailed ? stay.heldMillis() - stay.loadMillis() : stay.workedMillis();
            micro += (double) ran * paceMicro(story.job, stay.allocation(), stay.paceMicro());
        }
        Allocation held = story.held();
        if (held != null) {
            micro += (double) (endMillis - story.heldSinceMillis()) * paceMicro(story.job, held, 0);
        }
        long done = (long) (micro / Pace.UNIT);
        if (end == JobState.CANCELLED) {
            return done + FASTEST * Math.max(1000, endMillis - story.submittedMillis); // more than it can do until then
        }
        return end != null ? done : done + Math.max(done, story.job.declaredMillis() - done);
    }

    /** Alone, as the simulator would have it run there; beside others, as it was told. */
    private long paceMicro(Job job, Allocation allocation, long toldMicro) {
        return allocation.shared() && toldMicro > 0
                ? toldMicro
                : SpeedModel.alone(job, allocation, topology).micro();
    }

    /** For estimators that learn from those that ended before. */
    PastJob past(JobStory story, JobState end) {
        long ran = story.stays.stream().mapToLong(Stay::ranMillis).sum();
        return new PastJob(story.job, end, story.submittedMillis, ran, ran);
    }
}
