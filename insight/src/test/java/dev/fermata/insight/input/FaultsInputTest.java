package dev.fermata.insight.input;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fermata.sim.engine.Faults;
import org.junit.jupiter.api.Test;

class FaultsInputTest {
    private static final long HOUR = 3_600_000;

    @Test
    void everyFaultHasAMeanTimeAndADuration() {
        assertThat(FaultsInput.parse("node=1d,leave=2d,absent=2h,unreachable=3d,foreign=4d,load=3h")
                        .rates())
                .isEqualTo(new Faults.FaultRates(
                        24 * HOUR,
                        0,
                        4 * HOUR,
                        new Faults.NodeChangeRates(48 * HOUR, 2 * HOUR, 72 * HOUR, HOUR / 6, 96 * HOUR, 3 * HOUR)));
        assertThat(FaultsInput.parse("none").rates()).isEqualTo(Faults.FaultRates.NONE);
    }

    @Test
    void oneCauseIsEnoughAndNothingLastsNoTime() {
        assertThat(FaultsInput.parse("foreign=1d").rates().changes().foreignMillis())
                .isEqualTo(24 * HOUR);
        assertThatThrownBy(() -> FaultsInput.parse("silent=5m")).hasMessageContaining("must name a time");
        assertThatThrownBy(() -> FaultsInput.parse("leave=1d,absent=0s")).hasMessageContaining("must name a time");
        assertThatThrownBy(() -> FaultsInput.parse("leaves=1d")).hasMessageContaining("leave");
    }
}
