package dev.fermata.insight.input;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.policy.PolicySpec;
import org.junit.jupiter.api.Test;

class PolicyListTest {

    @Test
    void parametersStayWithTheirPolicy() {
        assertThat(PolicyList.parse("fifo,las:queues=3,threshold=100,srtf:place=spread,share=2,sjf"))
                .extracting(PolicySpec::text)
                .containsExactly("fifo", "las:queues=3,threshold=100", "srtf:place=spread,share=2", "sjf");
    }

    @Test
    void aVariedParameterReplacesTheOneGiven() {
        assertThat(PolicyList.with(PolicySpec.parse("las:queues=3,ratio=2"), "queues", "5")
                        .text())
                .isEqualTo("las:ratio=2,queues=5");
        assertThat(PolicyList.with(PolicySpec.parse("las"), "queues", "5").text())
                .isEqualTo("las:queues=5");
    }
}
