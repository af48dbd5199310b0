package dev.fermata.sim.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fermata.core.model.Job;
import dev.fermata.sim.TestSimulation;
import dev.fermata.sim.estimate.Estimators;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What progress tells, and when. */
class ProgressEstimatorTest {
    /** What is left of a job of 1000 s after it has run for 59 and for 61 s. */
    private static long[] left(String estimator) {
        long[] left = new long[2];
        TestSimulation simulation = TestSimulation.on("1x2", "srtf").estimator(estimator);
        simulation
                .job(Job.builder(1, 1).build(), 0, 1000)
                .job(Job.builder(2, 1).build(), 59, 1)
                .job(Job.builder(3, 1).build(), 61, 1)
                .run((now, record) -> {
                    if (now == 59_000 || now == 61_000) {
                        left[now == 59_000 ? 0 : 1] = simulation
                                .scheduler()
                                .view()
                                .remainingMillis(Objects.requireNonNull(
                                        simulation.scheduler().job(1)));
                    }
                });
        return left;
    }

    @Test
    void remainingWorkIsKnownAfterAMinute() {
        assertThat(left("progress")[0]).isNotEqualTo(941_000);
        assertThat(left("progress")[1]).isEqualTo(939_000);
    }

    @Test
    void jobThatTellsNothingIsJudgedByHistory() {
        assertThat(left("progress:share=0")).isEqualTo(left("history"));
    }

    @Test
    void errorBelongsToTheJob() {
        assertThat(left("progress:error=0.5")[1]).isNotEqualTo(939_000).isEqualTo(left("progress:error=0.5")[1]);
    }

    @Test
    void knownLaterOnRequest() {
        assertThat(left("progress:after=62")[1]).isEqualTo(left("history")[1]);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "progress:share=2",
                "progress:error=-1",
                "progress:after=0",
                "progress:share",
                "progress:speed=1",
                "progress:share=x",
                "progress:,",
                "progressive"
            })
    void wrongSettingsAreRefusedWithTheRule(String text) {
        assertThatThrownBy(() -> Estimators.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("progress");
    }
}
