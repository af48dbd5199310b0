package dev.fermata.cli;

import dev.fermata.cli.option.Version;
import dev.fermata.core.policy.Suggestion;
import dev.fermata.insight.exit.ExitCode;
import dev.fermata.insight.exit.UserError;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code fermata completion}: a script for the shell. */
@Command(
        name = "completion",
        description = "Print a completion script for bash or zsh.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        footer = {"", "Example:", "  source <(fermata completion bash)"})
final class CompletionCommand implements Callable<Integer> {
    private static final List<String> SHELLS = List.of("bash", "zsh");

    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "SHELL", description = "bash or zsh.")
    private String shell;

    @Override
    public Integer call() {
        if (!SHELLS.contains(shell)) {
            throw UserError.invalid("shell '" + shell + "' is not supported." + Suggestion.didYouMean(shell, SHELLS));
        }
        // One script serves both: it loads bash's functions in zsh by itself.
        spec.commandLine()
                .getOut()
                .print(AutoComplete.bash("fermata", spec.root().commandLine()));
        return ExitCode.OK;
    }
}
