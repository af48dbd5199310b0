package dev.fermata.live.conductor;

import dev.fermata.live.engine.News;
import dev.fermata.live.learn.Measured;
import dev.fermata.live.spec.Mask;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * How far jobs are, as their scripts say: of those on GPUs the latest report and the speed of their steps, of those that wait the steps
 * they had saved when they last ran. Written by the engine's threads, read by everybody, never stored: a report that is lost
 * is told again by the next one, and what an attempt came to is part of what it showed.
 */
final class Reports implements ReportedTime {
    private record Notes(
            int attempt,
            Mask mask,
            News.@Nullable Report first,
            News.@Nullable Report last,
            StepSpeed speed,
            long judgedAtStep,
            long knownMillis,
            Stretches stretches) {}

    /** What an attempt does, as far as it says. */
    enum Activity {
        /** It has said nothing yet, and may never. */
        SILENT,
        LOADING,
        STEPPING,
        FINISHED
    }

    /** Whatever a script says, nothing takes longer: thirty years. */
    private static final double LONGEST_MILLIS = 1e12;

    private final ConcurrentHashMap<Long, Notes> notes = new ConcurrentHashMap<>();
    /** What jobs had left to run when they were last paused. */
    private final ConcurrentHashMap<Long, Long> waiting = new ConcurrentHashMap<>();

    private final AtomicLong version = new AtomicLong();

    /** From now on reports of this attempt are heard. */
    void begin(long job, int attempt, Mask mask) {
        notes.put(job, new Notes(attempt, mask, null, null, StepSpeed.UNKNOWN, 0, Progress.UNKNOWN, Stretches.NONE));
    }

    /** The attempt is gone. */
    void end(long job) {
        notes.remove(job);
    }

    /** What is known of a job that waits, from what its last attempt showed; one that left too soon to show anything changes nothing. */
    void waits(long job, Measured shown) {
        long left = shown.totalSteps() - Math.max(0, shown.savedStep());
        if (shown.totalSteps() > 0 && shown.iterationMicros() > 0 && left > 0) {
            waiting.put(job, Math.max(1, Math.round(left * (shown.iterationMicros() / 1000.0))));
        }
    }

    /** The job will never run again. */
    void forget(long job) {
        notes.remove(job);
        waiting.remove(job);
    }

    /** Answers whether it now says, for the first time in this attempt, how long it will take. */
    boolean hear(News.Progress news) {
        boolean[] told = new boolean[1];
        notes.computeIfPresent(news.jobId(), (job, before) -> {
            if (before.attempt != news.attempt()) {
                return before;
            }
            Notes after = after(before, news);
            told[0] = before.knownMillis < 0 && after.knownMillis >= 0;
            return after;
        });
        return told[0];
    }

    /** Estimates are taken anew when an attempt has come twice as far as when they were last taken. */
    private Notes after(Notes known, News.Progress news) {
        News.Report report = news.report();
        boolean counts = report.total() > 0 && report.step() > 0;
        News.Report first = known.first == null && counts ? report : known.first;
        News.Report before = known.last;
        boolean steps = before != null && counts && report.kind().equals("step") && before.step() > 0;
        StepSpeed speed = steps && before != null ? known.speed.after(before, report) : known.speed;
        boolean judge = first != null && counts && report.step() - first.step() >= 2 * known.judgedAtStep + 1;
        boolean tells = known.knownMillis < 0 && report.total() > 0 && speed.micros() > 0;
        if (judge || tells) {
            version.incrementAndGet();
        }
        return new Notes(
                known.attempt,
                known.mask,
                first,
                report,
                speed,
                judge && first != null ? report.step() - first.step() : known.judgedAtStep,
                tells ? news.heardMillis() : known.knownMillis,
                known.stretches.after(report));
    }

    /** From now on these kinds work beside an attempt; null when that is not sure. */
    void beside(long job, int attempt, @Nullable List<String> kinds, long nowMillis) {
        notes.computeIfPresent(
                job,
                (id, known) -> known.attempt != attempt
                        ? known
                        : new Notes(
                                known.attempt,
                                known.mask,
                                known.first,
                                known.last,
                                known.speed,
                                known.judgedAtStep,
                                known.knownMillis,
                                known.stretches.enter(kinds, nowMillis)));
    }

    /** What its steps took, by who worked beside it. */
    Stretches stretches(long job, int attempt) {
        Notes known = notes.get(job);
        return known == null || known.attempt != attempt ? Stretches.NONE : known.stretches;
    }

    Activity activity(long job, int attempt) {
        Notes known = notes.get(job);
        News.Report last = known == null || known.attempt != attempt ? null : known.last;
        if (last == null) {
            return Activity.SILENT;
        }
        if (last.kind().equals("finished")) {
            return Activity.FINISHED;
        }
        return last.step() > 0 && !last.kind().equals("loaded") ? Activity.STEPPING : Activity.LOADING;
    }

    @Override
    public long version(long nowMillis) {
        return version.get();
    }

    @Nullable
    Progress progress(long job) {
        Notes known = notes.get(job);
        News.Report last = known == null ? null : known.last;
        return known == null || last == null
                ? null
                : new Progress(
                        known.attempt,
                        last.atMillis(),
                        last.kind(),
                        last.step(),
                        last.total(),
                        known.mask.over(last.metricName()),
                        last.metric(),
                        known.knownMillis);
    }

    @Override
    public long remainingMillis(long job, int attempt, long nowMillis) {
        Notes known = notes.get(job);
        News.Report last = known == null ? null : known.last;
        if (known == null || last == null || known.attempt != attempt || last.total() <= 0) {
            return -1;
        }
        long micros = known.speed.micros();
        if (micros <= 0) {
            return -1;
        }
        double left = Math.min(LONGEST_MILLIS, Math.max(0, last.total() - last.step()) * (micros / 1000.0));
        return Math.max(1, Math.round(left) - Math.max(0, nowMillis - last.atMillis()));
    }

    @Override
    public long waitingMillis(long job) {
        return waiting.getOrDefault(job, -1L);
    }
}
