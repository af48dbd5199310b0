package dev.fermata.live.conductor;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.model.Topology;
import dev.fermata.live.engine.Launch;
import dev.fermata.live.engine.LiveEngine;
import dev.fermata.live.engine.News;
import dev.fermata.live.spec.JobSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Stands before an engine and lets no order through: what it is told to start stays STARTING, what it is told to pause stays where it
 * is. Only a job that is cancelled is let go, so that people can take back what they submitted. The engine behind it is asked what
 * the cluster is, and is never opened.
 */
final class ShadowEngine implements LiveEngine {
    private final LiveEngine behind;
    private Consumer<News> inbox = news -> {};

    ShadowEngine(LiveEngine behind) {
        this.behind = behind;
    }

    @Override
    public String name() {
        return behind.name();
    }

    @Override
    public String identity() {
        return behind.identity();
    }

    @Override
    public String place() {
        return behind.place();
    }

    @Override
    public Topology topology() {
        return behind.topology();
    }

    @Override
    public List<String> remarks() {
        List<String> remarks = new ArrayList<>(behind.remarks());
        remarks.add("shadow: decisions are recorded, no job is started, paused or ended");
        return remarks;
    }

    @Override
    public @Nullable String refusal(JobSpec spec, String user) {
        return behind.refusal(spec, user);
    }

    @Override
    public @Nullable String refusesJobsOf(String user) {
        return behind.refusesJobsOf(user);
    }

    @Override
    public void open(List<Launch> believed, Consumer<News> told) {
        inbox = told;
    }

    @Override
    public void start(Launch launch) {}

    @Override
    public void pause(long jobId, int attempt, long graceMillis) {}

    @Override
    public void kill(long jobId, int attempt) {
        News.Exit exit = new News.Exit(null, 0, "nothing was started: this daemon is a shadow");
        inbox.accept(new News.Happened(new Event.Left(jobId, attempt, Outcome.CANCELLED, Usage.NOTHING), exit));
    }

    @Override
    public void limit(long jobId, int attempt, long limitMillis) {}

    @Override
    public void close() {
        behind.close();
    }
}
