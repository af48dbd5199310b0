package dev.fermata.engine.local;

import dev.fermata.core.contract.Event;
import dev.fermata.core.model.Allocation;
import dev.fermata.live.engine.EngineContract;
import dev.fermata.live.engine.EngineEvent;
import dev.fermata.live.engine.EngineOrder;
import dev.fermata.live.engine.ExecutionEngine;
import dev.fermata.live.engine.ExpectedAttempts;
import dev.fermata.live.engine.JobSpecBuilder;
import dev.fermata.live.engine.Launch;
import dev.fermata.live.spec.JobSpec;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;

/** The contract for the local engine, with processes. */
class LocalEngineContractTest extends EngineContract {
    @TempDir
    private Path folder;

    @Override
    protected Bench newBench() {
        return new LocalBench(folder.resolve("data"), folder.resolve("begun"));
    }

    /** An engine on a folder of its own, with a fake nvidia-smi. */
    private static final class LocalBench implements Bench {
        private final Path data;
        /** One line for each time that a command begins. */
        private final Path begun;

        private final List<EngineEvent> events = new CopyOnWriteArrayList<>();
        private LocalEngine engine;

        LocalBench(Path data, Path begun) {
            this.data = data;
            this.begun = begun;
            restoreCluster();
            this.engine = newEngine();
        }

        private LocalEngine newEngine() {
            Path program = data.resolveSibling("nvidia-smi");
            return LocalEngine.create(LocalEngineSettings.forDataFolder(data)
                    .gpus("auto")
                    .sampling(new LocalEngineSettings.GpuSampling(program.toString(), 5, false))
                    .killGraceMillis(300));
        }

        @Override
        public void disturbCluster() {
            FakeNvidiaSmi.list(data.resolveSibling("nvidia-smi"), "GPU-0", "GPU-1", "GPU-2");
        }

        @Override
        public void restoreCluster() {
            FakeNvidiaSmi.list(data.resolveSibling("nvidia-smi"), "GPU-0", "GPU-1", "GPU-2", "GPU-3");
        }

        @Override
        public ExecutionEngine engine() {
            return engine;
        }

        @Override
        public Launch launch(long job, int attempt, Behaviour behaviour, int gpus) {
            if (behaviour == Behaviour.CANNOT_START) {
                blockFolderOf(job);
            }
            return new Launch(
                    job,
                    attempt,
                    -1,
                    System.getProperty("user.name"),
                    spec(behaviour, gpus),
                    Allocation.of(engine.topology(), IntStream.range(0, gpus).toArray(), false),
                    Launch.PriorWork.NONE,
                    Launch.LearnedLimits.NONE);
        }

        private JobSpec spec(Behaviour behaviour, int gpus) {
            String mark = "echo $FERMATA_JOB_ID.$FERMATA_ATTEMPT >>" + begun + "; ";
            return new JobSpecBuilder(
                            switch (behaviour) {
                                case SAVES -> "trap 'exit 0' TERM; " + mark + "while :; do sleep 0.02; done";
                                case IGNORES_SIGNALS -> "trap '' TERM; " + mark + "while :; do sleep 0.02; done";
                                case COMPLETES, CANNOT_START -> mark + "exit 0";
                                case FAILS -> mark + "exit 3";
                                case LOSES_RANK ->
                                    "if [ $RANK = 1 ]; then exit 3; fi; " + mark + "while :; do sleep 0.02; done";
                            })
                    .gpus(gpus)
                    .ranks(behaviour == Behaviour.LOSES_RANK ? gpus : 1)
                    .build();
        }

        /** A file where the job's folder must be. */
        private void blockFolderOf(long job) {
            try {
                Files.writeString(
                        Files.createDirectories(data.resolve("attempts")).resolve(Long.toString(job)), "");
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void restart() {
            engine.close();
            events.clear();
            engine = newEngine();
        }

        @Override
        public List<EngineEvent> events() {
            return events;
        }

        @Override
        public void open(ExpectedAttempts expected) {
            engine.open(engine.topology(), expected, events::add);
        }

        @Override
        public void await(BooleanSupplier condition) {
            LocalEngineFixture.awaitUntil(condition::getAsBoolean);
        }

        /** Until all work that is due now is done: an attempt that starts after it has its end reported. */
        @Override
        public void settle() {
            Launch marker = launch(900 + begunInAll(), 1, Behaviour.COMPLETES, 1);
            engine.submit(new EngineOrder.Start(marker));
            await(() -> events.stream()
                    .anyMatch(event -> event instanceof EngineEvent.StateChanged changed
                            && changed.event() instanceof Event.AttemptEnded ended
                            && ended.jobId() == marker.jobId()));
        }

        private int begunInAll() {
            return lines().size();
        }

        private List<String> lines() {
            try {
                return Files.exists(begun) ? Files.readAllLines(begun) : List.of();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public int begun(long job, int attempt) {
            return (int) lines().stream().filter((job + "." + attempt)::equals).count();
        }

        private boolean isDeleted() {
            try (Stream<Path> files = Files.walk(data)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.deleteIfExists(file);
                }
                return true;
            } catch (IOException | UncheckedIOException e) {
                return !Files.exists(data);
            }
        }

        @Override
        public void close() {
            engine.close();
            events.clear();
            LocalEngine last = newEngine(); // ends what is left
            last.open(last.topology(), ExpectedAttempts.NONE, event -> {
                if (event instanceof EngineEvent.Reachable) {
                    events.add(event);
                }
            });
            await(() -> events.contains(new EngineEvent.Reachable()));
            last.close();
            await(this::isDeleted); // the last cleaning may still be under way
        }
    }
}
