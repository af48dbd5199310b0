package dev.fermata.insight.format;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HumanFormatTest {

    @ParameterizedTest
    @CsvSource({
        "0,0.0s",
        "3.21,3.2s",
        "9.96,10s",
        "59.4,59s",
        "59.6,1m00s",
        "725,12m05s",
        "3599.6,1h00m",
        "11220,3h07m",
        "86399,1d00h",
        "187200,2d04h",
        "20000000,231d",
        "-5,−5.0s"
    })
    void timesHaveAtMostTwoUnits(double seconds, String shown) {
        assertThat(HumanFormat.time(seconds)).isEqualTo(shown);
    }

    @Test
    void changesCarryTheirSign() {
        assertThat(HumanFormat.change(-0.621)).isEqualTo("−62 %");
        assertThat(HumanFormat.change(0.034)).isEqualTo("+3.4 %");
        assertThat(HumanFormat.change(0)).isEqualTo("0 %");
        assertThat(HumanFormat.change(-0.00001)).isEqualTo("0 %");
    }
}
