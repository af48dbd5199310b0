package dev.fermata.research.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.cli.CommandRun;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands that this plugin adds, found on the class path. */
class ResearchCommandsTest {
    @Test
    void completionKnowsEveryPaper() {
        String papers = String.join(" ", PaperNames.of(Reproductions.all()));

        assertThat(CommandRun.of("completion", "bash").lines())
                .anyMatch(line -> line.contains("'reproduce') COMPREPLY=($(compgen -W \"" + papers + "\""));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "reproduce everything | 'everything' | all",
                "reproduce al | 'al' | Did you mean 'all'",
                "reproduce all --seeds 2..1 | 2..1 | backwards",
                "reproduce all --threads none | none | whole number",
                "reproduce all more | more | unexpected",
                "reproduce | PAPER | required",
                "judge --data nowhere | nowhere | no folder",
                "judge --seeds 2..1 | 2..1 | backwards"
            })
    void wrongInputIsNamedWithTheRule(String line, String value, String rule) {
        CommandRun run = CommandRun.of(line.split(" "));

        assertThat(run.code()).isEqualTo(2);
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).contains(value, rule).doesNotContain("\tat ", "Exception");
    }

    @ParameterizedTest
    @ValueSource(strings = {"reproduce --help", "judge --help"})
    void helpEndsWell(String line) {
        CommandRun run = CommandRun.of(line.split(" "));

        assertThat(run.code()).isZero();
        assertThat(run.out()).startsWith("Usage: fermata ");
        assertThat(run.err()).isEmpty();
    }
}
