package dev.fermata.live.retention;

import dev.fermata.live.store.Store;
import dev.fermata.live.store.StoreException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Removes old jobs and audit rows from the store of a leading daemon, a few at a time. */
public final class HistoryRetention implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HistoryRetention.class);
    private static final long BUSY_SECONDS = 2;
    private static final long IDLE_SECONDS = 3600;

    /**
     * How long rows are kept.
     *
     * @param jobMillis of ended jobs, with their history
     * @param auditMillis of the audit log
     */
    public record RetentionSettings(long jobMillis, long auditMillis) {
        /** A mistake must not remove what was just recorded. */
        public static final long LEAST_MILLIS = TimeUnit.DAYS.toMillis(1);
        /** Two years. */
        public static final RetentionSettings DEFAULT =
                new RetentionSettings(TimeUnit.DAYS.toMillis(730), TimeUnit.DAYS.toMillis(730));

        public RetentionSettings {
            if (jobMillis < LEAST_MILLIS || auditMillis < LEAST_MILLIS) {
                throw new IllegalArgumentException("jobs and audit rows are kept for a day or longer");
            }
        }
    }

    private final Store store;
    private final AgeClock clock;
    private final RetentionSettings settings;
    private final BooleanSupplier leads;
    private final LongSupplier wallMillis;
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread worker = new Thread(task, "fermata-retention");
        worker.setDaemon(true);
        return worker;
    });

    HistoryRetention(
            Store store, AgeClock clock, RetentionSettings settings, BooleanSupplier leads, LongSupplier wallMillis) {
        this.store = store;
        this.clock = clock;
        this.settings = settings;
        this.leads = leads;
        this.wallMillis = wallMillis;
    }

    /** @param leads whether this daemon is the writer now */
    public static HistoryRetention start(Store store, Path data, RetentionSettings settings, BooleanSupplier leads)
            throws IOException {
        HistoryRetention retention = new HistoryRetention(
                store, AgeClock.in(data.resolve("history-clock")), settings, leads, System::currentTimeMillis);
        retention.scheduleNext(BUSY_SECONDS);
        return retention;
    }

    private void scheduleNext(long seconds) {
        if (!thread.isShutdown()) {
            var unused = thread.schedule(
                    () -> scheduleNext(clean() > 0 ? BUSY_SECONDS : IDLE_SECONDS), seconds, TimeUnit.SECONDS);
        }
    }

    /** Removes some; returns how many rows. */
    int clean() {
        if (!leads.getAsBoolean()) {
            return 0;
        }
        try {
            clock.look(wallMillis.getAsLong());
            int removed = store.removeOld(clock.before(settings.jobMillis()), clock.before(settings.auditMillis()));
            if (removed > 0) {
                LOG.info("retention: old jobs and audit rows removed: {}", removed);
            }
            return removed;
        } catch (IOException | StoreException e) {
            LOG.warn("retention: nothing removed: {}", e.getMessage());
            return 0;
        }
    }

    @Override
    public void close() {
        thread.shutdownNow();
        try {
            // It must not write into a folder that its owner thinks is left.
            thread.awaitTermination(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
