package dev.fermata.report.plot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;

class AxisTest {

    @Test
    void valuesLieBetweenTheEdgesInProportion() {
        Axis axis = new Axis(-1, 3, 10, 50);

        assertThat(axis.at(-1)).isEqualTo(10);
        assertThat(axis.at(0)).isEqualTo(20);
        assertThat(axis.at(3)).isEqualTo(50);
    }

    @Test
    void leavesRoomAroundTheValuesButNotBelowZero() {
        Axis axis = Axis.around(List.of(0.0, 100.0, 40.0), 0, 1);

        assertThat(axis.from()).isZero();
        assertThat(axis.to()).isCloseTo(106, within(1e-9));
        assertThat(Axis.around(List.of(-1.0, 0.0), 0, 1).from()).isLessThan(-1);
        assertThat(Axis.around(List.of(7.0), 0, 1).at(7)).isCloseTo(0.5, within(1e-9));
    }

    @Test
    void ticksAreRoundAndInside() {
        assertThat(new Axis(0, 1.06, 0, 1).ticks(3)).containsExactly(0.0, 0.5, 1.0);
        assertThat(new Axis(-0.03, 0.005, 0, 1).ticks(3)).containsExactly(-0.02, 0.0);
        assertThat(new Axis(0, 2700, 0, 1).ticks(3)).containsExactly(0.0, 1000.0, 2000.0);
    }
}
