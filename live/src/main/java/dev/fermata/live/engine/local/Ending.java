package dev.fermata.live.engine.local;

import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.model.Pace;
import dev.fermata.live.engine.Shortage;
import org.jspecify.annotations.Nullable;

/**
 * What an attempt's end means: a pure judgement over what is known about it.
 *
 * @param leave how it was asked to leave, null when nobody asked
 * @param killed whether it had to be ended by force
 * @param code what the shell says: the exit code, or 128 and the number of the signal; null when nobody knows
 * @param watched whether a daemon was there when it ended
 * @param reports what it said about itself
 * @param shortage what it ran out of, if that is why it failed
 */
record Ending(
        RunFolder.@Nullable Leave leave,
        boolean killed,
        @Nullable Integer code,
        boolean watched,
        Reports reports,
        Shortage shortage) {

    Ending(RunFolder.@Nullable Leave leave, boolean killed, @Nullable Integer code, boolean watched, Reports reports) {
        this(leave, killed, code, watched, reports, Shortage.NONE);
    }

    /** The same, now that its last words were read. */
    Ending dueTo(Shortage known) {
        return new Ending(leave, killed, code, watched, reports, known);
    }

    /** Signals come after this number in what a shell says. */
    private static final int SIGNALLED = 128;

    private static final int COULD_NOT_SAVE = 74;

    /**
     * What an attempt said about itself, as far as it matters here. Times are -1 when it did not say it.
     *
     * @param helloMillis it uses the helper: then it also says when it saves
     */
    record Reports(long helloMillis, long loadedMillis, long savedMillis, boolean finished) {
        static final Reports NONE = new Reports(-1, -1, -1, false);
    }

    int signal() {
        return code != null && code > SIGNALLED && code <= SIGNALLED + 64 ? code - SIGNALLED : 0;
    }

    Outcome outcome() {
        if (leave == null) {
            if (code == null) {
                // Its watcher was killed. With a daemon looking on that was the job's own doing; else nobody knows, and
                // it may try again.
                return watched ? Outcome.FAILED : Outcome.LOST;
            }
            if (code == 0) {
                return Outcome.COMPLETED;
            }
            return shortage == Shortage.NONE ? Outcome.FAILED : Outcome.OOM;
        }
        return switch (leave.why()) {
            case KILL -> Outcome.CANCELLED;
            case LIMIT -> Outcome.TIMEOUT;
            case MEMORY -> reports.finished() && !killed ? Outcome.COMPLETED : Outcome.OOM;
            case PAUSE -> paused(leave);
        };
    }

    private Outcome paused(RunFolder.Leave asked) {
        if (killed) {
            return Outcome.LOST;
        }
        boolean well = code != null && code == 0;
        if (well && (reports.finished() || !asked.caught())) {
            return Outcome.COMPLETED;
        }
        return asked.caught() && !couldNotSave() && !saidNothingOfSaving(asked) ? Outcome.PAUSED : Outcome.LOST;
    }

    /** The helper says so with a code of its own. */
    boolean couldNotSave() {
        return leave != null && code != null && code == COULD_NOT_SAVE;
    }

    /** A job that reports, failed, and did not report that it saved after it was asked to: it did not save. */
    private boolean saidNothingOfSaving(RunFolder.Leave asked) {
        boolean failed = code == null || code != 0;
        return reports.helloMillis() >= 0 && failed && reports.savedMillis() < asked.askedMillis();
    }

    /**
     * What it did with its time. {@code load + useful + lost + pause} is the time from the order until it was gone, always; where
     * nobody asked it to leave, until its command ended: that somebody noticed later is no pause.
     *
     * @param runEndMillis when its command ended, or {@code leftMillis} when that is not known
     * @param savedBefore work that earlier attempts saved
     * @param everyMillis it saves by itself this often, 0 for never
     */
    Usage usage(
            long orderedMillis,
            long runEndMillis,
            long leftMillis,
            long savedBefore,
            long everyMillis,
            long paceMicro) {
        long left = Math.max(orderedMillis, leftMillis);
        long ended = leave == null ? runEndMillis : Math.min(leave.askedMillis(), runEndMillis);
        ended = within(ended, orderedMillis, left);
        long gone = leave == null ? ended : left;
        long loaded = reports.loadedMillis() >= 0
                ? reports.loadedMillis()
                : reports.helloMillis() >= 0 ? ended : orderedMillis;
        loaded = within(loaded, orderedMillis, ended);
        long kept = keptUntil(loaded, ended, everyMillis);
        long useful = kept - loaded;
        return new Usage(
                loaded - orderedMillis,
                useful,
                ended - kept,
                gone - ended,
                0,
                savedBefore + useful * paceMicro / Pace.UNIT);
    }

    private static long within(long value, long low, long high) {
        return Math.max(low, Math.min(value, high));
    }

    /** Up to when the work it did is kept. */
    private long keptUntil(long loaded, long ended, long everyMillis) {
        Outcome outcome = outcome();
        if (outcome == Outcome.COMPLETED) {
            return ended;
        }
        boolean savedWhenAsked = leave != null && reports.savedMillis() >= leave.askedMillis();
        if (outcome == Outcome.PAUSED && (reports.helloMillis() < 0 || savedWhenAsked || (code != null && code == 0))) {
            return ended;
        }
        if (reports.savedMillis() >= 0) {
            return within(reports.savedMillis(), loaded, ended);
        }
        return everyMillis > 0 ? loaded + (ended - loaded) / everyMillis * everyMillis : loaded;
    }
}
