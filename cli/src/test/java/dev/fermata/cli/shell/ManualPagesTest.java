package dev.fermata.cli.shell;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class ManualPagesTest {
    private final Map<String, String> pages =
            ManualPages.pages(new CommandLine(new ShellCompletionTest.Program()), "1.2");

    @Test
    void everyCommandThatIsNotHiddenHasAPage() {
        assertThat(pages)
                .containsOnlyKeys(
                        "fermata.1",
                        "fermata-cancel.1",
                        "fermata-show.1",
                        "fermata-trace.1",
                        "fermata-trace-inspect.1");
    }

    @Test
    void aPageSaysWhatTheHelpSays() {
        assertThat(pages.get("fermata-cancel.1"))
                .startsWith(".TH FERMATA-CANCEL 1 \"\" \"fermata 1.2\"")
                .contains("fermata\\-cancel \\- End jobs: 'at once'\n")
                .contains(".TP\n.B \\-o, \\-\\-output=FORMAT\nHow.")
                .contains(".SH ARGUMENTS\n.TP\n.B JOB\n");
        assertThat(pages.get("fermata.1")).contains(".SH COMMANDS\n.TP\n.B fermata\\-cancel(1)\n");
        assertThat(pages.get("fermata-trace.1")).contains(".B fermata\\-trace\\-inspect(1)\nLook into a trace\n");
    }
}
