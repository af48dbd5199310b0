package dev.fermata.app.bench;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.model.GpuCatalogue;
import dev.fermata.core.model.Pace;
import dev.fermata.core.model.Topology;
import dev.fermata.live.engine.Launch;
import dev.fermata.live.engine.LiveEngine;
import dev.fermata.live.engine.News;
import dev.fermata.live.learn.Measured;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Jobs end as soon as they start, or after a while: the fastest way to a long history that was really lived through. */
final class InstantEngine implements LiveEngine {
    private final Topology topology;
    private final long lastsMillis;
    private final ScheduledExecutorService ends = Executors.newSingleThreadScheduledExecutor();
    private volatile @Nullable Consumer<News> inbox;

    /** @param lastsMillis how long each job runs; 0 for no time at all */
    InstantEngine(int gpus, long lastsMillis) {
        this.lastsMillis = lastsMillis;
        topology = Topology.builder().node(GpuCatalogue.GENERIC, gpus).build();
    }

    @Override
    public String name() {
        return "instant";
    }

    @Override
    public Topology topology() {
        return topology;
    }

    @Override
    public void open(List<Launch> believed, Consumer<News> listener) {
        inbox = listener;
    }

    @Override
    public void start(Launch launch) {
        tell(new News.Happened(new Event.Running(launch.jobId(), launch.attempt(), Pace.UNIT), null));
        if (lastsMillis == 0) {
            end(launch);
        } else {
            var unused = ends.schedule(() -> end(launch), lastsMillis, TimeUnit.MILLISECONDS);
        }
    }

    private void end(Launch launch) {
        tell(new News.Happened(
                new Event.Left(launch.jobId(), launch.attempt(), Outcome.COMPLETED, Usage.NOTHING),
                new News.Exit(0, 0, ""),
                shown(launch.jobId())));
    }

    /** What a script with the helper would have shown: something to learn from every job. */
    private static Measured shown(long job) {
        long load = 2_000 + job % 700;
        return new Measured(300, 900, -1, load - 1_200, load, -1, -1, -1, 80_000, 900, 9_000, -1, -1, -1, 50, -1, 50);
    }

    private void tell(News news) {
        Consumer<News> listener = inbox;
        if (listener != null) {
            listener.accept(news);
        }
    }

    @Override
    public void pause(long jobId, int attempt, long graceMillis) {
        // it has left already
    }

    @Override
    public void kill(long jobId, int attempt) {
        // it has left already
    }

    @Override
    public void limit(long jobId, int attempt, long limitMillis) {
        // it has left already
    }

    @Override
    public void close() {
        ends.shutdownNow();
    }
}
