package dev.fermata.cli.remote;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fermata.cli.input.ParsedJobFile;
import dev.fermata.cli.input.sbatch.SbatchScript;
import dev.fermata.insight.exit.UserError;
import dev.fermata.report.text.ShellCommand;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What is to be submitted, as it was found: a job file, a script or a command.
 *
 * @param file the job file, to say on which line a mistake is; empty for scripts and commands
 * @param carriesPaths whether the shell's search paths go with it
 */
record JobSource(ObjectNode job, Optional<ParsedJobFile> file, List<String> warnings, boolean carriesPaths) {
    private static final String STANDARD_INPUT = "-";

    /** A single word is a line for the shell; several are a command and its arguments. */
    static JobSource command(List<String> words) {
        if (words.isEmpty()) {
            throw UserError.invalid("no command given: fermata submit -- COMMAND…, or the name of a job file");
        }
        ObjectNode job = JsonNodeFactory.instance.objectNode();
        job.put("run", words.size() == 1 ? words.get(0) : ShellCommand.line(words));
        return new JobSource(job, Optional.empty(), List.of(), true);
    }

    /** @param words what stands behind the file's name: arguments of a script */
    static JobSource file(String name, List<String> words, Path folder, Map<String, String> environment) {
        String text = read(name, words, folder);
        String shown = name.equals(STANDARD_INPUT) ? "standard input" : name;
        return UserError.wrapInvalid(() -> {
            if (SbatchScript.recognizes(name, text)) {
                SbatchScript script = SbatchScript.read(shown, text, environment, words);
                if (!script.job().has("name") && !name.equals(STANDARD_INPUT)) {
                    script.job().put("name", String.valueOf(Path.of(name).getFileName()));
                }
                return new JobSource(script.job(), Optional.empty(), script.warnings(), script.carriesPaths());
            }
            if (!words.isEmpty()) {
                throw new IllegalArgumentException("unexpected argument '" + words.get(0)
                        + "': only scripts take arguments, and " + shown + " is a job file");
            }
            ParsedJobFile file = ParsedJobFile.parse(shown, text);
            return new JobSource(file.json(), Optional.of(file), List.of(), false);
        });
    }

    private static String read(String name, List<String> words, Path folder) {
        try {
            if (name.equals(STANDARD_INPUT)) {
                InputStream in = System.in;
                return new String(in.readAllBytes(), StandardCharsets.UTF_8);
            }
            return new String(Files.readAllBytes(folder.resolve(name)), StandardCharsets.UTF_8);
        } catch (NoSuchFileException e) {
            throw UserError.invalid(
                    "file '" + name + "' does not exist. To run a command, put -- before it: fermata submit -- " + name
                            + (words.isEmpty() ? "" : " " + ShellCommand.line(words)));
        } catch (IOException e) {
            throw UserError.invalid("file '" + name + "' cannot be read: " + e.getMessage(), e);
        }
    }
}
