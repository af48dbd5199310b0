package dev.fermata.live.api;

import dev.fermata.live.request.Actor;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records refused changes and failed logins in the audit log and the daemon's log. The first is recorded at once; those like it
 * within a period become one record with their number. So no caller can flood either log, nor the scheduler loop's inbox, and
 * none of its attempts is missing.
 */
final class RefusalLog {
    static final Duration PERIOD = Duration.ofMinutes(1);
    static final int MAX_PER_PERIOD = 1000;
    private static final Logger LOG = LoggerFactory.getLogger(RefusalLog.class);

    /** Where they are kept. */
    interface AuditLog {
        void record(Actor actor, String action, String target, String result);
    }

    /** Refusals that are alike. */
    private record Refusal(Actor actor, String action, String result) {}

    /** Those of one period after the first. */
    private static final class Repetitions {
        private int count;
        private String lastTarget = "";
    }

    private final AuditLog audit;
    private final Map<Refusal, Repetitions> period = new LinkedHashMap<>();
    private int others;

    RefusalLog(AuditLog audit) {
        this.audit = audit;
    }

    void record(Actor actor, String action, String target, String result) {
        synchronized (this) {
            Repetitions known = period.get(new Refusal(actor, action, result));
            if (known != null) {
                known.count++;
                known.lastTarget = target;
                return;
            }
            if (period.size() >= MAX_PER_PERIOD) { // strangers from many addresses: together
                others++;
                return;
            }
            period.put(new Refusal(actor, action, result), new Repetitions());
        }
        write(actor, action, target, result);
    }

    /** Ends a period: records what was repeated in it. */
    void flush() {
        Map<Refusal, Repetitions> over;
        int more;
        synchronized (this) {
            over = new LinkedHashMap<>(period);
            period.clear();
            more = others;
            others = 0;
        }
        over.forEach((refusal, repetitions) -> {
            if (repetitions.count > 0) {
                write(
                        refusal.actor,
                        refusal.action,
                        repetitions.lastTarget,
                        refusal.result + " (" + repetitions.count + " more within a minute, this target last)");
            }
        });
        if (more > 0) {
            write(new Actor("", "", ""), "", "", "refused: " + more + " more, of too many callers to name");
        }
    }

    private void write(Actor actor, String action, String target, String result) {
        LOG.warn("{} of {} at {}: {} {}", action, actor.user(), actor.address(), target, result);
        audit.record(actor, action, target, result);
    }
}
