package dev.fermata.live.engine.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Outcome;
import dev.fermata.live.engine.Launch;
import dev.fermata.live.engine.News;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Jobs of kinds whose scripts say when they have loaded are said to run from then on. */
class LoadingTest extends OnStage {
    private static final long MINUTE = 60_000;

    private Launch start(long loadsMillis, String script) {
        Launch launch = Stage.loading(loadsMillis, stage.launch(1, 1, new SpecDraft(script)));
        stage.engine.start(launch);
        return launch;
    }

    private List<String> events() {
        return stage.told.stream()
                .filter(News.Happened.class::isInstance)
                .map(news -> ((News.Happened) news).event().getClass().getSimpleName())
                .toList();
    }

    /** It has said hello; it says this, and goes on, once it may. */
    private Launch loads(String then) {
        Launch launch = start(
                MINUTE,
                "echo '{\"kind\":\"hello\"}' >>$FERMATA_REPORT; until [ -e " + go() + " ]; do sleep 0.01; done; echo '"
                        + then + "' >>$FERMATA_REPORT; sleep 60");
        awaitHello();
        return launch;
    }

    private Path go() {
        return data.resolve("go");
    }

    private void awaitHello() {
        Stage.until(() -> stage.told.stream().anyMatch(News.Progress.class::isInstance));
        assertThat(events()).isEmpty();
    }

    private void endsAfterItsWord(Launch launch) throws IOException {
        Files.createFile(go());
        stage.awaitRunning(launch);
        stage.engine.kill(1, 1);
        assertThat(stage.end(launch).outcome()).isEqualTo(Outcome.CANCELLED);
        assertThat(events()).containsExactly("Running", "Left");
    }

    @Test
    void itRunsWhenItsScriptHasLoaded() throws IOException {
        endsAfterItsWord(loads("{\"kind\":\"loaded\"}"));
    }

    @Test
    void oneThatHasChangedItsWaysRunsAfterAWhile() {
        Launch launch = start(1, "sleep 60");
        stage.awaitRunning(launch);
        stage.engine.kill(1, 1);
        assertThat(stage.end(launch).usage().usefulMillis()
                        + stage.end(launch).usage().lostMillis())
                .as("it was waited for")
                .isGreaterThan(2_000);
    }

    @Test
    void oneThatIsOverBeforeItSaidAnythingHasRun() {
        Launch launch = start(MINUTE, "exit 0");
        assertThat(stage.end(launch).outcome()).isEqualTo(Outcome.COMPLETED);
        assertThat(events()).containsExactly("Running", "Left");
    }

    /** A daemon that comes later finds it loading, and waits for its word too. */
    @Test
    void nobodyForgetsThatItLoads() throws IOException {
        Launch launch = loads("{\"kind\":\"step\",\"step\":1}");
        stage.reopen(launch);
        awaitHello();
        endsAfterItsWord(launch);
    }
}
