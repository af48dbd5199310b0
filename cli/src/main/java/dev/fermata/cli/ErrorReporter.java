package dev.fermata.cli;

import dev.fermata.core.policy.Suggestion;
import dev.fermata.insight.exit.ExitCode;
import dev.fermata.insight.exit.UserError;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Reports an error in a line or two; prints stack traces only with {@code --verbose}. */
final class ErrorReporter {
    private ErrorReporter() {}

    /** Reports arguments that are no command, flag or value. */
    static int reportInvalidArguments(ParameterException problem, String[] args) {
        CommandLine command = problem.getCommandLine();
        PrintWriter err = command.getErr();
        err.println("fermata: " + message(problem, command));
        err.println("Try '" + command.getCommandSpec().qualifiedName() + " --help'.");
        return ExitCode.INVALID;
    }

    private static String message(ParameterException problem, CommandLine command) {
        if (problem instanceof UnmatchedArgumentException unmatched
                && !unmatched.getUnmatched().isEmpty()) {
            String word = unmatched.getUnmatched().get(0);
            if (word.startsWith("-")) {
                int equals = word.indexOf('=');
                String flag = equals < 0 ? word : word.substring(0, equals);
                return "unknown option '" + flag + "'." + suggestion(flag, optionNames(command));
            }
            return command.getSubcommands().isEmpty()
                    ? "unexpected argument '" + word + "'"
                    : "unknown command '" + word + "'."
                            + Suggestion.didYouMean(
                                    word, command.getSubcommands().keySet());
        }
        return String.valueOf(problem.getMessage());
    }

    /** All flags of a command would be too long a list. */
    private static String suggestion(String flag, List<String> known) {
        String sentence = Suggestion.didYouMean(flag, known);
        return sentence.startsWith(" Did") ? sentence : "";
    }

    private static List<String> optionNames(CommandLine command) {
        List<String> names = new ArrayList<>();
        for (OptionSpec option : command.getCommandSpec().options()) {
            names.addAll(List.of(option.names()));
        }
        return names;
    }

    /** The command itself failed. */
    static int reportFailure(Throwable problem, CommandLine command) {
        PrintWriter err = command.getErr();
        boolean verbose = verbose(command);
        int code = ExitCode.ERROR;
        if (problem instanceof UserError userError) {
            err.println("fermata: " + userError.getMessage());
            code = userError.exitCode();
        } else if (problem instanceof OutOfMemoryError) {
            err.println("fermata: out of memory at "
                    + Runtime.getRuntime().maxMemory() / (1024 * 1024)
                    + " MiB of heap. FERMATA_JAVA_OPTS=-Xmx16g gives it more.");
        } else {
            err.println("fermata: internal error: " + problem);
            if (!verbose) {
                err.println("This is a bug; --verbose shows where.");
            }
        }
        if (verbose) {
            problem.printStackTrace(err);
        }
        err.flush();
        return code;
    }

    private static boolean verbose(CommandLine command) {
        OptionSpec option = command.getCommandSpec().findOption("--verbose");
        return option != null && Boolean.TRUE.equals(option.getValue());
    }
}
