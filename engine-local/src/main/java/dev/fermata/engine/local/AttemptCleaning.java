package dev.fermata.engine.local;

import dev.fermata.live.retention.AgeClock;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/** Removes the logs of old attempts and empty control groups, at most once an hour. */
final class AttemptCleaning {
    private static final long INTERVAL_NANOS = TimeUnit.HOURS.toNanos(1);

    private final EngineServices services;
    private final AgeClock ageClock;
    private final LongSupplier nanos;
    private final AtomicLong cleanedNanos;

    AttemptCleaning(EngineServices services, LongSupplier nanos) throws IOException {
        this.services = services;
        this.ageClock = AgeClock.in(services.settings().data().resolve("age-clock"));
        this.nanos = nanos;
        this.cleanedNanos = new AtomicLong(nanos.getAsLong() - INTERVAL_NANOS);
    }

    boolean isDue() {
        return nanos.getAsLong() - cleanedNanos.get() > INTERVAL_NANOS;
    }

    /** @param alive whether an attempt still holds GPUs */
    void clean(Predicate<String> alive) throws IOException {
        cleanedNanos.set(nanos.getAsLong());
        LocalEngineSettings.RetentionLimits keep = services.settings().retention();
        ageClock.look();
        new LogRetention(services.attemptsFolder(), keep.attempts(), keep.bytes())
                .clean(alive, ageClock.before(TimeUnit.DAYS.toMillis(keep.days())));
    }
}
