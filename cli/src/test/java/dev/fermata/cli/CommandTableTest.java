package dev.fermata.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.cli.option.Invocation;
import dev.fermata.insight.exit.Interruption;
import dev.fermata.report.text.Screen;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class CommandTableTest {
    private static final Invocation INVOCATION = invocation(Map.of());

    @Test
    void everyCommandHasItsNamesInTheTable() {
        CommandLine all = Fermata.commandLine(INVOCATION, List.of());
        assertThat(all.getSubcommands()).hasSizeGreaterThan(30);
        all.getSubcommands().forEach((name, command) -> {
            CommandLine alone = Fermata.commandLine(INVOCATION, List.of(), name);
            if (!List.of("completion", "manual").contains(name)) {
                assertThat(alone.getSubcommands()).as(name).containsKey(name);
                assertThat(new TreeSet<>(alone.getSubcommands().keySet()))
                        .as("what is built for %s: its name and aliases", name)
                        .isEqualTo(new TreeSet<>(command.getCommandSpec().names()));
            }
        });
    }

    @Test
    void unknownNamesAndSettingsBuildAllCommands() {
        int all = Fermata.commandLine(INVOCATION, List.of()).getSubcommands().size();
        assertThat(Fermata.commandLine(INVOCATION, List.of(), "lss").getSubcommands())
                .hasSize(all);
        assertThat(Fermata.commandLine(INVOCATION, List.of(), "completion").getSubcommands())
                .as("it describes all others")
                .hasSize(all);
        Invocation misspelled = invocation(Map.of("FERMATA_POLICI", "las"));
        assertThat(Fermata.commandLine(misspelled, List.of(), "ls").getSubcommands())
                .hasSize(all);
        Invocation remote = invocation(Map.of("FERMATA_URL", "http://127.0.0.1:7070"));
        assertThat(Fermata.commandLine(remote, List.of(), "cancel").getSubcommands())
                .containsOnlyKeys("cancel", "kill");
    }

    private static Invocation invocation(Map<String, String> environment) {
        return new Invocation(environment, Path.of("no-such-folder"), Screen.PIPE, new Interruption());
    }
}
