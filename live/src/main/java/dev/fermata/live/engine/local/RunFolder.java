package dev.fermata.live.engine.local;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
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
 * The folder of one attempt, through which daemon and shim speak with each other: {@code docs/engine-local.md} has its layout. Everything
 * that a daemon must know after a crash is here.
 */
final class RunFolder {
    /** A process by pid and start time. */
    record Known(int pid, long start) {
        boolean alive() {
            return Proc.alive(pid, start);
        }
    }

    /** When the attempt was ordered, and since which start of the machine. */
    record Order(long millis, String boot) {}

    /**
     * That the attempt was asked to leave.
     *
     * @param caught whether anybody in it listened to the signal
     */
    record Leave(Why why, long askedMillis, long deadlineMillis, boolean caught) {}

    /** Why an attempt is asked to leave. */
    enum Why {
        PAUSE,
        KILL,
        LIMIT,
        /** It took memory that others were promised. */
        MEMORY
    }

    private static final String NO_EXIT_YET = " ".repeat(15) + "\n";

    private final Path path;

    RunFolder(Path path) {
        this.path = path;
    }

    Path path() {
        return path;
    }

    Path file(String name) {
        return path.resolve(name);
    }

    /** Makes the folder and the files the shim needs to find; {@code pid} and {@code claim} are the shim's own. */
    void prepare(Order order) throws IOException {
        write("order", order.millis() + " " + order.boot() + "\n");
        Files.writeString(file("exit"), NO_EXIT_YET); // its place on the disk is taken from here on
    }

    /** Takes the attempt, so that no shim can run it any more. False when a shim was first. */
    boolean claim() throws IOException {
        Files.createDirectories(path);
        try {
            Files.createDirectory(file("claim"));
            return true;
        } catch (FileAlreadyExistsException e) {
            return false;
        }
    }

    boolean claimed() {
        return Files.isDirectory(file("claim"), LinkOption.NOFOLLOW_LINKS);
    }

    /** When the shim took the attempt; 0 when nobody knows. */
    long claimedMillis() {
        return modifiedMillis("claim");
    }

    @Nullable
    Known shim() {
        List<long[]> lines = numbers("pid", 2);
        return lines.isEmpty() ? null : new Known((int) lines.get(0)[0], lines.get(0)[1]);
    }

    /** The first process of each rank that was started. */
    List<Known> ranks() {
        return numbers("job", 3).stream()
                .map(line -> new Known((int) line[1], line[2]))
                .toList();
    }

    @Nullable
    Order order() {
        String[] words = read("order").strip().split(" ");
        try {
            return words.length == 2 ? new Order(Long.parseLong(words[0]), words[1]) : null;
        } catch (NumberFormatException e) {
            return null;
        }
    }

    /** What the shim wrote at the end; null while it did not. */
    @Nullable
    Integer exitCode() {
        List<long[]> lines = numbers("exit", 1);
        return lines.isEmpty() ? null : (int) lines.get(0)[0];
    }

    long exitMillis() {
        return modifiedMillis("exit");
    }

    void leave(Leave leave) throws IOException {
        write(
                "leave",
                leave.why() + " " + leave.askedMillis() + " " + leave.deadlineMillis() + " " + leave.caught() + "\n");
    }

    @Nullable
    Leave leave() {
        String[] words = read("leave").strip().split(" ");
        try {
            return words.length == 4
                    ? new Leave(
                            Why.valueOf(words[0]),
                            Long.parseLong(words[1]),
                            Long.parseLong(words[2]),
                            Boolean.parseBoolean(words[3]))
                    : null;
        } catch (IllegalArgumentException e) {
            return null; // a job may write what it likes into a folder of its own account
        }
    }

    /** Remembers that we ended the attempt by force. */
    void markKilled() throws IOException {
        write("killed", "");
    }

    boolean killed() {
        return Files.exists(file("killed"), LinkOption.NOFOLLOW_LINKS);
    }

    /** The whole file at once, or not at all. */
    void write(String name, String text) throws IOException {
        Path next = file(name + ".new");
        Files.writeString(next, text);
        Files.move(next, file(name), StandardCopyOption.ATOMIC_MOVE);
    }

    /** A small file of ours; empty when it is missing, or no plain file, or too large to be ours. */
    private String read(String name) {
        Path file = file(name);
        try {
            if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) || Files.size(file) > 64 * 1024) {
                return "";
            }
            return new String(Files.readAllBytes(file), UTF_8);
        } catch (NoSuchFileException e) {
            return "";
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + file, e);
        }
    }

    /** The complete lines of a file that hold exactly so many whole numbers. */
    private List<long[]> numbers(String name, int count) {
        List<long[]> found = new ArrayList<>();
        String text = read(name);
        for (String line : text.substring(0, text.lastIndexOf('\n') + 1).split("\n", -1)) {
            String[] words = line.strip().split(" ");
            if (words.length != count || !line.strip().matches("[0-9 ]{1,60}")) {
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
