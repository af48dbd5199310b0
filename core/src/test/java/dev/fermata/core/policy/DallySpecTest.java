package dev.fermata.core.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DallySpecTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "dally:rack=-2",
                "dally:rack=1.5",
                "dally:net=100001",
                "dally:lease=0",
                "dally:history=0",
                "dally:slack=1.1",
                "dally:relocate=perhaps",
                "las:lease=-1",
                "las:place=skewed",
                "srtf:patience=0"
            })
    void valuesOutOfRangeAreRejectedWithTheRule(String text) {
        assertThatThrownBy(() -> PolicySpec.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("must be");
    }

    @Test
    void aRackMayNotBeAcceptedAfterTheNetwork() {
        assertThatThrownBy(() -> PolicySpec.parse("dally:rack=5,net=3"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("net (3)")
                .hasMessageContaining("rack (5)");
        assertThat(PolicySpec.parse("dally:rack=5,net=-1").create()).isNotNull();
    }
}
