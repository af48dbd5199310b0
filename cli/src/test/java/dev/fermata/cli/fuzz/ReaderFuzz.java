package dev.fermata.cli.fuzz;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.fermata.cli.input.ParsedJobFile;
import dev.fermata.cli.input.SettingsFile;
import dev.fermata.cli.input.sbatch.SbatchScript;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.insight.exit.UserError;
import dev.fermata.insight.input.QueuesFile;
import dev.fermata.live.api.ApiJson;
import dev.fermata.live.profile.RunLength;
import dev.fermata.live.profile.ShellTokenizer;
import dev.fermata.live.progress.AttemptOutput;
import dev.fermata.live.progress.UserPattern;
import dev.fermata.live.spec.JobFileParser;
import dev.fermata.live.spec.SpecException;
import dev.fermata.live.spec.SpecJson;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * A target for a coverage-guided fuzzer: every reader of what users write. The first byte of the input chooses the reader. It
 * reads the rest, or refuses it with a message for its author; anything else is a finding.
 */
public final class ReaderFuzz {
    private static final int MAX_BYTES = 1 << 16;
    private static final Pattern OF_THE_PROGRAM = Pattern.compile(
            "\\b(java|jdk|sun|com\\.fasterxml|org\\.yaml)\\.\\w|\\tat |Exception\\b|\\bnull\\b.*\\bbecause\\b");
    private static final Path FILE = temporaryFile();

    /** Reads a text; throws when it is refused. */
    private interface Reader {
        void read(String text) throws IOException;
    }

    private static final List<Reader> READERS = List.of(
            text -> submit(ParsedJobFile.parse("job.yaml", text).json().toString()),
            ReaderFuzz::submit,
            text -> submit(SbatchScript.read(
                            "job.sh", text, Map.of("HOME", "/users/ann", "A", "1"), List.of("it's", text.strip()))
                    .job()
                    .toString()),
            text -> SettingsFile.read(file(text), List.of("policy", "cluster", "seed")),
            text -> QueuesFile.read(file(text)),
            PolicySpec::parse,
            text -> {
                ShellTokenizer.commands(text);
                RunLength.of(text);
            },
            ReaderFuzz::progress);

    private ReaderFuzz() {}

    /** Called by the fuzzer. */
    public static void fuzzerTestOneInput(byte[] data) {
        if (data.length == 0 || data.length > MAX_BYTES) {
            return;
        }
        String text = new String(Arrays.copyOfRange(data, 1, data.length), UTF_8);
        try {
            READERS.get(Math.floorMod(data[0] - '0', READERS.size())).read(text);
        } catch (SpecException | UserError e) {
            requireForItsAuthor(e, text);
        } catch (IllegalArgumentException e) {
            if (e.getClass() != IllegalArgumentException.class) {
                throw e;
            }
            requireForItsAuthor(e, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** As the daemon reads a document: what it accepts, it can write and read again. */
    private static void submit(String text) {
        try {
            var document = ApiJson.MAPPER.readTree(text);
            if (document != null) {
                JobFileParser.parse(document).stream().limit(3).forEach(job -> SpecJson.read(SpecJson.write(job)));
            }
        } catch (JsonProcessingException e) {
            // no document: the daemon says so before it reads one
        }
    }

    /** The first line is a pattern of the user, the rest is what a job prints. */
    private static void progress(String text) {
        int end = text.indexOf('\n');
        byte[] output = text.substring(end + 1).getBytes(UTF_8);
        AttemptOutput own =
                new AttemptOutput(RunLength.UNKNOWN, end > 0 ? new UserPattern(text.substring(0, end), 100) : null, -1);
        own.accept("stdout", output, output.length, 1_000);
        own.end(2_000);
        own.progress();
    }

    /** A message may quote its author, who may write anything. */
    private static void requireForItsAuthor(RuntimeException e, String text) {
        String message = e.getMessage();
        if (message == null
                || message.isBlank()
                || OF_THE_PROGRAM.matcher(message).results().anyMatch(found -> !text.contains(found.group()))) {
            throw new AssertionError("no message for the author: " + message, e);
        }
    }

    private static Path file(String text) throws IOException {
        return Files.writeString(FILE, text);
    }

    private static Path temporaryFile() {
        try {
            Path file = Files.createTempFile("fuzz", ".yaml");
            file.toFile().deleteOnExit();
            return file;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
