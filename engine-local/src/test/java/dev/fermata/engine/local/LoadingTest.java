package dev.fermata.engine.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Outcome;
import dev.fermata.live.engine.EngineEvent;
import dev.fermata.live.engine.EngineOrder;
import dev.fermata.live.engine.JobSpecBuilder;
import dev.fermata.live.engine.Launch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Jobs whose profile reports the end of the load count as running from then on. */
class LoadingTest extends LocalEngineTestBase {
    private static final long MINUTE = 60_000;

    private Launch start(long maxLoadMillis, String script) {
        Launch launch = LocalEngineFixture.withMaxLoad(maxLoadMillis, fixture.launch(1, 1, new JobSpecBuilder(script)));
        fixture.engine.submit(new EngineOrder.Start(launch));
        return launch;
    }

    private List<String> events() {
        return fixture.events.stream()
                .filter(EngineEvent.StateChanged.class::isInstance)
                .map(event ->
                        ((EngineEvent.StateChanged) event).event().getClass().getSimpleName())
                .toList();
    }

    /** It has reported hello; on release it reports this and goes on. */
    private Launch loadingJob(String then) {
        Launch launch = start(
                MINUTE,
                "echo '{\"type\":\"hello\"}' >>$FERMATA_REPORT; until [ -e " + goFile()
                        + " ]; do sleep 0.01; done; echo '" + then + "' >>$FERMATA_REPORT; sleep 60");
        awaitHello();
        return launch;
    }

    private Path goFile() {
        return data.resolve("go");
    }

    private void awaitHello() {
        LocalEngineFixture.awaitUntil(
                () -> fixture.events.stream().anyMatch(EngineEvent.ProgressReported.class::isInstance));
        assertThat(events()).isEmpty();
    }

    private void assertEndsAfterRelease(Launch launch) throws IOException {
        Files.createFile(goFile());
        fixture.awaitRunning(launch);
        fixture.kill(1, 1);
        assertThat(fixture.awaitEnd(launch).outcome()).isEqualTo(Outcome.CANCELLED);
        assertThat(events()).containsExactly("Running", "AttemptEnded");
    }

    @Test
    void attemptRunsWhenItsScriptHasLoaded() throws IOException {
        assertEndsAfterRelease(loadingJob("{\"type\":\"loaded\"}"));
    }

    @Test
    void attemptThatNeverReportsLoadedRunsAfterATimeout() {
        Launch launch = start(1, "sleep 60");
        fixture.awaitRunning(launch);
        fixture.kill(1, 1);
        assertThat(fixture.awaitEnd(launch).usage().usefulMillis()
                        + fixture.awaitEnd(launch).usage().lostMillis())
                .as("it was waited for")
                .isGreaterThan(2_000);
    }

    @Test
    void attemptThatEndsBeforeAnyReportHasRun() {
        Launch launch = start(MINUTE, "exit 0");
        assertThat(fixture.awaitEnd(launch).outcome()).isEqualTo(Outcome.COMPLETED);
        assertThat(events()).containsExactly("Running", "AttemptEnded");
    }

    /** A later daemon finds it loading, and waits for its report too. */
    @Test
    void loadingStateSurvivesADaemonRestart() throws IOException {
        Launch launch = loadingJob("{\"type\":\"step\",\"step\":1}");
        fixture.reopen(launch);
        awaitHello();
        assertEndsAfterRelease(launch);
    }
}
