package dev.fermata.live.attempt;

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
import org.jspecify.annotations.Nullable;

/**
 * The output of attempts in files. Each stream is files named after the offset of their first byte; files in the middle of a
 * long one may be dropped. Only regular files with such names are read, and links are never followed.
 */
public final class AttemptLogFiles implements JobLogs {
    private static final Set<String> STREAMS = Set.of("stdout", "stderr");
    private static final int MAX_RANKS = 100_000;

    private final Path attemptsFolder;

    public AttemptLogFiles(Path runs) {
        this.attemptsFolder = runs;
    }

    @Override
    public Optional<LogOutput> open(long jobId, int attempt, String stream, int rank) throws IOException {
        if (jobId < 0 || attempt < 0 || rank < 0 || rank > MAX_RANKS || !STREAMS.contains(stream)) {
            return Optional.empty();
        }
        Path folder = attemptsFolder.resolve(Long.toString(jobId)).resolve(Integer.toString(attempt));
        List<String> names = rank == 0 ? List.of(stream, stream + "-0") : List.of(stream + "-" + rank);
        for (String name : names) {
            ChunkedOutput chunks = new ChunkedOutput(folder, name);
            if (!chunks.list().isEmpty()) {
                return Optional.of(chunks);
            }
        }
        return Optional.empty();
    }

    /** One file of a stream. */
    private record LogChunk(long firstOffset, long size, Path file) {
        long endOffset() {
            return firstOffset + size;
        }
    }

    private static final class ChunkedOutput implements LogOutput {
        private final Path folder;
        private final String name;
        /** Where the last read was: a reader that follows an output reads there again, without listing the folder. */
        private volatile @Nullable LogChunk latest;

        ChunkedOutput(Path folder, String name) {
            this.folder = folder;
            this.name = name;
        }

        /** In the order of their offsets. Files may appear and vanish at any time. */
        List<LogChunk> list() throws IOException {
            List<LogChunk> found = new ArrayList<>();
            try (var files = Files.newDirectoryStream(folder, name + ".*")) {
                for (Path file : files) {
                    String offset = file.getFileName().toString().substring(name.length() + 1);
                    if (offset.matches("[0-9]{1,18}") && Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
                        found.add(new LogChunk(Long.parseLong(offset), Files.size(file), file));
                    }
                }
            } catch (NoSuchFileException | NotDirectoryException e) {
                return found.isEmpty() ? found : list();
            }
            found.sort(Comparator.comparingLong(LogChunk::firstOffset));
            return found;
        }

        @Override
        public long firstOffset() throws IOException {
            List<LogChunk> chunks = list();
            return chunks.isEmpty() ? 0 : chunks.get(0).firstOffset();
        }

        @Override
        public long endOffset() throws IOException {
            List<LogChunk> chunks = list();
            return chunks.isEmpty() ? 0 : chunks.get(chunks.size() - 1).endOffset();
        }

        @Override
        public long nextAvailable(long offset) throws IOException {
            List<LogChunk> chunks = list();
            for (LogChunk chunk : chunks) {
                if (offset < chunk.endOffset()) {
                    return Math.max(offset, chunk.firstOffset());
                }
            }
            return offset;
        }

        @Override
        public int read(long offset, byte[] into) throws IOException {
            LogChunk before = latest;
            if (before != null && offset >= before.firstOffset()) {
                int read = read(before, offset, into);
                boolean last = offset > before.firstOffset()
                        && !Files.exists(folder.resolve(name + "." + offset), LinkOption.NOFOLLOW_LINKS);
                if (read > 0 || (read == 0 && last)) {
                    return read;
                }
            }
            for (LogChunk chunk : list()) {
                if (offset >= chunk.firstOffset() && offset < chunk.endOffset()) {
                    latest = chunk;
                    return Math.max(0, read(chunk, offset, into));
                }
            }
            return 0;
        }

        /** The bytes read; 0 at the end of the file, -1 where it was dropped meanwhile. */
        private static int read(LogChunk chunk, long offset, byte[] into) throws IOException {
            try (FileChannel channel =
                    FileChannel.open(chunk.file(), StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
                return Math.max(0, channel.read(ByteBuffer.wrap(into), offset - chunk.firstOffset()));
            } catch (NoSuchFileException e) {
                return -1;
            }
        }

        @Override
        public void close() {
            // no file stays open between reads
        }
    }
}
