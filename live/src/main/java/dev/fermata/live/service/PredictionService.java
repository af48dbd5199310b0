package dev.fermata.live.service;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.SchedulerSnapshot;
import dev.fermata.core.prediction.ClusterSnapshot;
import dev.fermata.live.loop.LoopListener;
import dev.fermata.live.loop.SchedulerLoop;
import dev.fermata.live.prediction.StartPrediction;
import dev.fermata.live.prediction.StartPredictor;
import dev.fermata.live.request.LoopRequest;
import dev.fermata.live.request.RequestRejectedException;
import dev.fermata.live.request.RequestRejectedException.Category;
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
 * Predicted starts of pending jobs. The scheduler loop's thread only builds snapshots; one background thread evaluates
 * them one after the other. A result is used for one second, or ten while the cluster does not change. The history keeps
 * one prediction of a job for each wait, and further ones that a client received.
 */
final class PredictionService implements LoopListener {
    private static final Logger LOG = LoggerFactory.getLogger(PredictionService.class);
    private static final int QUEUE_CAPACITY = 16;
    private static final long IDLE_SECONDS = 10;
    private static final long SECOND = 1_000_000_000;
    private static final long MAX_AGE_NANOS = SECOND;
    private static final long MAX_UNCHANGED_AGE_NANOS = 10 * SECOND;
    /** After an arrival it waits for this long, so that jobs that arrive together are predicted together. */
    private static final long BATCH_NANOS = SECOND;

    private static final long MIN_INTERVAL_NANOS = 5 * SECOND;
    /** Predictions without a request take at most one part in this many of the time. */
    private static final long IDLE_FACTOR = 50;
    /** Shortest time between two recorded predictions of one job. */
    private static final long RECORD_AGAIN_MILLIS = 60_000;

    private static final int MAX_RECORDED_AT_ONCE = 2_000;

    private final SchedulerLoop loop;
    private final DefaultSchedulerService service;
    private final ClusterSnapshotBuilder snapshotBuilder;
    private final @Nullable StartPredictor predictor;
    private final ThreadPoolExecutor thread;
    private final AtomicBoolean scheduled = new AtomicBoolean();
    /** The recorded predictions of pending jobs. Only the background thread uses it. */
    private final Map<Long, RecordedPrediction> recorded = new HashMap<>();

    private volatile @Nullable PredictionSet latest;
    private volatile long nextUnaskedNanos = System.nanoTime();
    private @Nullable CompletableFuture<PredictionSet> inFlight;

    /** The predicted starts of all pending jobs at one moment. */
    private record PredictionSet(Map<Long, StartPrediction> starts, long takenNanos, long changeSeq) {
        boolean answers(Set<Long> jobs, long changesNow) {
            long age = System.nanoTime() - takenNanos;
            return starts.keySet().containsAll(jobs)
                    && (age < MAX_AGE_NANOS || (age < MAX_UNCHANGED_AGE_NANOS && changeSeq == changesNow));
        }
    }

    private record RecordedPrediction(int attempt, long asOfMillis) {}

    PredictionService(SchedulerLoop loop, DefaultSchedulerService service, @Nullable StartPredictor predictor) {
        this.loop = loop;
        this.service = service;
        this.predictor = predictor;
        this.snapshotBuilder = new ClusterSnapshotBuilder(loop);
        thread = new ThreadPoolExecutor(
                1, 1, IDLE_SECONDS, TimeUnit.SECONDS, new ArrayBlockingQueue<>(QUEUE_CAPACITY), task -> {
                    Thread made = new Thread(task, "fermata-prediction");
                    made.setDaemon(true);
                    return made;
                });
        thread.allowCoreThreadTimeOut(true);
    }

    @Override
    public void closed() {
        thread.shutdownNow();
    }

    /** Runs work on the background thread; rejected when too much waits already. */
    <T> CompletableFuture<T> runInBackground(Supplier<T> work) {
        try {
            return CompletableFuture.supplyAsync(work, thread);
        } catch (RejectedExecutionException e) {
            return CompletableFuture.failedFuture(new RequestRejectedException(
                    Category.BUSY, "too many predictions wait already; try again in a moment"));
        }
    }

    /** The predicted starts of these jobs; jobs that are not pending are missing. Empty without a predictor. */
    CompletableFuture<Map<Long, StartPrediction>> predictedStarts(Set<Long> jobs) {
        if (predictor == null || jobs.isEmpty()) {
            return CompletableFuture.completedFuture(Map.of());
        }
        PredictionSet known = latest;
        if (known != null && known.answers(jobs, loop.status().changeSeq())) {
            return CompletableFuture.completedFuture(known.starts);
        }
        return predict(jobs)
                .thenCompose(seen -> seen.starts.keySet().containsAll(jobs)
                        ? CompletableFuture.completedFuture(seen)
                        : predict(jobs)) // the snapshot was older than the jobs
                .thenApply(PredictionSet::starts);
    }

