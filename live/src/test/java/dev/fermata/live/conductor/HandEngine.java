package dev.fermata.live.conductor;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.model.Pace;
import dev.fermata.core.model.Topology;
import dev.fermata.live.engine.Launch;
import dev.fermata.live.engine.LiveEngine;
import dev.fermata.live.engine.News;
import dev.fermata.live.engine.Shortage;
import dev.fermata.live.learn.Measured;
import dev.fermata.live.spec.JobSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** An engine without processes: it remembers what it was told, and the test says what happens. */
final class HandEngine implements LiveEngine {
    private final Topology topology;
    private Consumer<News> inbox = news -> {};
    String identity = "hand";
    final List<String> orders = new ArrayList<>();
    final TreeMap<Long, Launch> on = new TreeMap<>();
    private final TreeMap<Long, News.Happened> unseen = new TreeMap<>();

    HandEngine(Topology topology) {
        this.topology = topology;
    }

    void running(long job) {
        inbox.accept(new News.Happened(new Event.Running(job, attempt(job), Pace.UNIT), null));
    }

    void report(long job, long at, long step, long total) {
        inbox.accept(new News.Progress(
                job, attempt(job), new News.Report(at, "step", step, total, "loss", 1.0 / (1 + step)), at));
    }

    void left(long job, Outcome outcome, @Nullable Integer code, String detail) {
        left(job, outcome, code, detail, Measured.NOTHING);
    }

    void left(long job, Outcome outcome, @Nullable Integer code, String detail, Measured measured) {
        Usage usage = new Usage(0, 0, 0, 0, 0, outcome == Outcome.PAUSED ? 1000 : 0);
        left(job, outcome, usage, new News.Exit(code, 0, detail), measured);
    }

    void left(long job, Outcome outcome, Usage usage, Measured measured) {
        left(job, outcome, usage, new News.Exit(0, 0, ""), measured);
    }

    private void left(long job, Outcome outcome, Usage usage, News.Exit exit, Measured measured) {
        int attempt = attempt(job);
        on.remove(job);
        inbox.accept(new News.Happened(new Event.Left(job, attempt, outcome, usage), exit, measured));
    }

    /** While no daemon was there; told when the next one opens. */
    void leftUnseen(long job, Outcome outcome, long endedMillis) {
        int attempt = attempt(job);
        on.remove(job);
        unseen.put(
                job,
                new News.Happened(
                        new Event.Left(job, attempt, outcome, Usage.NOTHING),
                        new News.Exit(outcome == Outcome.COMPLETED ? 0 : 1, 0, "", Shortage.NONE, endedMillis)));
    }

    /** It ends, and this is what it has shown and what it lacked. */
    void showed(long job, Outcome outcome, int peakMib, int busyPermille, Shortage shortage) {
        int attempt = attempt(job);
        on.remove(job);
        inbox.accept(new News.Happened(
                new Event.Left(job, attempt, outcome, Usage.NOTHING),
                new News.Exit(outcome == Outcome.COMPLETED ? 0 : 1, 0, "", shortage),
                Measured.NOTHING.withGpu(busyPermille, peakMib)));
    }

    void tell(News news) {
        inbox.accept(news);
    }

    void happened(Event event) {
        inbox.accept(new News.Happened(event, null));
    }

    private int attempt(long job) {
        return Objects.requireNonNull(on.get(job)).attempt();
    }

    @Override
    public String name() {
        return "hand";
    }

    @Override
    public String identity() {
        return identity;
    }

    @Override
    public Topology topology() {
        return topology;
    }

    @Override
    public @Nullable String refusal(JobSpec spec, String user) {
        return user.equals("stranger") ? "there is no account 'stranger' here" : null;
    }

    @Override
    public void open(List<Launch> believed, Consumer<News> told) {
        inbox = told;
        for (Launch launch : believed) {
            if (unseen.containsKey(launch.jobId())) {
                told.accept(Objects.requireNonNull(unseen.remove(launch.jobId())));
            } else if (!on.containsKey(launch.jobId())) {
                orders.add("missing " + launch.jobId() + "." + launch.attempt());
                told.accept(new News.Happened(
                        new Event.Left(launch.jobId(), launch.attempt(), Outcome.LOST, Usage.NOTHING),
                        new News.Exit(null, 0, "it never started")));
            }
        }
    }

    @Override
    public void start(Launch launch) {
        orders.add("start " + launch.jobId() + "." + launch.attempt() + " on " + launch.allocation());
        on.put(launch.jobId(), launch);
    }

    @Override
    public void pause(long jobId, int attempt, long graceMillis) {
        orders.add("pause " + jobId + "." + attempt);
    }

    @Override
    public void kill(long jobId, int attempt) {
        orders.add("kill " + jobId + "." + attempt);
    }

    @Override
    public void limit(long jobId, int attempt, long limitMillis) {
        orders.add("limit " + jobId + "." + attempt + " " + limitMillis);
    }

    @Override
    public void close() {}
}
