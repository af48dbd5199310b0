package dev.fermata.core.estimate;

import dev.fermata.core.contract.Estimator;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Outlook;
import dev.fermata.core.model.LongMap;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Learns how long jobs run from those that ran before: by user, name, model, queue, class and size, each judged by the more
 * general where it was seen too rarely ({@link Forecast}). Of a job that has run for a while it is asked how those went on who
 * ran as long. It hears only of what happened, so it cannot know what will.
 *
 * <p>The same jobs in the same order give the same answers. An answer costs O(steps · kinds) when a job has grown older by a
 * step or everybody is judged anew, which happens when the number of ended jobs has grown by a quarter; else it is remembered.
 */
public final class History implements Estimator {
    private static final double HALF = 0.5;
    /** Nobody is expected to end within less than this share of what he has done. */
    private static final long LEAST_SHARE = 16;

    private final Kinds kinds = new Kinds();
    private final LongMap<Notes> live = new LongMap<>();
    private long ended;
    private long nextVersionAt = 1;
    private long version;

    /** What is known of a live job. */
    private static final class Notes {
        final List<Survival> kinds;
        /** The step of age it was last seen in; all before are counted. */
        int counted;

        int step = -1;
        long version;
        double totalMillis;
        Outlook outlook = new Outlook(1, 1, 1);

        Notes(List<Survival> kinds) {
            this.kinds = kinds;
        }
    }

    @Override
    public long remainingMillis(JobView job, long nowMillis) {
        long done = job.doneWorkMillis(nowMillis);
        double total = judged(job, done).totalMillis;
        return Math.max(1, Math.max(done / LEAST_SHARE, Math.round(total) - done));
    }

    @Override
    public @Nullable Outlook outlook(JobView job, long nowMillis) {
        return judged(job, job.doneWorkMillis(nowMillis)).outlook;
    }

    @Override
    public long version() {
        return version;
    }

    @Override
    public void noted(JobView job, long nowMillis) {
        Notes notes = notes(job);
        int step = Ages.stepOf(job.doneWorkMillis(nowMillis));
        if (step > notes.counted) {
            for (Survival kind : notes.kinds) {
                kind.passed(notes.counted, step);
            }
            notes.counted = step;
        }
        if (!job.state().isFinal()) {
            return;
        }
        live.remove(job.id());
        if (job.state() == JobState.CANCELLED) {
            return; // how long it would have run nobody knows
        }
        for (Survival kind : notes.kinds) {
            kind.end(notes.counted);
        }
        ended++;
        if (ended >= nextVersionAt) {
            nextVersionAt = ended + 1 + ended / 4;
            version++;
        }
    }

    private Notes notes(JobView job) {
        Notes notes = live.get(job.id());
        if (notes == null) {
            notes = new Notes(kinds.of(job.job()));
            live.put(job.id(), notes);
        }
        return notes;
    }

    private Notes judged(JobView job, long doneMillis) {
        Notes notes = notes(job);
        int step = Ages.stepOf(doneMillis);
        if (step != notes.step || version != notes.version) {
            Forecast forecast = new Forecast(telling(notes.kinds));
            notes.step = step;
            notes.version = version;
            notes.totalMillis = forecast.quantileMillis(step, HALF);
            notes.outlook = new Outlook(
                    Math.max(1, Math.round(forecast.workPerEndMillis(step))),
                    Math.round(forecast.meanMillis(step)),
                    (long) Math.ceil(Ages.endMillis(step)));
        }
        return notes;
    }

    /** Without those that saw the same jobs as the one above them: they would only repeat it. */
    private static List<Survival> telling(List<Survival> kinds) {
        List<Survival> telling = new ArrayList<>(kinds.size());
        int before = -1;
        for (Survival kind : kinds) {
            if (kind.jobs() != before && kind.jobs() > 0) {
                telling.add(kind);
            }
            before = kind.jobs();
        }
        return telling;
    }
}
