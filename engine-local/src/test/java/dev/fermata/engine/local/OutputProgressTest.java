package dev.fermata.engine.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Outcome;
import dev.fermata.live.engine.EngineEvent;
import dev.fermata.live.engine.EngineOrder;
import dev.fermata.live.engine.JobSpecBuilder;
import dev.fermata.live.engine.Launch;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The progress of real processes that only print it. */
class OutputProgressTest extends LocalEngineTestBase {
    private Launch start(String script) {
        Launch launch = fixture.launch(1, 1, new JobSpecBuilder(script));
        fixture.engine.submit(new EngineOrder.Start(launch));
        return launch;
    }

    private List<EngineEvent.ProgressReported> shown() {
        return fixture.events.stream()
                .filter(EngineEvent.ProgressReported.class::isInstance)
                .map(EngineEvent.ProgressReported.class::cast)
                .toList();
    }

    @Test
    void progressOfAScriptThatPrintsStepsIsShownWhileItRuns() {
        Launch launch = start("printf 'step 30/100 loss: 0.5\\n'; sleep 60 # --max_steps 100");
        LocalEngineFixture.awaitUntil(() -> !shown().isEmpty());
        assertThat(shown().get(0)).satisfies(progress -> {
            assertThat(progress.origin().source()).isEqualTo("output");
            assertThat(progress.report().step()).isEqualTo(30);
            assertThat(progress.origin().shownTotal()).isEqualTo(100);
            assertThat(progress.report().metric()).isEqualTo(0.5);
        });
        fixture.kill(1, 1);
        fixture.awaitEnd(launch);
    }

    /** The last bar has no end of line, and the whole output is older than the first look at it. */
    @Test
    void theLastOutputIsReadBeforeTheEndIsReported() {
        Launch launch = start("echo 'Epoch 1/1'; i=0; while [ $i -lt 40 ]; do i=$((i+1)); "
                + "printf '\\r%s/40 [====>] - ETA: 5s - loss: 0.30' $i; done; exit 0");
        assertThat(fixture.awaitEnd(launch).outcome()).isEqualTo(Outcome.COMPLETED);
        EngineEvent.ProgressReported last = shown().get(shown().size() - 1);
        assertThat(last.report().step()).isEqualTo(40);
    }

    @Test
    void reportsOfTheHelperTakePrecedence() {
        Launch launch = start("echo '{\"type\":\"step\",\"step\":5,\"total\":50}' >>$FERMATA_REPORT; "
                + "echo 'step 30/100'; exit 0");
        fixture.awaitEnd(launch);
        assertThat(shown()).allMatch(progress -> !progress.origin().isOutput());
    }
}
