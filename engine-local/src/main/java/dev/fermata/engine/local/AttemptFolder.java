package dev.fermata.engine.local;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.fermata.live.attempt.TerminationCause;
import dev.fermata.live.attempt.TerminationRequest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The folder of one attempt, through which daemon and shim communicate: {@code docs/operator/engine-local.md} has its layout. It holds
 * everything a daemon must know after a crash.
 */
final class AttemptFolder {
    /** A process by pid and start time. */
    record ProcessRef(int pid, long start) {
        boolean alive() {
            return Proc.alive(pid, start);
        }
    }

    /** When the attempt was ordered, and during which boot of the machine. */
    record StartOrder(long millis, String bootId) {}

    private static final String EXIT_REQUEST = "exit-request";
    /** Its name in 0.1.0. Shims of that version may still run, and look for it. */
    private static final String OLD_EXIT_REQUEST = "leave";

    private static final int MAX_EXIT_CODE = 255;
    private static final String NO_EXIT_YET = " ".repeat(15) + "\n";

    private final Path path;

    AttemptFolder(Path path) {
        this.path = path;
    }

    Path path() {
        return path;
    }

    Path file(String name) {
        return path.resolve(name);
    }

    /** Creates the folder and the files that the shim expects; {@code pid} and {@code claim} are the shim's own. */
    void prepare(StartOrder order) throws IOException {
        write("order", order.millis() + " " + order.bootId() + "\n");
        Files.writeString(file("exit"), NO_EXIT_YET); // its disk space is allocated from here on
    }

    /** Claims the attempt, so that no shim can run it any more. False when a shim was first. */
    boolean claim() throws IOException {
        Files.createDirectories(path);
        try {
            Files.createDirectory(file("claim"));
            return true;
        } catch (FileAlreadyExistsException e) {
            return false;
        }
    }

    boolean isClaimed() {
        return Files.isDirectory(file("claim"), LinkOption.NOFOLLOW_LINKS);
    }

    /** When the shim claimed the attempt; 0 for unknown. */
    long claimedMillis() {
        return modifiedMillis("claim");
    }

    @Nullable
    ProcessRef shim() {
        List<long[]> lines = readNumbers("pid", 2);
        return lines.isEmpty() ? null : new ProcessRef((int) lines.get(0)[0], lines.get(0)[1]);
    }

    /** The first process of each started rank. */
    List<ProcessRef> ranks() {
        return readNumbers("job", 3).stream()
                .map(line -> new ProcessRef((int) line[1], line[2]))
                .toList();
    }

    @Nullable
    StartOrder order() {
        String[] words = read("order").strip().split(" ");
        try {
            return words.length == 2 ? new StartOrder(Long.parseLong(words[0]), words[1]) : null;
        } catch (NumberFormatException e) {
            return null;
        }
    }

    /** The shim's exit record; null until it is written. */
    @Nullable
    Integer exitCode() {
        List<long[]> lines = readNumbers("exit", 1);
        return lines.isEmpty() || lines.get(0)[0] > MAX_EXIT_CODE ? null : (int) lines.get(0)[0];
    }

    long exitMillis() {
        return modifiedMillis("exit");
    }

    void terminationRequest(TerminationRequest terminationRequest) throws IOException {
        String text = terminationRequest.cause() + " " + terminationRequest.requestedMillis() + " "
                + terminationRequest.deadlineMillis() + " " + terminationRequest.signalHandled() + "\n";
        write(EXIT_REQUEST, text);
        write(OLD_EXIT_REQUEST, text);
    }

    @Nullable
    TerminationRequest terminationRequest() {
        String request = read(EXIT_REQUEST);
        String[] words =
                (request.isEmpty() ? read(OLD_EXIT_REQUEST) : request).strip().split(" ");
        try {
            return words.length == 4
                    ? new TerminationRequest(
                            TerminationCause.valueOf(words[0]),
                            Long.parseLong(words[1]),
                            Long.parseLong(words[2]),
                            Boolean.parseBoolean(words[3]))
                    : null;
        } catch (IllegalArgumentException e) {
            return null; // a job may write anything into a folder of its own account
        }
    }

    /** Records that the daemon killed the attempt. */
    void markKilled() throws IOException {
        write("killed", "");
    }

    boolean wasKilled() {
        return Files.exists(file("killed"), LinkOption.NOFOLLOW_LINKS);
    }

    /** Writes the whole file atomically. */
    void write(String name, String text) throws IOException {
        Path next = file(name + ".new");
        Files.writeString(next, text);
        Files.move(next, file(name), StandardCopyOption.ATOMIC_MOVE);
    }

    /** A small file of the daemon; empty when it is missing, not a regular file, or too large. */
    private String read(String name) {
        Path file = file(name);
        try {
            if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) || Files.size(file) > 64 * 1024) {
                return "";
            }
            return new String(Files.readAllBytes(file), UTF_8);
        } catch (NoSuchFileException | AccessDeniedException e) {
            return ""; // a job may close a file of its own account; its end must not depend on that
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + file, e);
        }
    }

    /** The complete lines of a file that hold exactly this many whole numbers. A job may write anything here: the rest is skipped. */
    private List<long[]> readNumbers(String name, int count) {
        List<long[]> found = new ArrayList<>();
        String text = read(name);
        for (String line : text.substring(0, text.lastIndexOf('\n') + 1).split("\n", -1)) {
            String[] words = line.strip().split(" ");
            if (words.length != count || !line.strip().matches("[0-9]{1,18}( [0-9]{1,18})*")) {
                continue;
            }
            long[] values = new long[count];
            for (int i = 0; i < count; i++) {
                values[i] = Long.parseLong(words[i]);
            }
            found.add(values);
        }
        return found;
    }

    private long modifiedMillis(String name) {
        try {
            return Files.getLastModifiedTime(file(name), LinkOption.NOFOLLOW_LINKS)
                    .toMillis();
        } catch (IOException e) {
            return 0;
        }
    }
}
