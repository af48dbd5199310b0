package dev.fermata.live.loop;

import dev.fermata.history.ObservedJob;
import dev.fermata.history.ObservedJob.ObservedRequest;
import dev.fermata.history.ObservedJob.ObservedRun;
import dev.fermata.history.ObservedJob.Result;
import dev.fermata.live.engine.EngineEvent;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Another scheduler on the cluster of a fixture: the test says what it does, and the engine sees it. */
final class OtherScheduler {
    private final LoopFixture fixture;
    final Map<String, ObservedJob> jobs = new LinkedHashMap<>();

    OtherScheduler(LoopFixture fixture) {
        this.fixture = fixture;
        fixture.engine.observable = jobs.values();
    }

    void submit(String id, int gpus) {
        submit(id, new ObservedRequest(gpus, "", 0, 0, 0, true));
    }

    void submit(String id, ObservedRequest request) {
        change(new ObservedJob(
                id, "ann", "train", request, new ObservedRun(fixture.now, -1, -1, Result.NONE, List.of())));
    }

    void start(String id) {
        ObservedJob job = Objects.requireNonNull(jobs.get(id));
        change(job.withRun(new ObservedRun(job.run().submittedMillis(), fixture.now, -1, Result.NONE, List.of())));
    }

    void end(String id, Result result) {
        ObservedRun run = Objects.requireNonNull(jobs.get(id)).run();
        change(Objects.requireNonNull(jobs.get(id))
                .withRun(new ObservedRun(run.submittedMillis(), run.startedMillis(), fixture.now, result, List.of())));
    }

    private void change(ObservedJob job) {
        jobs.put(job.id(), job);
        fixture.engine.send(new EngineEvent.JobObserved(job));
    }
}
