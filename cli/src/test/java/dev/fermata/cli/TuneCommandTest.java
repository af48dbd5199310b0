package dev.fermata.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.cli.option.Invocation;
import dev.fermata.insight.exit.Interruption;
import dev.fermata.insight.replay.TuningHistory;
import dev.fermata.report.text.Screen;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code fermata tune} on a recorded history. */
class TuneCommandTest {
    @TempDir
    private Path folder;

    @Test
    void commandWritesThePageAndKeepsTheHistory() throws IOException {
        TuningHistory.write(folder, 60, 0);
        Path events = folder.resolve("history.json");
        Path page = folder.resolve("tune.html");
        CommandRun run = tune("--events", events.toString(), "--report", page.toString());
        assertThat(run.code()).as(run.err()).isZero();
        assertThat(Files.readString(page)).contains("Fermata: settings of las", "fermata tune --policy las");

        String before = Files.readString(events);
        assertThat(tune("--events", events.toString(), "--report", events.toString())
                        .code())
                .isEqualTo(2);
        assertThat(Files.readString(events)).isEqualTo(before);
    }

    private CommandRun tune(String... more) {
        List<String> args = new ArrayList<>(List.of("tune", "--policy", "las", "--was", "fifo", "--evaluations", "3"));
        args.addAll(List.of(more));
        return CommandRun.in(
                new Invocation(Map.of(), folder, Screen.PIPE, new Interruption()), args.toArray(String[]::new));
    }
}
