package dev.fermata.core.contract;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CountTest {
    @Test
    void onlyOneIsSingular() {
        assertThat(Count.of(0, "GPU")).isEqualTo("0 GPUs");
        assertThat(Count.of(1, "GPU")).isEqualTo("1 GPU");
        assertThat(Count.of(2, "GPU")).isEqualTo("2 GPUs");
        assertThat(Count.are(1)).isEqualTo("1 is");
        assertThat(Count.are(2)).isEqualTo("2 are");
    }
}
