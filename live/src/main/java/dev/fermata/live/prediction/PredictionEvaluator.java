package dev.fermata.live.prediction;

import dev.fermata.history.HistoryEntry;
import dev.fermata.history.RecordJson;
import dev.fermata.live.store.HistoryQuery;
import dev.fermata.live.store.RowPage;
import dev.fermata.live.store.Store;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The accuracy of predicted starts, computed from the history alone. A prediction is evaluated when its time has come,
 * whether the job has started or not; counting only started jobs would favour early ones. A job that was held or ended
 * before its start is not counted, because user actions are not predicted.
 */
public final class PredictionEvaluator {
    private static final RecordJson JSON = new RecordJson();
    private static final String STARTED = "Started";
    /** Types of entries by which a user changes the course of a job. */
    private static final Set<String> USER_CHANGES = Set.of("JobEnded", "Held");

    /** Types of the entries that are read. */
    private static final Set<String> TYPES = Set.of(StartPredicted.TYPE, STARTED, "JobEnded", "Held");

    private static final int MAX_RECENT = 10_000;

    private record Prediction(long jobId, long recordedMillis, StartPredicted start) {}

    /** In the order of the history. */
    private final Deque<Prediction> predictions = new ArrayDeque<>();

    /** When one job started, and when a user changed its course. */
    private record JobTimes(NavigableSet<Long> starts, NavigableSet<Long> userChanges) {
        JobTimes() {
            this(new TreeSet<>(), new TreeSet<>());
        }
    }

    /** Of the jobs with predictions. */
    private final Map<Long, JobTimes> predictedJobs = new HashMap<>();

    /** The latest jobs without one: a prediction is recorded a moment after it was made. Most jobs never have one. */
    private final Map<Long, JobTimes> recent = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, JobTimes> eldest) {
            return size() > MAX_RECENT;
        }
    };

    /**
     * The result of an evaluation.
     *
     * @param dueP50 predictions whose p50 has passed
     * @param metP50 those of them whose job had started by then; ideally half
     * @param dueP90 predictions whose p90 has passed
     * @param metP90 those of them whose job had started by then; ideally nine out of ten
     * @param medianErrorMillis median distance between the start and its p50; -1 without starts
     * @param medianWaitMillis median time between the prediction and the start
     */
    public record PredictionEvaluation(
            int predictions,
            int dueP50,
            int metP50,
            int dueP90,
            int metP90,
            long medianErrorMillis,
            long medianWaitMillis) {}

    private long lastSeq;

    /** Reads the history entries since this time that it has not read yet. */
    public PredictionEvaluator read(Store.StoreReader reader, long sinceMillis) {
        RowPage<HistoryEntry> page;
        do {
            page = reader.history(new HistoryQuery(lastSeq, sinceMillis, -1, "", TYPES, RowPage.MAX_ROWS));
            for (HistoryEntry entry : page.rows()) {
                read(entry);
                lastSeq = entry.seq();
            }
        } while (page.more());
        return this;
    }

    /** Drops everything before this time. */
    public PredictionEvaluator forget(long beforeMillis) {
        while (!predictions.isEmpty() && predictions.getFirst().recordedMillis() < beforeMillis) {
            predictions.removeFirst();
        }
        predictedJobs
                .keySet()
                .retainAll(predictions.stream().map(Prediction::jobId).collect(Collectors.toSet()));
        for (JobTimes times : predictedJobs.values()) {
            times.starts.headSet(beforeMillis).clear();
            times.userChanges.headSet(beforeMillis).clear();
        }
        return this;
    }

    void read(HistoryEntry entry) {
        if (entry.type().equals(StartPredicted.TYPE)) {
            predictions.add(new Prediction(
                    entry.jobId(), entry.atMillis(), JSON.readStored(entry.body(), StartPredicted.class)));
            JobTimes known = recent.remove(entry.jobId());
            predictedJobs.putIfAbsent(entry.jobId(), known == null ? new JobTimes() : known);
        } else if (entry.type().equals(STARTED)) {
            timesOf(entry.jobId()).starts.add(entry.atMillis());
        } else if (USER_CHANGES.contains(entry.type())) {
            timesOf(entry.jobId()).userChanges.add(entry.atMillis());
        }
    }

    private JobTimes timesOf(long job) {
        JobTimes known = predictedJobs.get(job);
        return known != null ? known : recent.computeIfAbsent(job, id -> new JobTimes());
    }

    /** Jobs whose times are kept. */
    int knownJobs() {
        return predictedJobs.size() + recent.size();
    }

    public PredictionEvaluation evaluate(long nowMillis) {
        int dueP50 = 0;
        int metP50 = 0;
        int dueP90 = 0;
        int metP90 = 0;
        List<Long> errors = new ArrayList<>();
        List<Long> waits = new ArrayList<>();
        for (Prediction one : predictions) {
            StartPredicted predicted = one.start();
            JobTimes times = predictedJobs.getOrDefault(one.jobId(), new JobTimes());
            long start = firstAfter(times.starts, predicted.asOfMillis());
            if (firstAfter(times.userChanges, predicted.asOfMillis()) < start) {
                continue;
            }
            if (predicted.p50Millis() >= 0 && predicted.p50Millis() <= nowMillis) {
                dueP50++;
                metP50 += start <= predicted.p50Millis() ? 1 : 0;
            }
            if (predicted.p90Millis() >= 0 && predicted.p90Millis() <= nowMillis) {
                dueP90++;
                metP90 += start <= predicted.p90Millis() ? 1 : 0;
            }
            if (predicted.p50Millis() >= 0 && start != Long.MAX_VALUE) {
                errors.add(Math.abs(start - predicted.p50Millis()));
                waits.add(start - predicted.asOfMillis());
            }
        }
        return new PredictionEvaluation(
                predictions.size(), dueP50, metP50, dueP90, metP90, median(errors), median(waits));
    }

    /** The first time at or after {@code fromMillis}; {@link Long#MAX_VALUE} for none. */
    private static long firstAfter(NavigableSet<Long> times, long fromMillis) {
        Long found = times.ceiling(fromMillis);
        return found == null ? Long.MAX_VALUE : found;
    }

    private static long median(List<Long> values) {
        return values.isEmpty()
                ? -1
                : values.stream()
                        .sorted()
                        .skip((values.size() - 1) / 2)
                        .findFirst()
                        .orElse(-1L);
    }
}
