package dev.fermata.live.loop;

import dev.fermata.core.contract.Plan;
import dev.fermata.live.request.Actor;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Folds repeated refusals in the audit log. The first one is a row, and those like it within a minute are one row with their number.
 * So a client cannot flood the log, and none of its attempts is missing.
 */
final class RefusalLog {
    static final long WINDOW_MILLIS = 60_000;
    private static final int MAX_KINDS = 1000;
    private static final String REFUSED = "refused";

    private record Kind(Actor actor, String action, String result) {}

    private static final class Repeats {
        final long sinceMillis;
        String lastTarget = "";
        long number;

        Repeats(long sinceMillis) {
            this.sinceMillis = sinceMillis;
        }
    }

    private final Map<Kind, Repeats> open = new LinkedHashMap<>();

    /** Whether this is to be written as a row of its own. */
    boolean accept(Actor actor, String action, String target, String result, long nowMillis) {
        if (!result.startsWith(REFUSED)) {
            return true;
        }
        Kind kind = new Kind(actor, action, result);
        Repeats repeats = open.get(kind);
        if (repeats == null && open.size() >= MAX_KINDS) {
            kind = new Kind(new Actor("", "", ""), "", REFUSED); // strangers from many addresses: together
            repeats = open.get(kind);
        }
        if (repeats == null) {
            open.put(kind, new Repeats(nowMillis));
            return true;
        }
        repeats.number++;
        repeats.lastTarget = target;
        return false;
    }

    /** Writes the rows of the kinds whose minute is over. */
    void flush(CycleOutput output) {
        Iterator<Map.Entry<Kind, Repeats>> kinds = open.entrySet().iterator();
        while (kinds.hasNext()) {
            Map.Entry<Kind, Repeats> next = kinds.next();
            Repeats repeats = next.getValue();
            if (repeats.sinceMillis + WINDOW_MILLIS > output.nowMillis) {
                return; // the others began later
            }
            kinds.remove();
            if (repeats.number > 0) {
                Kind kind = next.getKey();
                output.audit(
                        kind.actor,
                        kind.action,
                        repeats.lastTarget,
                        kind.result + " (" + repeats.number + " more within a minute, this target last)");
            }
        }
    }

    /** When the next minute is over. */
    long nextMillis() {
        return open.isEmpty() ? Plan.NEVER : open.values().iterator().next().sinceMillis + WINDOW_MILLIS;
    }
}
