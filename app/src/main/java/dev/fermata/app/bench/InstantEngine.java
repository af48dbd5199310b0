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
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Jobs end as soon as they start: the fastest way to a long history that was really lived through. */
final class InstantEngine implements LiveEngine {
    private final Topology topology;
    private @Nullable Consumer<News> inbox;

    InstantEngine(int gpus) {
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
        tell(new Event.Running(launch.jobId(), launch.attempt(), Pace.UNIT), null);
        tell(
                new Event.Left(launch.jobId(), launch.attempt(), Outcome.COMPLETED, Usage.NOTHING),
                new News.Exit(0, 0, ""));
    }

    private void tell(Event event, News.@Nullable Exit exit) {
        Consumer<News> listener = inbox;
        if (listener != null) {
            listener.accept(new News.Happened(event, exit));
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
    public void close() {}
}
