package dev.fermata.cli.remote;

import dev.fermata.cli.input.sbatch.SbatchScript;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Stack;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.IParameterConsumer;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;

/**
 * What stands behind a script's name is for the script, even if it looks like a flag of ours, as with sbatch. Behind a job file, which
 * takes no arguments, flags are flags.
 */
final class ScriptArguments implements IParameterConsumer {
    @Override
    @SuppressWarnings("JdkObsolete") // the parser hands over a Stack
    public void consumeParameters(Stack<String> args, ArgSpec argument, CommandSpec command) {
        @Nullable List<String> known = argument.getValue();
        List<String> words = known == null ? new ArrayList<>() : known;
        String word = args.pop();
        boolean first = words.isEmpty();
        words.add(word);
        if (first
                && command.userObject() instanceof SubmitCommand submit
                && isScript(word, submit.invocation.folder())) {
            while (!args.isEmpty()) {
                words.add(args.pop());
            }
        }
        argument.setValue(words);
    }

    private static boolean isScript(String name, Path folder) {
        if (SbatchScript.recognizes(name, "")) {
            return true;
        }
        try {
            Path file = folder.resolve(name);
            return Files.isRegularFile(file)
                    && SbatchScript.recognizes(name, new String(Files.readAllBytes(file), StandardCharsets.UTF_8));
        } catch (IOException | InvalidPathException e) {
            return false; // said when it is read
        }
    }
}
