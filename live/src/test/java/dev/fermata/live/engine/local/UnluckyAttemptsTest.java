package dev.fermata.live.engine.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Outcome;
import dev.fermata.live.engine.Launch;
import dev.fermata.live.engine.News;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Whatever goes wrong inside the engine, the end of every attempt is told. */
class UnluckyAttemptsTest extends OnStage {
    private static final String NO_PATH = "/tmp/no\0path";

    @Test
    void aWorkdirThatIsNoPathHereFailsTheJob() {
        Launch launch = stage.start(1, new SpecDraft("true").workdir(NO_PATH));

        Stage.End end = stage.end(launch);

        assertThat(end.outcome()).isEqualTo(Outcome.FAILED);
        assertThat(end.exit().detail()).startsWith("could not be started: ");
    }

    @Test
    void pathsThatCannotBeUsedAreRefused() {
        String user = System.getProperty("user.name");

        assertThat(stage.engine.refusal(new SpecDraft("x").workdir(NO_PATH).spec(), user))
                .startsWith("workdir (")
                .contains("cannot be used as a path here");
        assertThat(stage.engine.refusal(
                        new SpecDraft("x").checkpointDir(NO_PATH).spec(), user))
                .startsWith("checkpoint.dir (")
                .contains("cannot be used as a path here");
        assertThat(stage.engine.refusal(new SpecDraft("x").workdir("here").spec(), user))
                .isEqualTo("workdir (here) must be an absolute path");
        assertThat(stage.engine.refusal(
                        new SpecDraft("x").workdir("/tmp").checkpointDir("here").spec(), user))
                .isNull();
    }

    @Test
    void anEndThatNobodyCouldHearIsToldAgain() {
        AtomicInteger failures = new AtomicInteger(1);
        stage.engine.open(List.of(), news -> {
            boolean end = news instanceof News.Happened happened && happened.event() instanceof Event.Left;
            if (end && failures.getAndDecrement() > 0) {
                throw new IllegalStateException("not now");
            }
            stage.told.add(news);
        });

        assertThat(stage.end(stage.start(1, new SpecDraft("exit 3"))).exit().code())
                .isEqualTo(3);
    }

    @Test
    void anAttemptThatCannotBeFoundOutAboutIsAdoptedLater() throws IOException {
        Launch launch = stage.launch(1, 1, new SpecDraft("true"));
        Path job = stage.folder(launch).getParent();
        Files.writeString(job, "in the way");

        stage.reopen(launch);
        assertThat(stage.ends(launch)).isEmpty();
        Files.delete(job);

        assertThat(stage.end(launch).outcome()).isEqualTo(Outcome.LOST);
    }

    /** Rank 0 kills the watcher while it starts the other ranks. */
    @Test
    void ranksOfAWatcherThatDiedHalfwayAreEnded() {
        Launch launch = stage.launch(
                1,
                1,
                new SpecDraft("[ $RANK != 0 ] || { read pid start <" + data.resolve("runs/1/1/pid")
                                + "; kill -9 $pid; }; exec sleep 300")
                        .ranks(64));
        stage.engine.start(launch);

        Stage.End end = stage.end(launch);

        // Where rank 0 came late, the watcher had begun: then the job has ended its own watcher, which is a failure.
        assertThat(end.outcome()).isIn(Outcome.LOST, Outcome.FAILED);
        if (end.outcome() == Outcome.LOST) {
            assertThat(end.exit().detail()).startsWith("could not be started: its watcher could not begin");
        }
        assertThat(Proc.all()).noneMatch(proc -> {
            String id = proc.given(RunIds.VARIABLE);
            return id != null && Files.exists(data) && id.startsWith(prefix());
        });
    }

    private String prefix() {
        try {
            return RunIds.in(data).prefix();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
