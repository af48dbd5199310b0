package dev.fermata.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is taken for a misspelling, and what for another word. */
class SuggestionTest {
    private static final List<String> KNOWN =
            List.of("ls", "up", "top", "las", "srtf", "fermata", "fifo-backfill", "x");

    @ParameterizedTest
    @CsvSource({
        "lz,ls",
        "sl,ls",
        "tpo,top",
        "srft,srtf",
        "sftr,srtf",
        "fermta,fermata",
        "fremata,fermata",
        "fifo-bakcfil,fifo-backfill",
        "upp,up",
        "pu,up"
    })
    void aTypoIsRecognised(String wrong, String meant) {
        assertThat(Suggestion.didYouMean(wrong, KNOWN)).isEqualTo(" Did you mean '" + meant + "'?");
    }

    @ParameterizedTest
    @CsvSource({"qq", "zz", "y", "abc", "rm", "down", "banana"})
    void anUnrelatedWordListsAllKnownNames(String wrong) {
        assertThat(Suggestion.didYouMean(wrong, KNOWN)).startsWith(" Known: ls, up,");
    }
}
