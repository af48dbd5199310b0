package dev.fermata.app.save;

import dev.fermata.app.exit.Complaint;
import dev.fermata.app.run.Cell;
import dev.fermata.app.run.Measured;
import dev.fermata.app.run.Shelf;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The finished runs of a comparison in a file: each is appended the moment it ends, so that nothing but the runs under way is
 * lost whatever happens to the program. One process writes to a file at a time; others still read it.
 */
public final class SavedRuns implements Shelf, AutoCloseable {
    private final Path file;
    private final RunIdentity identity;
    private final Map<String, RunFile.Unread> found = new HashMap<>();
    private final Set<String> saved = new HashSet<>();
    private final String[] keys;
    private boolean reuse = true;
    private Map<String, String> stranger = Map.of();
    private @Nullable RandomAccessFile out;
    private String trouble = "";

    private SavedRuns(Path file, List<Cell> cells, RunIdentity identity) {
        this.file = file;
        this.identity = identity;
        this.keys = cells.stream().map(identity::key).toArray(String[]::new);
    }

    /** Reads what there is, and opens it for more. What is not a file of saved runs is refused and left alone. */
    static SavedRuns open(Path file, List<Cell> cells, RunIdentity identity) {
        SavedRuns runs = new SavedRuns(file, cells, identity);
        runs.lockAndRead();
        return runs;
    }

    /** The same, but everything is run again; what is there stays there, for whoever asks for it later. */
    static SavedRuns startOver(Path file, List<Cell> cells, RunIdentity identity) {
        SavedRuns runs = open(file, cells, identity);
        runs.reuse = false;
        return runs;
    }

    /** Whether what was found need not be run again. */
    public boolean reused() {
        return reuse;
    }

    /** How many runs of this comparison are safe. */
    public synchronized int count() {
        return saved.size();
    }

    /** Why nothing more is saved; empty as long as it is. */
    public synchronized String trouble() {
        return trouble;
    }

    /** The setting of a run in the file, where none of its runs is of this comparison. */
    Map<String, String> stranger() {
        return saved.isEmpty() ? stranger : Map.of();
    }

    @Override
    public Optional<Measured> find(Cell cell) {
        RunFile.Unread line = reuse ? found.get(keys[cell.place()]) : null;
        return Optional.ofNullable(line)
                .map(RunFile.Unread::read)
                .map(l -> new Measured(cell.setting(), cell.policy(), l.jobs(), l.result(), l.refusals()));
    }

    @Override
    public synchronized Optional<String> keep(Cell cell, Measured run) {
        if (out == null) {
            return Optional.empty();
        }
        String key = keys[cell.place()];
        try {
            out.write(RunFile.text(
                    new RunFile.Line(key, identity.setting(cell.setting()), run.jobs(), run.refusals(), run.result())));
            saved.add(key);
            return Optional.empty();
        } catch (IOException e) {
            return Optional.of(giveUp(String.valueOf(e.getMessage())));
        }
    }

    /** The comparison is complete, and its runs are needed no more. */
    public void remove() {
        boolean ours = out != null;
        close();
        if (ours) {
            try {
                Files.deleteIfExists(file);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    @Override
    public synchronized void close() {
        RandomAccessFile open = out;
        out = null;
        if (open != null) {
            try {
                open.close(); // and with it the lock
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Takes the lock before it reads: whoever has it may append until then. */
    private void lockAndRead() {
        if (Files.exists(file) && !Files.isRegularFile(file)) {
            throw Complaint.invalid("'" + file + "' is not a file of saved runs; it is left as it is");
        }
        try {
            lock();
        } catch (OverlappingFileLockException e) {
            giveUp("this fermata is writing to it already");
        } catch (IOException e) {
            giveUp(String.valueOf(e.getMessage()));
        }
        try {
            if (out != null) {
                // Through the locked file itself: closing another stream on it would let go of the lock.
                long whole = read(new BufferedInputStream(Channels.newInputStream(out.getChannel())));
                out.setLength(whole); // a line that was cut off goes
                out.seek(whole);
                if (whole == 0) {
                    out.write(RunFile.HEADER.getBytes(StandardCharsets.UTF_8));
                }
            } else if (Files.exists(file)) {
                try (InputStream in = new BufferedInputStream(Files.newInputStream(file))) {
                    read(in);
                }
            }
        } catch (IOException e) {
            giveUp(String.valueOf(e.getMessage()));
        } catch (Complaint e) {
            close();
            throw e;
        }
        saved.addAll(found.keySet());
    }

    private void lock() throws IOException {
        do {
            close();
            RandomAccessFile opened = new RandomAccessFile(file.toFile(), "rw");
            out = opened;
            if (opened.getChannel().tryLock() == null) {
                giveUp("another fermata is writing to it");
                return;
            }
        } while (!Files.exists(file)); // its last owner has removed it meanwhile
    }

    private long read(InputStream in) throws IOException {
        Set<String> wanted = Set.of(keys);
        return RunFile.read(in, file, line -> {
            if (wanted.contains(line.key())) {
                found.put(line.key(), line);
            } else {
                stranger = line.setting();
            }
        });
    }

    private String giveUp(String reason) {
        trouble = "runs are not saved to '" + file + "': " + reason;
        close();
        return trouble;
    }
}
