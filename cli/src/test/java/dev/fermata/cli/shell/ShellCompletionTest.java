package dev.fermata.cli.shell;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** A bash loads the script and completes words. */
class ShellCompletionTest {
    @Command(name = "fermata", description = "A scheduler.")
    static class Program {
        @Command(name = "cancel", aliases = "kill", description = "End jobs: 'at once'. And more.")
        void cancel(
                @Option(
                                names = {"-o", "--output"},
                                paramLabel = "FORMAT",
                                description = "How.")
                        Format format,
                @Option(names = "--job", paramLabel = "JOB") String job,
                @Parameters(paramLabel = "JOB") List<String> jobs) {}

        @Command(name = "trace", description = "Traces.", subcommands = Inspect.class)
        void trace() {}

        @Command(name = "show", description = "Show formats.")
        void show(@Parameters(paramLabel = "FORMAT") Format format) {}

        @Command(name = "secret", hidden = true)
        void secret() {}
    }

    @Command(name = "inspect", description = "Look into a trace.")
    static class Inspect {
        @Option(names = "--verbose")
        boolean verbose;

        @Parameters(paramLabel = "FILE")
        Path file;
    }

    enum Format {
        table,
        json
    }

    @TempDir
    private Path folder;

    private final CommandLine root = new CommandLine(new Program());

    @BeforeEach
    void aProgramThatListsJobs() throws IOException {
        Path program = folder.resolve("fermata");
        Files.writeString(program, "#!/bin/sh\n[ \"$*\" = 'ls -o id' ] && printf '12\\n17\\n121\\n'\n");
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    @Test
    void bashCompletesCommandsOptionsValuesAndJobs() throws Exception {
        assertThat(complete("")).containsExactly("cancel", "show", "trace");
        assertThat(complete("show", "t")).containsExactly("table");
        assertThat(complete("tr")).containsExactly("trace");
        assertThat(complete("trace", "")).containsExactly("inspect");
        assertThat(complete("trace", "inspect", "--")).containsExactly("--verbose");
        assertThat(complete("cancel", "--o")).containsExactly("--output");
        assertThat(complete("cancel", "--output", "")).containsExactly("table", "json");
        assertThat(complete("cancel", "12", "-o", "j")).containsExactly("json");
        assertThat(complete("cancel", "12")).containsExactly("12", "121");
        assertThat(complete("cancel", "--job", "17")).containsExactly("17");
        assertThat(complete("trace", "inspect", ""))
                .as("left to the completion of files")
                .isEmpty();
    }

    @Test
    void fishScriptHasCommandsOptionsValuesAndJobs() {
        String script = ShellCompletion.script("fish", root);
        assertThat(script)
                .contains("complete -c fermata -f -n '__fermata_only ' -a cancel -d 'End jobs: '\\''at once'\\'''")
                .contains("complete -c fermata -f -n '__fermata_only trace' -a inspect -d 'Look into a trace'")
                .contains("complete -c fermata -n '__fermata_at cancel' -s o -l output -x -a 'table json' -d 'How.'")
                .contains("complete -c fermata -f -n '__fermata_at cancel' -a '(__fermata_jobs)'")
                .doesNotContain("secret");
    }

    @Test
    void zshScriptLoadsTheFunctionsOfBash() {
        assertThat(ShellCompletion.script("zsh", root))
                .startsWith("#compdef fermata\n")
                .contains("bashcompinit")
                .endsWith(ShellCompletion.script("bash", root));
    }

    /** What bash offers for the last of these words. */
    private List<String> complete(String... words) throws IOException, InterruptedException {
        Path script = folder.resolve("completion");
        Files.writeString(script, ShellCompletion.script("bash", root));
        String line = "source \"$0\"; COMP_WORDS=(fermata \"$@\"); COMP_CWORD=$#; _fermata; printf '%s\\n"
                + "' \"${COMPREPLY[@]}\"";
        ProcessBuilder bash = new ProcessBuilder("bash", "-c", line, script.toString());
        bash.command().addAll(Arrays.asList(words));
        bash.environment().merge("PATH", folder.toString(), (path, own) -> own + ":" + path);
        Process process = bash.redirectErrorStream(true).start();
        String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(printed).isZero();
        return printed.lines().filter(each -> !each.isEmpty()).toList();
    }
}
