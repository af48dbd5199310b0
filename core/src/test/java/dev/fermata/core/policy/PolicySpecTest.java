package dev.fermata.core.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class PolicySpecTest {
    static java.util.List<PolicyInfo> all() {
        return PolicyCatalogue.all();
    }

    @ParameterizedTest
    @MethodSource("all")
    void everyPolicyHasGoodDefaultsAndAFreshMemoryEachTime(PolicyInfo info) {
        PolicySpec spec = PolicySpec.parse(info.name());

        assertThat(spec.create()).isNotSameAs(spec.create());
        assertThat(spec.memoryGuard()).isTrue();
        assertThat(info.summary()).isNotBlank();
        assertThat(info.source()).isNotBlank();
        for (Param param : info.params()) {
            assertThat(PolicySpec.parse(info.name() + ":" + param.name() + "=" + param.defaultValue())
                            .create())
                    .isNotNull();
        }
    }

    @Test
    void namesAreUnique() {
        assertThat(PolicyCatalogue.names()).doesNotHaveDuplicates();
    }

    @Test
    void blanksAroundNamesAndValuesDoNotMatter() {
        PolicySpec spec = PolicySpec.parse(" las : queues = 3 , threshold = 2m ");

        assertThat(spec.settings().integer("queues")).isEqualTo(3);
        assertThat(spec.settings().millis("threshold")).isEqualTo(120_000);
        assertThat(spec.info().name()).isEqualTo("las");
    }

    @ParameterizedTest
    @CsvSource({"90,90000", "90s,90000", "1.5m,90000", "2h,7200000", "1d,86400000"})
    void timesMayHaveAUnit(String written, long millis) {
        assertThat(PolicySpec.parse("fair:lease=" + written).settings().millis("lease"))
                .isEqualTo(millis);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "srtff                  | unknown policy 'srtff'. Did you mean 'srtf'?",
                "wonderful              | unknown policy 'wonderful'. Known: fifo, fifo-backfill",
                "las:queue=3            | policy las has no parameter 'queue'. Did you mean 'queues'?",
                "las:queues             | 'queues' in policy 'las:queues' must be written key=value",
                "las:                   | must be written key=value",
                "las:=3                 | must be written key=value",
                "las:queues=two         | parameter queues (two) of policy las must be a number",
                "las:queues=2.5         | parameter queues (2.5) of policy las must be a whole number from 1 to 16",
                "las:queues=17          | must be a whole number from 1 to 16",
                "las:queues=NaN         | must be a number",
                "las:threshold=soon     | must be a time such as 90s, 20m or 1h",
                "las:threshold=         | must be a time such as 90s, 20m or 1h",
                "las:threshold=-5       | must be a value from 1 to",
                "srtf:place=near        | must be one of first-fit, best-fit, consolidate, spread, first-node",
                "sjf:block=yes          | parameter block (yes) of policy sjf must be one of true, false",
                "fitgpp:s=-1            | parameter s (-1) of policy fitgpp must be a value from 0 to 1000000",
                "fitgpp:P=1.5           | parameter P (1.5) of policy fitgpp must be a whole number from 0",
                "fitgpp:grace=long      | parameter grace (long) of policy fitgpp must be one of pause, limit",
                "lrtp:P=1               | policy lrtp has no parameter 'P'.",
                "gandiva:share=2        | policy gandiva has no parameter 'share'.",
            })
    void mistakesAreReportedWithASuggestion(String text, String message) {
        assertThatThrownBy(() -> PolicySpec.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }

    @Test
    void memoryMayBeReservedTwiceOnlyOnRequest() {
        assertThat(PolicySpec.parse("fifo:share=2,guard=false").memoryGuard()).isFalse();
    }
}
