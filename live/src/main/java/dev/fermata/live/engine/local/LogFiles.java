package dev.fermata.live.engine.local;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.fermata.live.engine.JobLogs;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What attempts printed. The shim keeps each stream as files named after the offset of their first byte, and drops those in the middle
 * of a long one. Only plain files with such names are read, and no link is ever followed.
 */
public final class LogFiles implements JobLogs {
    private static final Set<String> STREAMS = Set.of("stdout", "stderr");
    private static final int MOST_RANKS = 100_000;

    private final Path runs;

    LogFiles(Path runs) {
        this.runs = runs;
    }

    @Override
    public Optional<Output> open(long jobId, int attempt, String stream, int rank) throws IOException {
        if (jobId < 0 || attempt < 0 || rank < 0 || rank > MOST_RANKS || !STREAMS.contains(stream)) {
            return Optional.empty();
        }
        Path folder = runs.resolve(Long.toString(jobId)).resolve(Integer.toString(attempt));
        List<String> names = rank == 0 ? List.of(stream, stream + "-0") : List.of(stream + "-" + rank);
        for (String name : names) {
            Pieces pieces = new Pieces(folder, name);
            if (!pieces.list().isEmpty()) {
                return Optional.of(pieces);
            }
        }
        return Optional.empty();
    }

    /** The last line with something on it, for people; empty when there is none. Looks at the end only. */
    String lastLine(long jobId, int attempt, String stream, int rank) throws IOException {
        String[] lines = tail(jobId, attempt, stream, rank, 8 * 1024).split("[\\r\\n]+");
        for (int i = lines.length - 1; i >= 0; i--) {
            String line = OneLine.of(lines[i], 200);
            if (!line.isEmpty()) {
                return line;
            }
        }
        return "";
    }

    /** At most so many bytes from the end; empty when there is no such output. */
    String tail(long jobId, int attempt, String stream, int rank, int bytes) throws IOException {
        Optional<Output> found = open(jobId, attempt, stream, rank);
        if (found.isEmpty()) {
            return "";
        }
        try (Output output = found.get()) {
            byte[] end = new byte[bytes];
            long from = output.kept(Math.max(0, output.end() - bytes));
            int size = 0;
            byte[] part = new byte[bytes];
            for (int read = output.read(from, part); read > 0 && size < bytes; read = output.read(from + size, part)) {
                int take = Math.min(read, bytes - size);
                System.arraycopy(part, 0, end, size, take);
                size += take;
            }
            return new String(end, 0, size, UTF_8);
        }
    }

    /** One file of a stream. */
    private record Piece(long begin, long size, Path file) {
        long end() {
            return begin + size;
        }
    }

    private record Pieces(Path folder, String name) implements Output {
        /** In the order of their bytes. They may come and go at any time. */
        List<Piece> list() throws IOException {
            List<Piece> found = new ArrayList<>();
            try (var files = Files.newDirectoryStream(folder, name + ".*")) {
                for (Path file : files) {
                    String offset = file.getFileName().toString().substring(name.length() + 1);
                    if (offset.matches("[0-9]{1,18}") && Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
                        found.add(new Piece(Long.parseLong(offset), Files.size(file), file));
                    }
                }
            } catch (NoSuchFileException | NotDirectoryException e) {
                return found.isEmpty() ? found : list();
            }
            found.sort(Comparator.comparingLong(Piece::begin));
            return found;
        }

        @Override
        public long begin() throws IOException {
            List<Piece> pieces = list();
            return pieces.isEmpty() ? 0 : pieces.get(0).begin();
        }

        @Override
        public long end() throws IOException {
            List<Piece> pieces = list();
            return pieces.isEmpty() ? 0 : pieces.get(pieces.size() - 1).end();
        }

        @Override
        public long kept(long offset) throws IOException {
            List<Piece> pieces = list();
            for (Piece piece : pieces) {
                if (offset < piece.end()) {
                    return Math.max(offset, piece.begin());
                }
            }
            return offset;
        }

        @Override
        public int read(long offset, byte[] into) throws IOException {
            for (Piece piece : list()) {
                if (offset >= piece.begin() && offset < piece.end()) {
                    try (FileChannel channel =
                            FileChannel.open(piece.file(), StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
                        return Math.max(0, channel.read(ByteBuffer.wrap(into), offset - piece.begin()));
                    } catch (NoSuchFileException e) {
                        return 0; // dropped just now
                    }
                }
            }
            return 0;
        }

        @Override
        public void close() {
            // nothing is held open between reads
        }
    }
}
