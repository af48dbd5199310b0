package dev.fermata.insight.input;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fermata.sim.engine.ModelError;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Model errors as users write them. */
class ModelErrorInputTest {
    @Test
    void namesAndSingleErrorsAreRead() {
        assertThat(ModelErrorInput.parse("none").error()).isEqualTo(ModelError.NONE);
        assertThat(ModelErrorInput.parse("none").suffix()).isEmpty();
        assertThat(ModelErrorInput.parse("measured").error()).isEqualTo(ModelError.MEASURED);
        assertThat(ModelErrorInput.parse("types=0.1,placement=0.2,corun=0.3,corun-bias=-0.4,costs=0.5,network=0.6")
                        .error())
                .isEqualTo(new ModelError(0.1, 0.2, 0.3, -0.4, 0.5, 0.6));
        assertThat(ModelErrorInput.parse("costs=0.5").error()).isEqualTo(new ModelError(0, 0, 0, 0, 0.5, 0));
        assertThat(ModelErrorInput.parse("costs=0.5").suffix()).isEqualTo(", model error costs=0.5");
        assertThat(ModelErrorInput.parse("types=0").isNone()).isTrue();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    much                | --model-error (much) must be none, measured, or errors such as
                    type=0.1            | has no key 'type'. Did you mean 'types'?
                    types=0.1,types=0.2 | each key once
                    types=-0.1          | --model-error types (-0.1) must be a number from 0 to 2
                    costs=a             | --model-error costs (a) must be a number from 0 to 2
                    network=2           | --model-error network (2) must be a number from 0 to 1
                    """)
    void whatIsWrongIsNamed(String text, String message) {
        assertThatThrownBy(() -> ModelErrorInput.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }
}
