package dev.fermata.engine.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.live.engine.EngineEvent;
import dev.fermata.live.engine.EngineOrder;
import dev.fermata.live.engine.JobSpecBuilder;
import dev.fermata.live.engine.Launch;
import org.junit.jupiter.api.Test;

/** What shows, before any pause, that a program can save. */
class SaveAbilityTest extends LocalEngineTestBase {
    private Launch start(long id, String script) {
        Launch launch = fixture.launch(id, 1, new JobSpecBuilder(script));
        fixture.engine.submit(new EngineOrder.Start(launch));
        return launch;
    }

    private boolean isShown(long job) {
        return fixture.events.stream()
                .anyMatch(event -> event instanceof EngineEvent.SaveAbilityShown shown && shown.jobId() == job);
    }

    /** The handler is set late, as frameworks do; the other program never sets one, and ends first. */
    @Test
    void aHandlerForTheSignalShowsItAndAProgramWithoutOneDoesNot() {
        Launch without = start(1, "sleep 4");
        Launch with = start(2, "sleep 2; trap 'exit 75' TERM; while :; do sleep 0.1; done");
        LocalEngineFixture.awaitUntil(() -> isShown(2));
        fixture.awaitEnd(without);
        assertThat(isShown(1)).isFalse();
        fixture.kill(2, 1);
        fixture.awaitEnd(with);
    }

    @Test
    void reportsShowIt() {
        Launch launch = start(1, "echo '{\"type\":\"hello\"}' >>$FERMATA_REPORT; sleep 60");
        LocalEngineFixture.awaitUntil(() -> isShown(1));
        fixture.kill(1, 1);
        fixture.awaitEnd(launch);
    }

    @Test
    void aLauncherThatOnlyPassesSignalsOnDoesNotShowIt() {
        assertThat(Proc.find((int) ProcessHandle.current().pid()))
                .satisfies(proc -> assertThat(proc.isLauncher()).isFalse());
        Launch launch = start(
                1,
                "printf '#!/bin/bash\\ntrap : TERM\\nwhile :; do sleep 0.1; done\\n' >torchrun; chmod +x torchrun; exec ./torchrun");
        LocalEngineFixture.awaitUntil(
                () -> fixture.engine.findAttempt(1, 1).handlersFor("TERM").anyMatch(Proc::isLauncher));
        assertThat(fixture.engine.findAttempt(1, 1).handlesSignal()).isFalse();
        fixture.kill(1, 1);
        fixture.awaitEnd(launch);
    }
}
