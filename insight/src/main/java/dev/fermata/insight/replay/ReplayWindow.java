package dev.fermata.insight.replay;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.estimate.PastJob;
import dev.fermata.sim.workload.SimulatedJob;
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
 * A part of a history, ready for replay: its jobs with their ground truth, the user requests, and what happened live.
 *
 * @param originMillis the moment that is 0 in the simulation: the first submission
 * @param recorded the records of the measured jobs, in simulated time
 * @param measured the jobs that ended live; the others take part, but their end is unknown
 * @param completed those of them that completed
 * @param stepReporting the jobs whose scripts count their steps, and how they report them
 * @param past jobs that ended before it begins, in the order of their ends
 */
public record ReplayWindow(
        RecordedHistory history,
        long originMillis,
        Workload workload,
        List<RecordedEntry> recorded,
        Set<Long> measured,
        Set<Long> completed,
        Map<Long, StepReporting> stepReporting,
        List<PastJob> past,
        List<String> remarks) {

    /**
     * The jobs submitted from one moment to another. The window begins when the cluster was last idle before, so that
     * all competing jobs are in it.
     */
    public static ReplayWindow of(RecordedHistory history, long sinceMillis, long untilMillis) {
        List<RecordedEntry> entries = history.entries();
        Map<Long, JobTimeline> timelines = JobTimeline.ofAll(entries);
        int begin = lastIdleIndex(entries, timelines.keySet(), sinceMillis);
        Map<Long, JobTimeline> chosen = new LinkedHashMap<>();
        for (RecordedEntry entry : entries.subList(begin, entries.size())) {
            JobTimeline timeline = timelines.get(entry.record().jobId());
            if (timeline != null && isSubmission(entry.record()) && entry.atMillis() <= untilMillis) {
                chosen.put(entry.record().jobId(), timeline);
            }
        }
        long origin = chosen.values().stream()
                .mapToLong(timeline -> timeline.submittedMillis)
                .min()
                .orElse(0);
        GroundTruth groundTruth =
                new GroundTruth(timelines.values(), history.cluster().topology(), origin, history.endMillis());
        List<SimulatedJob> jobs = new ArrayList<>();
        Set<Long> measured = new LinkedHashSet<>();
        Set<Long> completed = new LinkedHashSet<>();
        Map<Long, StepReporting> stepReporting = new HashMap<>();
        chosen.forEach((id, timeline) -> {
            jobs.add(groundTruth.trueJob(timeline));
            if (timeline.end != null) {
                measured.add(id);
            }
            if (timeline.end == JobState.COMPLETED) {
                completed.add(id);
            }
            if (timeline.reportsSteps) {
                stepReporting.put(id, timeline.stepReporting());
            }
        });
        List<Workload.TimedRequest> requests = new ArrayList<>(new InitialState(entries.subList(0, begin)).requests());
        List<RecordedEntry> real = new ArrayList<>();
        for (RecordedEntry entry : entries.subList(begin, entries.size())) {
            long id = entry.record().jobId();
            JobTimeline timeline = chosen.get(id);
            if (timeline != null || (id < 0 && entry.atMillis() <= untilMillis)) {
                Event event = UserAction.event(entry, timeline);
                long at = Math.max(0, entry.atMillis() - origin);
                if (event != null) {
                    requests.add(new Workload.TimedRequest(at, event));
                }
                if (id < 0 || measured.contains(id)) {
                    real.add(entry.withTime(at));
                }
            }
        }
        return new ReplayWindow(
                history,
                origin,
                new Workload(history.name(), jobs, requests),
                List.copyOf(real),
                measured,
                completed,
                stepReporting,
                past(timelines, chosen, groundTruth),
                remarks(history, timelines, chosen, measured));
    }

    /** The last index before that time at which no job was live. */
    private static int lastIdleIndex(List<RecordedEntry> entries, Set<Long> known, long sinceMillis) {
        Set<Long> live = new HashSet<>();
        int empty = 0;
        for (int i = 0; i < entries.size() && entries.get(i).atMillis() < sinceMillis; i++) {
            HistoryRecord record = entries.get(i).record();
            if (record.type() == HistoryRecord.Type.SUBMITTED) {
                live.add(record.jobId());
            } else if (record.finalState() != null && known.contains(record.jobId())) {
                live.remove(record.jobId());
            }
            empty = live.isEmpty() ? i + 1 : empty;
        }
        return empty;
    }

    private static boolean isSubmission(HistoryRecord record) {
        return record instanceof HistoryRecord.Submitted || record instanceof HistoryRecord.JobRejected;
    }

    private static List<PastJob> past(
            Map<Long, JobTimeline> all, Map<Long, JobTimeline> chosen, GroundTruth groundTruth) {
        long first = chosen.values().stream()
                .mapToLong(timeline -> timeline.submittedMillis)
                .min()
                .orElse(Long.MAX_VALUE);
        return all.entrySet().stream()
                .filter(e -> !chosen.containsKey(e.getKey()))
                .map(Map.Entry::getValue)
                .filter(timeline -> timeline.end != null && timeline.end != JobState.UNSATISFIABLE)
                .filter(timeline -> timeline.endMillis <= first)
                .sorted(Comparator.comparingLong(timeline -> timeline.endMillis))
                .map(timeline -> groundTruth.pastJob(timeline, Objects.requireNonNull(timeline.end)))
                .toList();
    }

    private static List<String> remarks(
            RecordedHistory history,
            Map<Long, JobTimeline> timelines,
            Map<Long, JobTimeline> chosen,
            Set<Long> measured) {
        List<String> remarks = new ArrayList<>(history.remarks());
        long unknownJobs = history.entries().stream()
                .map(RecordedEntry::record)
                .filter(record -> record instanceof HistoryRecord.Started && !timelines.containsKey(record.jobId()))
                .map(HistoryRecord::jobId)
                .distinct()
                .count();
        if (unknownJobs > 0) {
            remarks.add(unknownJobs + (unknownJobs == 1 ? " job was" : " jobs were")
                    + " submitted before this history begins and left out: the effect on other jobs is missing");
        }
        int alive = chosen.size() - measured.size();
        if (alive > 0) {
            remarks.add(alive + (alive == 1 ? " job has" : " jobs have")
                    + " not ended: assumed to run as long again (or as declared), and not measured");
        }
        return remarks;
    }

    /** The same jobs; only these are measured. */
    ReplayWindow measuringOnly(Collection<Long> ids) {
        return with(workload, new LinkedHashSet<>(ids));
    }

    /** The window up to the submission of the last of these jobs, which alone are measured. */
    ReplayWindow until(Collection<Long> ids) {
        long last = workload.jobs().stream()
                .filter(job -> ids.contains(job.job().id()))
                .mapToLong(SimulatedJob::submitMillis)
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

    /**
     * The second half of the jobs, for estimators that have seen the first half end, since users run similar jobs
     * again.
     */
    public ReplayWindow secondHalf() {
        List<Long> ids = List.copyOf(measured);
        List<Long> later = ids.subList(ids.size() / 2, ids.size());
        Set<Long> known = new LinkedHashSet<>(ids.subList(0, ids.size() / 2));
        List<PastJob> seen = new ArrayList<>(past);
        List<SimulatedJob> jobs = new ArrayList<>();
        for (SimulatedJob job : workload.jobs()) {
            if (!known.contains(job.job().id())) {
                jobs.add(job);
            } else if (completed.contains(job.job().id())) {
                seen.add(PastJob.of(job.job(), JobState.COMPLETED, job.durationMillis()));
            }
        }
        ReplayWindow half = with(new Workload(workload.name(), jobs, workload.requests()), new LinkedHashSet<>(later));
        return new ReplayWindow(
                history,
                originMillis,
                half.workload,
                recorded,
                half.measured,
                half.completed,
                stepReporting,
                seen,
                remarks);
    }

    /** The same with other records of what happened. */
    ReplayWindow withRecorded(List<RecordedEntry> others) {
        return new ReplayWindow(
                history, originMillis, workload, others, measured, completed, stepReporting, past, remarks);
    }

    private ReplayWindow with(Workload jobs, Set<Long> counted) {
        Set<Long> done = new LinkedHashSet<>(completed);
        done.retainAll(counted);
        return new ReplayWindow(history, originMillis, jobs, recorded, counted, done, stepReporting, past, remarks);
    }
}
