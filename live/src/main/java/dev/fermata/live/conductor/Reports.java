package dev.fermata.live.conductor;

import dev.fermata.live.engine.News;
import dev.fermata.live.spec.Mask;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * How far the attempts on GPUs are, as their scripts say: the first and the latest report of each. Written by the engine's threads,
 * read by everybody, never stored: a report that is lost is told again by the next one.
 */
final class Reports implements ReportedTime {
    private record Notes(
            int attempt, Mask mask, News.@Nullable Report first, News.@Nullable Report last, long judgedAtStep) {}

    private final ConcurrentHashMap<Long, Notes> notes = new ConcurrentHashMap<>();
    private final AtomicLong version = new AtomicLong();

    /** From now on reports of this attempt are heard. */
    void begin(long job, int attempt, Mask mask) {
        notes.put(job, new Notes(attempt, mask, null, null, 0));
    }

    void end(long job) {
        notes.remove(job);
    }

    void hear(News.Progress news) {
        notes.computeIfPresent(
                news.jobId(), (job, known) -> known.attempt == news.attempt() ? after(known, news.report()) : known);
    }

    /** Estimates are taken anew when an attempt has come twice as far as when they were last taken. */
    private Notes after(Notes known, News.Report report) {
        boolean counts = report.total() > 0 && report.step() > 0;
        News.Report first = known.first == null && counts ? report : known.first;
        boolean judge = first != null && counts && report.step() - first.step() >= 2 * known.judgedAtStep + 1;
        if (judge) {
            version.incrementAndGet();
        }
        return new Notes(
                known.attempt,
                known.mask,
                first,
                report,
                judge && first != null ? report.step() - first.step() : known.judgedAtStep);
    }

    @Override
    public long version() {
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
                        last.metric());
    }

    @Override
    public long remainingMillis(long job, int attempt, long nowMillis) {
        Notes known = notes.get(job);
        News.Report first = known == null ? null : known.first;
        News.Report last = known == null ? null : known.last;
        if (known == null || first == null || last == null || known.attempt != attempt || last.total() <= 0) {
            return -1;
        }
        long steps = last.step() - first.step();
        long spent = last.atMillis() - first.atMillis();
        if (steps <= 0 || spent <= 0) {
            return -1;
        }
        double left = (double) Math.max(0, last.total() - last.step()) * spent / steps;
        return Math.max(1, Math.round(left) - Math.max(0, nowMillis - last.atMillis()));
    }
}