    /** Starts a prediction, or joins the one in progress. */
    private synchronized CompletableFuture<PredictionSet> predict(Set<Long> asked) {
        CompletableFuture<PredictionSet> now = inFlight;
        if (now == null || now.isDone()) {
            now = service.query(() -> new TimedSnapshot(
                            snapshotBuilder.build(List.of()),
                            System.nanoTime(),
                            loop.status().changeSeq()))
                    .thenCompose(taken -> runInBackground(() -> predict(taken, asked)));
            inFlight = now;
        }
        return now;
    }

    private record TimedSnapshot(ClusterSnapshot snapshot, long takenNanos, long changeSeq) {}

    private PredictionSet predict(TimedSnapshot taken, Set<Long> asked) {
        Map<Long, StartPrediction> starts = runPredictor(taken.snapshot());
        for (SchedulerSnapshot.JobSnapshot jobSnapshot :
                taken.snapshot().scheduler().jobs()) {
            if (jobSnapshot.state() == JobState.PENDING && jobSnapshot.onHold()) {
                starts.put(
                        jobSnapshot.job().id(),
                        StartPrediction.unknown(
                                taken.snapshot().nowMillis(), "it is on hold and starts some time after its release"));
            }
        }
        PredictionSet predictionSet = new PredictionSet(starts, taken.takenNanos(), taken.changeSeq());
        latest = predictionSet;
        recordPredictions(taken.snapshot(), starts, asked);
        return predictionSet;
    }

    Map<Long, StartPrediction> runPredictor(ClusterSnapshot snapshot) {
        long begin = System.nanoTime();
        try {
            return predictor == null ? new HashMap<>() : new HashMap<>(predictor.predict(snapshot));
        } catch (RuntimeException e) {
            LOG.warn(
                    "start prediction failed; live jobs: {}",
                    snapshot.scheduler().jobs().size(),
                    e);
            Map<Long, StartPrediction> unknown = new HashMap<>();
            for (SchedulerSnapshot.JobSnapshot jobSnapshot :
                    snapshot.scheduler().jobs()) {
                unknown.put(
                        jobSnapshot.job().id(),
                        StartPrediction.unknown(
                                snapshot.nowMillis(),
                                "its start cannot be predicted: " + rootCause(e).getMessage()));
            }
            return unknown;
        } finally {
            long end = System.nanoTime();
            nextUnaskedNanos = end + Math.max(MIN_INTERVAL_NANOS, IDLE_FACTOR * (end - begin));
        }
    }

    /** The innermost cause; exceptions of other threads are wrapped. */
    private static Throwable rootCause(Throwable thrown) {
        Throwable first = thrown;
        for (Throwable cause = first.getCause(); cause != null; cause = first.getCause()) {
            first = cause;
        }
        return first;
    }

    private void recordPredictions(ClusterSnapshot snapshot, Map<Long, StartPrediction> starts, Set<Long> asked) {
        Map<Long, StartPrediction> worthKeeping = new HashMap<>();
        Map<Long, RecordedPrediction> still = new HashMap<>();
        for (SchedulerSnapshot.JobSnapshot jobSnapshot : snapshot.scheduler().jobs()) {
            long id = jobSnapshot.job().id();
            StartPrediction start = starts.get(id);
            if (jobSnapshot.state() != JobState.PENDING || start == null || start.p50Millis() < 0) {
                continue;
            }
            RecordedPrediction before = recorded.get(id);
            boolean known = before != null && before.attempt == jobSnapshot.attempt();
            boolean again = before != null
                    && asked.contains(id)
                    && start.asOfMillis() - before.asOfMillis >= RECORD_AGAIN_MILLIS;
            if (before != null && known && !again) {
                still.put(id, before);
            } else if (worthKeeping.size() < MAX_RECORDED_AT_ONCE) {
                worthKeeping.put(id, start);
                still.put(id, new RecordedPrediction(jobSnapshot.attempt(), start.asOfMillis()));
            }
        }
        recorded.clear();
        recorded.putAll(still);
        if (!worthKeeping.isEmpty()) {
            loop.inbox.offer(new LoopRequest.RecordPredictions(worthKeeping, new CompletableFuture<>()));
        }
    }

    /** Predicts the starts of new jobs without a request, so that the history has a prediction for each of them. */
    @Override
    public void jobsArrived() {
        if (predictor == null || thread.isShutdown() || !scheduled.compareAndSet(false, true)) {
            return;
        }
        long delay = Math.max(BATCH_NANOS, nextUnaskedNanos - System.nanoTime());
        CompletableFuture.delayedExecutor(delay, TimeUnit.NANOSECONDS, Runnable::run)
                .execute(this::predictUnasked);
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the result is only recorded
    private void predictUnasked() {
        scheduled.set(false);
        if (loop.health.status().pendingJobs() > 0) {
            predict(Set.of());
        }
    }
}
