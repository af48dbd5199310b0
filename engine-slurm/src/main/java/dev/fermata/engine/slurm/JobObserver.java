package dev.fermata.engine.slurm;

import dev.fermata.history.ObservedJob;
import dev.fermata.history.ObservedJob.ObservedRequest;
import dev.fermata.history.ObservedJob.ObservedRun;
import dev.fermata.history.ObservedJob.Result;
import dev.fermata.live.engine.EngineEvent;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Reports Slurm's GPU jobs for shadow mode, from when only GPUs keep them from running. A task of an array whose tasks are
 * limited is reported when it starts: before, that limit is in its way.
 */
final class JobObserver {
    private final String ownMarker;
    private final Consumer<EngineEvent> events;
    /** As last reported. */
    private Map<String, ObservedJob> known = new LinkedHashMap<>();

    /** @param ownMarker begins the comments of jobs that are not others' */
    JobObserver(String ownMarker, Consumer<EngineEvent> events) {
        this.ownMarker = ownMarker;
        this.events = events;
    }

    void update(JobListing listing) {
        Map<String, ObservedJob> now = new LinkedHashMap<>();
        for (SlurmJob job : listing.byId().values()) {
            if (job.request().gpus() > 0 && !job.comment().startsWith(ownMarker)) {
                job.request().tasks().forEach(task -> observe(task, job, listing.beganMillis(), now));
            }
        }
        known.forEach((id, before) -> {
            if (!now.containsKey(id) && !before.hasEnded()) {
                ObservedRun run = before.run();
                report(before.withRun(new ObservedRun(
                        run.submittedMillis(),
                        run.startedMillis(),
                        listing.beganMillis(),
                        Result.UNKNOWN,
                        run.gpuIds())));
            }
        });
        known = now;
    }

    private void observe(String task, SlurmJob job, long nowMillis, Map<String, ObservedJob> now) {
        boolean started = job.phase() != SlurmJob.Phase.WAITING && job.isPlaced();
        boolean ended = job.phase() == SlurmJob.Phase.ENDED;
        ObservedJob before = known.get(task);
        long eligible = job.isThrottled()
                ? (started ? job.startMillis() : -1)
                : job.request().eligibleMillis();
        boolean isDue = eligible >= 0 && eligible <= nowMillis;
        if (before == null && !isDue) {
            return;
        }
        SlurmRequest request = job.request();
        List<String> gpus = new ArrayList<>();
        job.shares().forEach((host, share) -> share.gpus().forEach(gpu -> gpus.add(SlurmCluster.gpuId(host, gpu))));
        ObservedRun run = new ObservedRun(
                before == null ? eligible : before.run().submittedMillis(),
                started ? job.startMillis() : -1,
                ended ? job.endMillis() : -1,
                ended ? result(job.state()) : Result.NONE,
                gpus.isEmpty() && before != null ? before.run().gpuIds() : gpus);
        ObservedJob seen = new ObservedJob(
                task,
                job.user(),
                request.name(),
                new ObservedRequest(
                        request.gpus(),
                        request.gpuType().isEmpty()
                                ? ""
                                : SlurmCluster.typeOf(request.gpuType()).name(),
                        request.cpus() * 1000 / request.gpus(),
                        request.memoryMib() / request.gpus(),
                        request.limitMillis(),
                        request.requeues()),
                run);
        now.put(task, seen);
        if (!seen.equals(before)) {
            report(seen);
        }
    }

    private void report(ObservedJob job) {
        events.accept(new EngineEvent.JobObserved(job));
    }

    private static Result result(String state) {
        return switch (state) {
            case "COMPLETED" -> Result.COMPLETED;
            case "CANCELLED" -> Result.CANCELLED;
            case "TIMEOUT", "DEADLINE" -> Result.TIMEOUT;
            default -> Result.FAILED;
        };
    }
}
