package dev.fermata.engine.slurm;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.fermata.live.attempt.TerminationCause;
import dev.fermata.live.attempt.TerminationRequest;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The folder of an attempt on shared storage, through which the daemon and {@code attempt.sh} communicate. A job may write
 * anything into it: what cannot be read counts as missing.
 */
final class AttemptFiles {
    private static final int MAX_BYTES = 4 * 1024;

    private final Path path;

    AttemptFiles(Path attemptsFolder, long jobId, int attempt) {
        this.path = attemptsFolder.resolve(Long.toString(jobId)).resolve(Integer.toString(attempt));
    }

    Path path() {
        return path;
    }

    Path file(String name) {
        return path.resolve(name);
    }

    /** Writes the whole file atomically. */
    void write(String name, String text) throws IOException {
        Path next = file(name + ".daemon");
        Files.writeString(next, text);
        Files.move(next, file(name), StandardCopyOption.ATOMIC_MOVE);
    }

    private String read(String name) {
        Path file = file(name);
        try {
            if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) && Files.size(file) <= MAX_BYTES) {
                return new String(Files.readAllBytes(file), UTF_8).strip();
            }
        } catch (IOException e) {
            // as if it were missing
        }
        return "";
    }

    private long readNumber(String name, long otherwise) {
        String text = read(name);
        return text.matches("[0-9]{1,18}") ? Long.parseLong(text) : otherwise;
    }

    /** Claims the attempt, so that no Slurm job can run it any more. False when one was first. */
    boolean claim() throws IOException {
        Files.createDirectories(path);
        try {
            Files.createDirectory(file("claim"));
            return true;
        } catch (FileAlreadyExistsException e) {
            return false;
        }
    }

    /** The id of the Slurm job that runs it or ran it, 0 for none. */
    long owner() {
        return readNumber("claim/job", 0);
    }

    /** When it was ordered, otherwise this time. */
    long orderedMillis(long otherwise) {
        return readNumber("order", otherwise);
    }

    /** When its command began, 0 for never. */
    long begunMillis() {
        return readNumber("begun", 0);
    }

    /** Its exit code; null until it is written. */
    @Nullable
    Integer exitCode() {
        long code = readNumber("exit", -1);
        return code < 0 || code > 255 ? null : (int) code;
    }

    long exitMillis(long otherwise) {
        try {
            return Files.getLastModifiedTime(file("exit"), LinkOption.NOFOLLOW_LINKS)
                    .toMillis();
        } catch (IOException e) {
            return otherwise;
        }
    }

    boolean wasKilled() {
        return Files.exists(file("killed"), LinkOption.NOFOLLOW_LINKS);
    }

    /** Whether any process handled the signal. */
    boolean signalHandled(int ranks) {
        for (int rank = 0; rank < Math.max(1, ranks); rank++) {
            if (read("signalled-" + rank).equals("1")) {
                return true;
            }
        }
        return false;
    }

    /** Records a request before it is carried out; the grace time first, for the script. */
    void request(TerminationRequest request, String signal) throws IOException {
        long grace = request.deadlineMillis() - request.requestedMillis();
        write(
                "exit-request",
                grace / 1000 + "." + String.format(Locale.ROOT, "%03d", grace % 1000) + " " + signal + "\n");
        write("request", request.cause() + " " + request.requestedMillis() + " " + request.deadlineMillis() + "\n");
    }

    /** The request of an earlier daemon. */
    @Nullable
    TerminationRequest request() {
        String[] words = read("request").split(" ");
        try {
            return words.length == 3
                    ? new TerminationRequest(
                            TerminationCause.valueOf(words[0]),
                            Long.parseLong(words[1]),
                            Long.parseLong(words[2]),
                            false)
                    : null;
        } catch (IllegalArgumentException e) {
            return null;
        }
    }
}
