package dev.fermata.cli;

import dev.fermata.cli.option.Version;
import dev.fermata.cli.shell.ShellCompletion;
import dev.fermata.core.policy.Suggestion;
import dev.fermata.insight.exit.ExitCode;
import dev.fermata.insight.exit.UserError;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code fermata completion}: a script for the shell. */
@Command(
        name = "completion",
        description = "Print a completion script for bash, zsh or fish.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        footer = {
            "",
            "Examples:",
            "  source <(fermata completion bash)",
            "  fermata completion fish > ~/.config/fish/completions/fermata.fish"
        })
final class CompletionCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "SHELL", description = "bash, zsh or fish.")
    private String shell;

    @Override
    public Integer call() {
        if (!ShellCompletion.SHELLS.contains(shell)) {
            throw UserError.invalid(
                    "shell '" + shell + "' is not supported." + Suggestion.didYouMean(shell, ShellCompletion.SHELLS));
        }
        spec.commandLine()
                .getOut()
                .print(ShellCompletion.script(shell, spec.root().commandLine()));
        return ExitCode.OK;
    }
}
