package dev.fermata.app.replay;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Fact;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.estimate.PastJob;
import dev.fermata.sim.workload.TrueJob;
import dev.fermata.sim.workload.Workload;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * A part of a history, ready to be played again: its jobs with what hindsight knows of them, what people asked for meanwhile, and
 * what happened in reality.
 *
 * @param originMillis the moment that is 0 in the simulation: the first submission
 * @param real what happened to those that are measured, in simulated time
 * @param measured the jobs that ended in reality; the others take part, but nobody knows how they would have ended
 * @param completed those of them that completed
 * @param counting the jobs whose scripts count their steps, and how
 * @param past those that had ended before it began, in the order of their ends
 */
public record Episode(
        Chronicle chronicle,
        long originMillis,
        Workload workload,
        List<Happened> real,
        Set<Long> measured,
        Set<Long> completed,
        Map<Long, Counting> counting,
        List<PastJob> past,
        List<String> remarks) {

    /**
     * The jobs submitted from one moment to another. It begins when the cluster was last empty before, so that everybody who stood
     * in the way is there.
     */
    public static Episode of(Chronicle chronicle, long sinceMillis, long untilMillis) {
        List<Happened> lines = chronicle.lines();
        Map<Long, JobStory> stories = JobStory.all(lines);
        int begin = lastEmpty(lines, stories.keySet(), sinceMillis);
        Map<Long, JobStory> chosen = new LinkedHashMap<>();
        for (Happened line : lines.subList(begin, lines.size())) {
            JobStory story = stories.get(line.fact().jobId());
            if (story != null && submits(line.fact()) && line.atMillis() <= untilMillis) {
                chosen.put(line.fact().jobId(), story);
            }
        }
        long origin = chosen.values().stream()
                .mapToLong(story -> story.submittedMillis)
                .min()
                .orElse(0);
        Hindsight hindsight =
                new Hindsight(stories.values(), chronicle.cluster().topology(), origin, chronicle.endMillis());
        List<TrueJob> jobs = new ArrayList<>();
        Set<Long> measured = new LinkedHashSet<>();
        Set<Long> completed = new LinkedHashSet<>();
        Map<Long, Counting> counting = new HashMap<>();
        chosen.forEach((id, story) -> {
            jobs.add(hindsight.truth(story));
            if (story.end != null) {
                measured.add(id);
            }
            if (story.end == JobState.COMPLETED) {
                completed.add(id);
            }
            if (story.counts) {
                counting.put(id, story.counting());
            }
        });
        List<Workload.Request> requests = new ArrayList<>(new Setup(lines.subList(0, begin)).requests());
        List<Happened> real = new ArrayList<>();
        for (Happened line : lines.subList(begin, lines.size())) {
            long id = line.fact().jobId();
            JobStory story = chosen.get(id);
            if (story != null || (id < 0 && line.atMillis() <= untilMillis)) {
                Event event = Wish.of(line, story);
                long at = Math.max(0, line.atMillis() - origin);
                if (event != null) {
                    requests.add(new Workload.Request(at, event));
                }
                if (id < 0 || measured.contains(id)) {
                    real.add(line.at(at));
                }
            }
        }
        return new Episode(
                chronicle,
                origin,
                new Workload(chronicle.name(), jobs, requests),
                List.copyOf(real),
                measured,
                completed,
                counting,
                past(stories, chosen, hindsight),
                remarks(chronicle, stories, chosen, measured));
    }

    /** The last place up to the first line of that time at which no job was alive. */
    private static int lastEmpty(List<Happened> lines, Set<Long> known, long sinceMillis) {
        Set<Long> live = new HashSet<>();
        int empty = 0;
        for (int i = 0; i < lines.size() && lines.get(i).atMillis() < sinceMillis; i++) {
            Fact fact = lines.get(i).fact();
            if (fact instanceof Fact.Submitted) {
                live.add(fact.jobId());
            } else if (ends(fact) && known.contains(fact.jobId())) {
                live.remove(fact.jobId());
            }
            empty = live.isEmpty() ? i + 1 : empty;
        }
        return empty;
    }

    private static boolean submits(Fact fact) {
        return fact instanceof Fact.Submitted || fact instanceof Fact.Refused;
    }

    static boolean ends(Fact fact) {
        return fact instanceof Fact.Refused
                || fact instanceof Fact.Ended
                || (fact instanceof Fact.Left left && left.next().isFinal());
    }

    private static List<PastJob> past(Map<Long, JobStory> all, Map<Long, JobStory> chosen, Hindsight hindsight) {
        long first = chosen.values().stream()
                .mapToLong(story -> story.submittedMillis)
                .min()
                .orElse(Long.MAX_VALUE);
        return all.entrySet().stream()
                .filter(e -> !chosen.containsKey(e.getKey()))
                .map(Map.Entry::getValue)
                .filter(story -> story.end != null && story.end != JobState.UNSATISFIABLE)
                .filter(story -> story.endMillis <= first)
                .sorted(Comparator.comparingLong(story -> story.endMillis))
                .map(story -> hindsight.past(story, Objects.requireNonNull(story.end)))
                .toList();
    }

    private static List<String> remarks(
            Chronicle chronicle, Map<Long, JobStory> stories, Map<Long, JobStory> chosen, Set<Long> measured) {
        List<String> remarks = new ArrayList<>(chronicle.remarks());
        long strangers = chronicle.lines().stream()
                .map(Happened::fact)
                .filter(fact -> fact instanceof Fact.Started && !stories.containsKey(fact.jobId()))
                .map(Fact::jobId)
                .distinct()
                .count();
        if (strangers > 0) {
            remarks.add(strangers + (strangers == 1 ? " job was" : " jobs were")
                    + " submitted before this history begins and left out: what stood in the way of others is missing");
        }
        int alive = chosen.size() - measured.size();
        if (alive > 0) {
            remarks.add(
                    alive + (alive == 1 ? " job has" : " jobs have")
                            + " not ended: taken to need as long again as they have run (or what was declared), and not measured");
        }
        return remarks;
    }

    /** The same jobs, of which only these are measured. */
    Episode measuring(Collection<Long> ids) {
        return with(workload, new LinkedHashSet<>(ids));
    }

    /** Only what happened up to the submission of the last of these, which alone are measured. */
    Episode upTo(Collection<Long> ids) {
        long last = workload.jobs().stream()
                .filter(job -> ids.contains(job.job().id()))
                .mapToLong(TrueJob::submitMillis)
                .max()
                .orElse(0);
        return with(
                new Workload(
                        workload.name(),
                        workload.jobs().stream()
                                .filter(job -> job.submitMillis() <= last)
                                .toList(),
                        workload.requests()),
                new LinkedHashSet<>(ids));
    }

    /** The second half of the jobs by themselves, for estimators that have seen the first half end: people repeat themselves. */
    public Episode secondHalf() {
        List<Long> ids = List.copyOf(measured);
        List<Long> later = ids.subList(ids.size() / 2, ids.size());
        Set<Long> known = new LinkedHashSet<>(ids.subList(0, ids.size() / 2));
        List<PastJob> seen = new ArrayList<>(past);
        List<TrueJob> jobs = new ArrayList<>();
        for (TrueJob job : workload.jobs()) {
            if (!known.contains(job.job().id())) {
                jobs.add(job);
            } else if (completed.contains(job.job().id())) {
                seen.add(PastJob.of(job.job(), JobState.COMPLETED, job.durationMillis()));
            }
        }
        Episode half = with(new Workload(workload.name(), jobs, workload.requests()), new LinkedHashSet<>(later));
        return new Episode(
                chronicle, originMillis, half.workload, real, half.measured, half.completed, counting, seen, remarks);
    }

    private Episode with(Workload jobs, Set<Long> counted) {
        Set<Long> done = new LinkedHashSet<>(completed);
        done.retainAll(counted);
        return new Episode(chronicle, originMillis, jobs, real, counted, done, counting, past, remarks);
    }
}
