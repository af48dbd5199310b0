package dev.fermata.live.attempt;

import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.GpuCatalogue;
import dev.fermata.core.model.Topology;
import dev.fermata.live.engine.EngineEvent;
import dev.fermata.live.engine.JobLogs;
import dev.fermata.live.engine.Launch;
import dev.fermata.live.loop.TestSpec;
import dev.fermata.live.spec.JobSpec;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An engine that runs nothing: a test says what it observes. Requests to exit are recorded. */
final class AttemptScene {
    static final Topology CLUSTER =
            Topology.builder().node(GpuCatalogue.byName("V100"), 4).build();

    final ManualClock clock = new ManualClock();
    final List<EngineEvent> events = new ArrayList<>();
    final List<String> orders = new ArrayList<>();
    private final Path folder;
    final AttemptRegistry registry;

    AttemptScene(Path folder) {
        this(folder, JobLogs.NONE);
    }

    AttemptScene(Path folder, JobLogs logs) {
        this.folder = folder;
        this.registry = registry(new AttemptRegistry.EngineSide(() -> CLUSTER, () -> false, logs, events::add));
    }

    AttemptRegistry registry(AttemptRegistry.EngineSide engine) {
        try {
            return new AttemptRegistry(clock, engine, ReportTokens.in(folder));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** An attempt on a machine of its own; it obeys at once. */
    final class Attempt implements AttemptControl {
        final AttemptAccounting accounting;
        private @Nullable TerminationRequest request;
        private boolean handlesSignal = true;

        Attempt(Launch launch) {
            accounting = registry.open(launch, reportFolder(launch), this);
        }

        Attempt ignoringTheSignal() {
            handlesSignal = false;
            return this;
        }

        @Override
        public @Nullable TerminationRequest terminationRequest() {
            return request;
        }

        @Override
        public void terminate(TerminationCause cause, long graceMillis) {
            orders.add(accounting + " " + cause + " " + graceMillis);
            request = new TerminationRequest(cause, clock.nowMillis(), clock.nowMillis() + graceMillis, handlesSignal);
        }

        void report(String line) {
            try {
                Files.writeString(
                        reportFolder(accounting.launch()).resolve("report"),
                        line + "\n",
                        StandardOpenOption.CREATE,
                        StandardOpenOption.APPEND);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        /** Its command and the rest of it are gone now. */
        void leave(@Nullable Integer code) {
            accounting.left(new AttemptEnd(
                    true,
                    new AttemptEnd.ExitRecord(code, true),
                    clock.nowMillis(),
                    clock.nowMillis(),
                    new AttemptEnd.ExitRequest(request, false),
                    AttemptEnd.MemoryKills.NONE,
                    "",
                    ""));
        }
    }

    Path reportFolder(Launch launch) {
        try {
            return Files.createDirectories(folder.resolve(launch.jobId() + "." + launch.attempt()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** One attempt, with what follows from its profile. */
    static Launch launch(long jobId, TestSpec spec, int gpu, int reservedMib, long maxLoadMillis) {
        return new Launch(
                jobId,
                1,
                -1,
                "ada",
                spec.spec(),
                Allocation.of(CLUSTER, new int[] {gpu}, reservedMib > 0),
                Launch.PriorWork.NONE,
                new Launch.LearnedLimits(reservedMib, maxLoadMillis, List.of()));
    }

    /** A job of one GPU that is ended after this run time. */
    static TestSpec limited(long limitMillis) {
        JobSpec spec = TestSpec.gpus(1).spec();
        return new TestSpec(new JobSpec(
                spec.labels(),
                spec.resources(),
                new JobSpec.SchedulingSpec(0, limitMillis, 0, false, JobSpec.LocalitySpec.DEFAULT),
                spec.preempt(),
                spec.checkpoint(),
                spec.dependencies(),
                spec.array(),
                spec.command()));
    }

    <T extends EngineEvent> List<T> events(Class<T> type) {
        return events.stream().filter(type::isInstance).map(type::cast).toList();
    }
}
