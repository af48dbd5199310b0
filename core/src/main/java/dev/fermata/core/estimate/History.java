package dev.fermata.core.estimate;

import dev.fermata.core.contract.Estimator;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Outlook;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.LongMap;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Learns how long jobs run from those that ran before: by user, name, model, queue, class and size, each judged by the more
 * general where it was seen too rarely ({@link Forecast}). Of a job that has run for a while it is asked how those went on who
 * ran as long; jobs that have hardly run are not told apart by it. It hears only of what happened, so it cannot know what will.
 *
 * <p>The same jobs in the same order give the same answers. What it says of a job changes when the job has grown older by a
 * step, and of all jobs when the number of ended ones has grown by a quarter; in between it is remembered. A new answer costs
 * O(steps), a new conclusion about a kind O(steps · kinds).
 */
public final class History implements Estimator {
    private static final double HALF = 0.5;
    /** Nobody is expected to end within less than this share of what he has done. */
    private static final long LEAST_SHARE = 16;
    /** Everybody is judged anew when the number of ended jobs has grown by this share. */
    private static final long GROWN = 4;

    private final Kinds kinds = new Kinds();
    private final Trust[] trust = new Trust[Kinds.DEPTH];
    private final LongMap<Notes> live = new LongMap<>();
    private long ended;
    private long nextVersionAt = 1;
    private long version;

    /** What is known of a live job. */
    private static final class Notes {
        final Lineage lineage;
        /** All steps of age before this one are counted. */
        int counted;

        /** The median of what jobs of this step need in all, as of that version. */
        double medianMillis;

        int medianStep = -1;
        long medianVersion;

        @Nullable
        Prospect prospect;

        long prospectVersion;
        int prospectNewUntil;

        Notes(Lineage lineage) {
            this.lineage = lineage;
        }
    }

    public History() {
        Arrays.setAll(trust, depth -> new Trust());
    }

    /** The name without what tells one run from the next: jobs of the same user with the same rest are runs of one thing. */
    public static String family(String name) {
        return Kinds.prefix(name);
    }

    /** Half of the jobs like this one that ran as long as it has need less. */
    @Override
    public long remainingMillis(JobView job, long nowMillis) {
        long done = job.doneWorkMillis(nowMillis);
        double total = medianMillis(notes(job), step(job, done));
        return Math.max(1, Math.max(done / LEAST_SHARE, Math.round(total) - done));
    }

    /**
     * With each of these chances, the smallest first, a job like this one, that ran as long as it has, still needs less. Whoever asks
     * changes no later answer.
     */
    public long[] quantilesMillis(JobView job, long nowMillis, double... chances) {
        long done = job.doneWorkMillis(nowMillis);
        double[] totals = notes(job).lineage.glimpse(version, trust).quantilesMillis(step(job, done), chances);
        long[] left = new long[totals.length];
        for (int i = 0; i < left.length; i++) {
            left[i] = Math.max(1, Math.max(done / LEAST_SHARE, Math.round(totals[i]) - done));
        }
        return left;
    }

    /** How many jobs of its class, size, queue and model have ended: what is said of it rests on them if there were any. */
    public int seen(JobView job) {
        return notes(job).lineage.jobs(Kinds.MODEL_DEPTH);
    }

    @Override
    public Outlook outlook(JobView job, long nowMillis) {
        return prospect(notes(job), step(job, job.doneWorkMillis(nowMillis)), newUntil(job));
    }

    @Override
    public long version(long nowMillis) {
        return version;
    }

    @Override
    public void noted(JobView job, long nowMillis) {
        Notes notes = notes(job);
        int step = Ages.stepOf(job.doneWorkMillis(nowMillis));
        int passed = step - Survival.REACH;
        if (passed > notes.counted) {
            notes.lineage.passed(notes.counted, passed);
            notes.counted = passed;
        }
        if (job.state().isFinal()) {
            live.remove(job.id());
            if (endedByItself(job.state())) {
                notes.lineage.end(step, trust);
                count();
            }
        }
    }

    /** Of jobs that left for any other reason nobody knows how long they would have run. */
    private static boolean endedByItself(JobState state) {
        return state == JobState.COMPLETED || state == JobState.FAILED;
    }

    private void count() {
        ended++;
        if (ended >= nextVersionAt) {
            nextVersionAt = ended + 1 + ended / GROWN;
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

    /** The age in which a job is judged. Work that was lost must be done again, but the job is known not to end in it. */
    private static int step(JobView job, long doneMillis) {
        int step = Ages.stepOf(Math.max(job.mostWorkMillis(), doneMillis));
        return step < newUntil(job) ? 0 : step;
    }

    /**
     * Until this step a job is as good as new: to have run for less than its own pause and load would take is no reason to
     * make way for somebody who has not run at all.
     */
    private static int newUntil(JobView job) {
        Costs costs = job.job().costs();
        return Ages.stepOf(costs.pauseMillis() + costs.reloadMillis());
    }

    private double medianMillis(Notes notes, int step) {
        if (step != notes.medianStep || version != notes.medianVersion) {
            notes.medianMillis = notes.lineage.forecast(version, trust).quantileMillis(step, HALF);
            notes.medianStep = step;
            notes.medianVersion = version;
        }
        return notes.medianMillis;
    }

    private Prospect prospect(Notes notes, int step, int newUntil) {
        Prospect known = notes.prospect;
        if (known == null
                || step < known.step()
                || step > known.lastStep()
                || version != notes.prospectVersion
                || newUntil != notes.prospectNewUntil) {
            known = notes.lineage.forecast(version, trust).prospect(step).atLeastTo(step == 0 ? newUntil - 1 : step);
            notes.prospect = known;
            notes.prospectVersion = version;
            notes.prospectNewUntil = newUntil;
        }
        return known;
    }
}
