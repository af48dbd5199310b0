package dev.fermata.live.attempt;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Outcome;
import dev.fermata.live.engine.EngineEvent;
import dev.fermata.live.engine.Launch;
import dev.fermata.live.engine.ReportInbox;
import dev.fermata.live.loop.TestSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reports that the daemon received for an attempt, and the tokens that allow it. */
class ReceivedReportsTest {
    @TempDir
    Path folder;

    private final Launch launch = AttemptScene.launch(1, TestSpec.gpus(1), 0, 0, 0);

    @Test
    void receivedReportsSurviveARestartOfTheDaemon() {
        AttemptScene before = new AttemptScene(folder);
        before.new Attempt(launch).accounting.started(before.clock.nowMillis());
        before.clock.advance(30_000);
        assertThat(before.registry.receive(
                        "1.1", "{\"at\":1030000,\"type\":\"hello\"}\n{\"at\":1030000,\"type\":\"loaded\"}"))
                .isTrue();
        before.clock.advance(60_000);
        assertThat(before.registry.receive("1.1", "{\"at\":1090000,\"type\":\"saved\",\"step\":9}\n"))
                .isTrue();
        assertThat(before.events(EngineEvent.ProgressReported.class))
                .extracting(event -> event.report().type())
                .containsExactly("hello", "loaded", "saved");

        AttemptScene after = new AttemptScene(folder);
        after.clock.advance(91_000);
        AttemptScene.Attempt adopted = after.new Attempt(launch);
        adopted.accounting.adopt();
        adopted.accounting.requested(after.clock.nowMillis() - 91_000);
        adopted.accounting.started(after.clock.nowMillis() - 91_000);
        adopted.terminate(TerminationCause.PREEMPTION, 30_000);
        adopted.leave(75);

        Event.AttemptEnded end = after.events(EngineEvent.StateChanged.class).stream()
                .map(EngineEvent.StateChanged::event)
                .filter(Event.AttemptEnded.class::isInstance)
                .map(Event.AttemptEnded.class::cast)
                .findFirst()
                .orElseThrow();
        assertThat(end.outcome()).isEqualTo(Outcome.LOST);
        assertThat(end.usage()).as("up to its last save").satisfies(usage -> {
            assertThat(usage.loadMillis()).isEqualTo(30_000);
            assertThat(usage.usefulMillis()).isEqualTo(60_000);
            assertThat(usage.lostMillis()).isEqualTo(1_000);
        });
    }

    @Test
    void attemptThatHasEndedReceivesNothing() {
        AttemptScene scene = new AttemptScene(folder);
        AttemptScene.Attempt attempt = scene.new Attempt(launch);
        attempt.accounting.started(scene.clock.nowMillis());
        attempt.leave(0);
        assertThat(scene.registry.receive("1.1", "{\"type\":\"hello\"}")).isFalse();
        assertThat(scene.registry.receive("7.1", "{\"type\":\"hello\"}")).isFalse();
    }

    @Test
    void tokensAreOfOneAttemptAndOneFolder() throws IOException {
        ReportTokens tokens = ReportTokens.in(folder);
        String token = tokens.of("1.1");

        assertThat(token).matches("fr_[A-Za-z0-9_-]{43}");
        assertThat(tokens.isOf("1.1", token)).isTrue();
        assertThat(tokens.isOf("1.2", token)).isFalse();
        assertThat(tokens.isOf("11", token)).isFalse();
        assertThat(tokens.isOf("1.1", "")).isFalse();
        assertThat(ReportTokens.in(folder).isOf("1.1", token))
                .as("the next daemon")
                .isTrue();
        assertThat(ReportTokens.in(Files.createDirectory(folder.resolve("other")))
                        .isOf("1.1", token))
                .isFalse();
    }

    @Test
    void jobsAreToldOnlyWhatTheDaemonAnnounces() {
        AttemptScene scene = new AttemptScene(folder);
        AttemptAccounting accounting = scene.new Attempt(launch).accounting;
        assertThat(accounting.reportVariables()).isEmpty();

        scene.registry.announce(new ReportInbox.ReportAddress("http://127.0.0.1:7070", ""));

        assertThat(accounting.reportVariables())
                .containsOnlyKeys("FERMATA_REPORT_URL", "FERMATA_REPORT_TOKEN")
                .containsEntry("FERMATA_REPORT_URL", "http://127.0.0.1:7070");
        assertThat(scene.registry.isAuthorized(
                        "1.1", accounting.reportVariables().getOrDefault("FERMATA_REPORT_TOKEN", "")))
                .isTrue();
    }
}
