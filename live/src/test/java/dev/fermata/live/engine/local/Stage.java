package dev.fermata.live.engine.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.model.Allocation;
import dev.fermata.live.engine.Launch;
import dev.fermata.live.engine.News;
import dev.fermata.live.learn.Measured;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import org.awaitility.core.ConditionTimeoutException;

/** A local engine on a folder of its own, and everything it told. Whatever it started is ended with it. */
final class Stage implements AutoCloseable {
    static final Duration PATIENCE = Duration.ofSeconds(30);

    final Path data;
    final List<News> told = new CopyOnWriteArrayList<>();
    private final UnaryOperator<LocalSettings> settings;
    LocalEngine engine;

    Stage(Path data) {
        this(data, settings -> settings);
    }

    Stage(Path data, UnaryOperator<LocalSettings> settings) {
        this.data = data;
        this.settings = settings;
        this.engine = make();
        engine.open(List.of(), told::add);
    }

    private LocalEngine make() {
        return LocalEngine.of(
                settings.apply(LocalSettings.in(data).gpus("virtual:8").killGraceMillis(300)));
    }

    /** As after a crash: the engine forgets everything, and a new one opens with what the ledger believes. */
    Stage reopen(Launch... believed) {
        engine.close();
        told.clear();
        engine = make();
        engine.open(List.of(believed), told::add);
        return this;
    }

    Launch launch(long job, int attempt, SpecDraft draft) {
        return launch(job, attempt, draft, 0, 0);
    }

    Launch launch(long job, int attempt, SpecDraft draft, long saved, long ran) {
        var spec = draft.spec();
        int[] gpus = new int[spec.maxGpus()];
        for (int i = 0; i < gpus.length; i++) {
            gpus[i] = i;
        }
        return new Launch(
                job,
                attempt,
                attempt > 1,
                Allocation.of(engine.topology(), gpus, false),
                spec,
                System.getProperty("user.name"),
                saved,
                ran,
                spec.array().size() > 0 ? job : -1,
                0,
                0);
    }

    /** The same attempt for another user. */
    static Launch by(String user, Launch launch) {
        return like(launch, user, launch.loadsMillis());
    }

    /** The same attempt of a kind that says when it has loaded, which takes so long at most. */
    static Launch loading(long loadsMillis, Launch launch) {
        return like(launch, launch.user(), loadsMillis);
    }

    private static Launch like(Launch launch, String user, long loadsMillis) {
        return new Launch(
                launch.jobId(),
                launch.attempt(),
                launch.resumed(),
                launch.allocation(),
                launch.spec(),
                user,
                launch.savedWorkMillis(),
                launch.ranMillis(),
                launch.arrayId(),
                launch.promisedMib(),
                loadsMillis);
    }

    Launch start(long job, SpecDraft draft) {
        Launch launch = launch(job, 1, draft);
        engine.start(launch);
        return launch;
    }

    /** Starts and waits until it runs. */
    Launch run(long job, SpecDraft draft) {
        Launch launch = start(job, draft);
        awaitRunning(launch);
        return launch;
    }

    void awaitRunning(Launch launch) {
        until(() -> told.stream()
                .anyMatch(news -> news instanceof News.Happened happened
                        && happened.event() instanceof Event.Running running
                        && running.jobId() == launch.jobId()
                        && running.attempt() == launch.attempt()));
    }

    /** How it ended. */
    record End(Outcome outcome, Usage usage, News.Exit exit) {}

    End end(Launch launch) {
        try {
            until(() -> !ends(launch).isEmpty());
        } catch (ConditionTimeoutException e) {
            throw new AssertionError("told only " + told, e);
        }
        assertThat(ends(launch)).as("ends of %s", launch).hasSize(1);
        return ends(launch).get(0);
    }

    /** What it is seen to do to its GPUs. */
    GpuUse use(Launch launch) {
        return engine.attempt(launch.jobId(), launch.attempt()).use();
    }

    /** What it had shown when it ended. */
    Measured measured(Launch launch) {
        End unused = end(launch);
        return told.stream()
                .filter(news -> news instanceof News.Happened happened
                        && happened.event() instanceof Event.Left left
                        && left.jobId() == launch.jobId())
                .map(news -> ((News.Happened) news).measured())
                .findFirst()
                .orElseThrow();
    }

    List<End> ends(Launch launch) {
        return told.stream()
                .filter(news -> news instanceof News.Happened happened
                        && happened.event() instanceof Event.Left left
                        && left.jobId() == launch.jobId()
                        && left.attempt() == launch.attempt())
                .map(News.Happened.class::cast)
                .map(happened -> {
                    Event.Left left = (Event.Left) happened.event();
                    return new End(left.outcome(), left.usage(), Objects.requireNonNull(happened.exit()));
                })
                .toList();
    }

    Path folder(Launch launch) {
        return data.resolve("runs/" + launch.jobId() + "/" + launch.attempt());
    }

    Path work(Launch launch) {
        return data.resolve("runs/" + launch.jobId() + "/work");
    }

    String file(Path path) {
        try {
            return Files.exists(path) ? Files.readString(path) : "";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String stdout(Launch launch) {
        return file(folder(launch).resolve("stdout.0"));
    }

    void awaitFile(Path path) {
        until(() -> Files.exists(path) && Files.size(path) > 0);
    }

    static void until(Callable<Boolean> condition) {
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(5)).until(condition);
    }

    /** Processes that carry a mark of this stage's runs. */
    List<Proc> alive() {
        try {
            String prefix = RunIds.in(data).prefix();
            return Proc.all().stream()
                    .filter(proc -> {
                        String id = proc.given(RunIds.VARIABLE);
                        return id != null && id.startsWith(prefix);
                    })
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        engine.close();
        until(() -> {
            alive().forEach(Proc::kill);
            return alive().isEmpty();
        });
        engine.tidyGroups();
    }
}
