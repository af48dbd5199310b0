package dev.fermata.live.attempt;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SingleLineTest {
    @Test
    void terminalControlSequencesAreRemoved() {
        assertThat(SingleLine.of("\u001b[2J\u0007a\tb\r\nc\u202e\u200b\u0000\u009b d\u00e9 \ud83d\ude00", 80))
                .isEqualTo("[2Ja bc dé 😀");
    }

    @Test
    void longLineIsTruncatedBetweenCharacters() {
        String cut = SingleLine.of("😀".repeat(100), 50);

        assertThat(cut).hasSizeLessThanOrEqualTo(50).endsWith("…");
        assertThat(cut.codePoints()
                        .filter(point -> point >= 0xD800 && point <= 0xDFFF)
                        .count())
                .isZero();
    }
}
