package dev.fermata.live.api;

import dev.fermata.live.request.Actor;
import dev.fermata.live.service.SchedulerService;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records refused changes and failed logins in the audit log and the daemon's log. Repetitions within a period become one
 * record with their number, so that no caller can flood either log.
 */
final class RefusalLog {
    private static final Logger LOG = LoggerFactory.getLogger(RefusalLog.class);
    private static final Duration PERIOD = Duration.ofSeconds(10);
    private static final int MAX_PER_PERIOD = 1000;

    /** Refusals that are alike. */
    private record Refusal(Actor actor, String action, String result) {}

    /** Those of one period after the first, which is recorded at once. */
    private static final class Repetitions {
        private int count;
        private String lastTarget = "";
    }

    private final SchedulerService scheduler;
    private final Map<Refusal, Repetitions> period = new LinkedHashMap<>();
    private final Repetitions others = new Repetitions();

    RefusalLog(SchedulerService scheduler, ScheduledExecutorService timer) {
        this.scheduler = scheduler;
        var unused =
                timer.scheduleWithFixedDelay(this::flush, PERIOD.toMillis(), PERIOD.toMillis(), TimeUnit.MILLISECONDS);
    }

    void record(Actor actor, String action, String target, String result) {
        synchronized (this) {
            Repetitions known = period.get(new Refusal(actor, action, result));
            if (known == null && period.size() >= MAX_PER_PERIOD) {
                known = others;
            }
            if (known != null) {
                known.count++;
                known.lastTarget = target;
                return;
            }
            period.put(new Refusal(actor, action, result), new Repetitions());
        }
        write(actor, action, target, result);
    }

    private void flush() {
        Map<Refusal, Repetitions> over;
        int more;
        synchronized (this) {
            over = new LinkedHashMap<>(period);
            period.clear();
            more = others.count;
            others.count = 0;
        }
        over.forEach((refusal, repetitions) -> {
            if (repetitions.count > 0) {
                write(
                        refusal.actor,
                        refusal.action,
                        repetitions.lastTarget,
                        refusal.result + " (" + repetitions.count + " more within " + PERIOD.toSeconds() + " s)");
            }
        });
        if (more > 0) {
            write(new Actor("", "", ""), "refused", "", more + " other refusals");
        }
    }

    private void write(Actor actor, String action, String target, String result) {
        LOG.warn("{} of {} at {}: {} {}", action, actor.user(), actor.address(), target, result);
        scheduler.recordAudit(actor, action, target, result);
    }
}
