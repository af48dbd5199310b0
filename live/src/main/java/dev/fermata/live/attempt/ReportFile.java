package dev.fermata.live.attempt;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/** The new lines of a growing file that anyone may write. Overlong lines are skipped, and links are never followed. */
final class ReportFile {
    private static final int MAX_LINE = 4 * 1024;
    private static final int MAX_READ_BYTES = 1 << 20;
    private static final long MAX_FILE_BYTES = 8L << 20;

    private final Path file;
    private final StringBuilder partialLine = new StringBuilder();
    private boolean skipping;
    private long offset;

    ReportFile(Path file) {
        this.file = file;
    }

    /** The lines that were completed since the last call; about a megabyte at a time. */
    List<String> newLines() throws IOException {
        if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            return List.of();
        }
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
            if (channel.size() < offset) {
                offset = 0; // the job has rewritten it
                partialLine.setLength(0);
            }
            ByteBuffer buffer =
                    ByteBuffer.allocate((int) Math.min(MAX_READ_BYTES, Math.max(0, channel.size() - offset)));
            int read = 0;
            while (buffer.hasRemaining() && read >= 0) {
                read = channel.read(buffer, offset + buffer.position());
            }
            offset += buffer.position();
            return split(new String(buffer.array(), 0, buffer.position(), UTF_8));
        } catch (NoSuchFileException e) {
            return List.of();
        }
    }

    private List<String> split(String text) {
        List<String> lines = new ArrayList<>();
        int from = 0;
        for (int end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
            partialLine.append(text, from, Math.min(end, from + MAX_LINE + 1));
            if (!skipping && partialLine.length() <= MAX_LINE) {
                lines.add(partialLine.toString());
            }
            partialLine.setLength(0);
            skipping = false;
            from = end + 1;
        }
        partialLine.append(text, from, Math.min(text.length(), from + MAX_LINE + 1));
        if (partialLine.length() > MAX_LINE) {
            partialLine.setLength(0);
            skipping = true;
        }
        return lines;
    }

    /** Whether so much was read that the file should be emptied. */
    boolean isOversized() {
        return offset > MAX_FILE_BYTES;
    }

    /** Empties it; writers continue at its new end. */
    void truncate() throws IOException {
        if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)) {
                channel.truncate(0);
            }
        }
        offset = 0;
        partialLine.setLength(0);
        skipping = false;
    }
}
