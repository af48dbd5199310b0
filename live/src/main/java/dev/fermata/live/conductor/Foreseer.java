package dev.fermata.live.conductor;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.LedgerImage;
import dev.fermata.live.conductor.Refusal.Kind;
import dev.fermata.live.foresee.ExpectedStart;
import dev.fermata.live.foresee.Foresight;
import dev.fermata.live.foresee.Sketch;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Knows when those who wait are expected to start. The conductor's thread only draws sketches; they are looked at on one thread
 * beside it, one after the other. An answer serves everybody who asks within a second, and for ten while nothing happens. What was
 * expected of a job is kept in the history once for each time it waits, and again when somebody is told later.
 */
final class Foreseer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Foreseer.class);
    private static final int WAITING = 16;
    private static final long IDLE_SECONDS = 10;
    private static final long SECOND = 1_000_000_000;
    private static final long FRESH_NANOS = SECOND;
    private static final long QUIET_NANOS = 10 * SECOND;
    /** After new jobs came, somebody else may come too: they are looked at together. */
    private static final long GATHER_NANOS = SECOND;

    private static final long LEAST_REST_NANOS = 5 * SECOND;
    /** Unasked, it takes no more than one part in so many of the cores. */
    private static final long REST_SHARE = 50;
    /** Of one job more is not kept, however often somebody asks. */
    private static final long KEEP_AGAIN_MILLIS = 60_000;

    private static final int MOST_KEPT_AT_ONCE = 2_000;

    private final Conductor conductor;
    private final Counter counter;
    private final Drawing drawing;
    private final @Nullable Foresight foresight;
    private final ThreadPoolExecutor thread;
    private final AtomicBoolean stirred = new AtomicBoolean();
    /** What was kept of whom, for those who still wait; of the one thread. */
    private final Map<Long, Kept> kept = new HashMap<>();

    private volatile @Nullable Look latest;
    private volatile long restedNanos = System.nanoTime();
    private @Nullable CompletableFuture<Look> underway;

    /** Everybody's expected start, seen at some moment. */
    private record Look(Map<Long, ExpectedStart> starts, long drawnNanos, long changes) {
        boolean serves(Set<Long> jobs, long changesNow) {
            long age = System.nanoTime() - drawnNanos;
            return starts.keySet().containsAll(jobs)
                    && (age < FRESH_NANOS || (age < QUIET_NANOS && changes == changesNow));
        }
    }

    private record Kept(int attempt, long asOfMillis) {}

    Foreseer(Conductor conductor, Counter counter, @Nullable Foresight foresight) {
        this.conductor = conductor;
        this.counter = counter;
        this.foresight = foresight;
        this.drawing = new Drawing(conductor);
        thread = new ThreadPoolExecutor(
                1, 1, IDLE_SECONDS, TimeUnit.SECONDS, new ArrayBlockingQueue<>(WAITING), task -> {
                    Thread made = new Thread(task, "fermata-foresight");
                    made.setDaemon(true);
                    return made;
                });
        thread.allowCoreThreadTimeOut(true);
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }

    /** On the one thread beside the conductor's; refused when too many wait already. */
    <T> CompletableFuture<T> aside(Supplier<T> work) {
        try {
            return CompletableFuture.supplyAsync(work, thread);
        } catch (RejectedExecutionException e) {
            return CompletableFuture.failedFuture(
                    new Refusal(Kind.BUSY, "too many others ask what would happen; try again in a moment"));
        }
    }

    /** When these jobs are expected to start; those that do not wait are missing. Empty where nobody can tell. */
    CompletableFuture<Map<Long, ExpectedStart>> starts(Set<Long> jobs) {
        if (foresight == null || jobs.isEmpty()) {
            return CompletableFuture.completedFuture(Map.of());
        }
        Look known = latest;
        if (known != null && known.serves(jobs, conductor.changes())) {
            return CompletableFuture.completedFuture(known.starts);
        }
        return look(jobs)
                .thenCompose(seen -> seen.starts.keySet().containsAll(jobs)
                        ? CompletableFuture.completedFuture(seen)
                        : look(jobs)) // it was drawn before they came
                .thenApply(Look::starts);
    }

    /** Whoever asks while somebody looks waits for what he sees. */
    private synchronized CompletableFuture<Look> look(Set<Long> asked) {
        CompletableFuture<Look> now = underway;
        if (now == null || now.isDone()) {
            now = counter.ask(() -> new Drawn(drawing.sketch(List.of()), System.nanoTime(), conductor.changes()))
                    .thenCompose(drawn -> aside(() -> look(drawn, asked)));
            underway = now;
        }
        return now;
    }

    private record Drawn(Sketch sketch, long nanos, long changes) {}

    private Look look(Drawn drawn, Set<Long> asked) {
        Map<Long, ExpectedStart> starts = foresee(drawn.sketch());
        for (LedgerImage.Page page : drawn.sketch().image().jobs()) {
            if (page.state() == JobState.PENDING && page.onHold()) {
                starts.put(
                        page.job().id(),
                        ExpectedStart.unknown(
                                drawn.sketch().nowMillis(), "it is on hold and starts some time after its release"));
            }
        }
        Look look = new Look(starts, drawn.nanos(), drawn.changes());
        latest = look;
        keep(drawn.sketch(), starts, asked);
        return look;
    }

    Map<Long, ExpectedStart> foresee(Sketch sketch) {
        long begin = System.nanoTime();
        try {
            return foresight == null ? new HashMap<>() : new HashMap<>(foresight.foresee(sketch));
        } catch (RuntimeException e) {
            LOG.warn(
                    "what comes of {} live jobs cannot be foreseen",
                    sketch.image().jobs().size(),
                    e);
            Map<Long, ExpectedStart> unknown = new HashMap<>();
            for (LedgerImage.Page page : sketch.image().jobs()) {
                unknown.put(
                        page.job().id(),
                        ExpectedStart.unknown(sketch.nowMillis(), "it cannot be foreseen: " + first(e).getMessage()));
            }
            return unknown;
        } finally {
            long end = System.nanoTime();
            restedNanos = end + Math.max(LEAST_REST_NANOS, REST_SHARE * (end - begin));
        }
    }

    /** What went wrong first: what was thrown on another thread comes wrapped. */
    private static Throwable first(Throwable thrown) {
        Throwable first = thrown;
        for (Throwable cause = first.getCause(); cause != null; cause = first.getCause()) {
            first = cause;
        }
        return first;
    }

    private void keep(Sketch sketch, Map<Long, ExpectedStart> starts, Set<Long> asked) {
        Map<Long, ExpectedStart> worthKeeping = new HashMap<>();
        Map<Long, Kept> still = new HashMap<>();
        for (LedgerImage.Page page : sketch.image().jobs()) {
            long id = page.job().id();
            ExpectedStart start = starts.get(id);
            if (page.state() != JobState.PENDING || start == null || start.p50Millis() < 0) {
                continue;
            }
            Kept before = kept.get(id);
            boolean known = before != null && before.attempt == page.attempt();
            boolean again =
                    before != null && asked.contains(id) && start.asOfMillis() - before.asOfMillis >= KEEP_AGAIN_MILLIS;
            if (before != null && known && !again) {
                still.put(id, before);
            } else if (worthKeeping.size() < MOST_KEPT_AT_ONCE) {
                worthKeeping.put(id, start);
                still.put(id, new Kept(page.attempt(), start.asOfMillis()));
            }
        }
        kept.clear();
        kept.putAll(still);
        if (!worthKeeping.isEmpty()) {
            conductor.inbox.offer(new Request.Foresaw(worthKeeping, new CompletableFuture<>()));
        }
    }

    /** Jobs came: if some of them must wait, it is said when they will start even if nobody asks. On the conductor's thread. */
    void stir() {
        if (foresight == null || thread.isShutdown() || !stirred.compareAndSet(false, true)) {
            return;
        }
        long delay = Math.max(GATHER_NANOS, restedNanos - System.nanoTime());
        CompletableFuture.delayedExecutor(delay, TimeUnit.NANOSECONDS, Runnable::run)
                .execute(this::round);
    }

    @SuppressWarnings("FutureReturnValueIgnored") // nobody waits for it
    private void round() {
        stirred.set(false);
        if (conductor.vitals.pulse().pendingJobs() > 0) {
            look(Set.of());
        }
    }
}
