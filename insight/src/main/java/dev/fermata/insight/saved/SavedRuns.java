package dev.fermata.insight.saved;

import dev.fermata.insight.exit.UserError;
import dev.fermata.insight.experiment.MatrixCell;
import dev.fermata.insight.experiment.MeasuredRun;
import dev.fermata.insight.experiment.RunCache;
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
 * The finished runs of a comparison in a file. Each is appended when it ends, so that only runs in progress are lost if
 * the program dies. One process writes to a file at a time; others still read it.
 */
public final class SavedRuns implements RunCache, AutoCloseable {
    private final Path file;
    private final RunIdentity identity;
    private final Map<String, SavedRunFile.UnparsedRun> found = new HashMap<>();
    private final Set<String> saved = new HashSet<>();
    private final String[] keys;
    private boolean reuse = true;
    private Map<String, String> otherSetting = Map.of();
    private @Nullable RandomAccessFile out;
    private String problem = "";

    private SavedRuns(Path file, List<MatrixCell> cells, RunIdentity identity) {
        this.file = file;
        this.identity = identity;
        this.keys = cells.stream().map(identity::key).toArray(String[]::new);
    }

    /** Reads the file and opens it for more. A file of another format is rejected and left untouched. */
    static SavedRuns open(Path file, List<MatrixCell> cells, RunIdentity identity) {
        SavedRuns runs = new SavedRuns(file, cells, identity);
        runs.lockAndRead();
        return runs;
    }

    /** The same, but everything is run again; existing runs stay in the file for later comparisons. */
    static SavedRuns restart(Path file, List<MatrixCell> cells, RunIdentity identity) {
        SavedRuns runs = open(file, cells, identity);
        runs.reuse = false;
        return runs;
    }

    /** Whether found runs are reused. */
    public boolean reused() {
        return reuse;
    }

    /** How many runs of this comparison are saved. */
    public synchronized int count() {
        return saved.size();
    }

    /** Why nothing more is saved; empty as long as it is. */
    public synchronized String problem() {
        return problem;
    }

    /** The setting of a run in the file, where none of its runs is of this comparison. */
    Map<String, String> otherSetting() {
        return saved.isEmpty() ? otherSetting : Map.of();
    }

    @Override
    public Optional<MeasuredRun> find(MatrixCell cell) {
        SavedRunFile.UnparsedRun line = reuse ? found.get(keys[cell.index()]) : null;
        return Optional.ofNullable(line)
                .map(SavedRunFile.UnparsedRun::read)
                .map(l -> new MeasuredRun(cell.setting(), cell.policy(), l.jobs(), l.result(), l.infeasible()));
    }

    @Override
    public synchronized Optional<String> store(MatrixCell cell, MeasuredRun run) {
        if (out == null) {
            return Optional.empty();
        }
        String key = keys[cell.index()];
        try {
            out.write(SavedRunFile.text(new SavedRunFile.SavedRun(
                    key, identity.setting(cell.setting()), run.jobs(), run.infeasible(), run.result())));
            saved.add(key);
            return Optional.empty();
        } catch (IOException e) {
            return Optional.of(stopSaving(String.valueOf(e.getMessage())));
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

    /** Takes the lock before it reads: its owner may append until then. */
    private void lockAndRead() {
        if (Files.exists(file) && !Files.isRegularFile(file)) {
            throw UserError.invalid("'" + file + "' is not a file of saved runs; it is left as it is");
        }
        try {
            lock();
        } catch (OverlappingFileLockException e) {
            stopSaving("this fermata is writing to it already");
        } catch (IOException e) {
            stopSaving(String.valueOf(e.getMessage()));
        }
        try {
            if (out != null) {
                // Through the locked file itself: closing another stream on it would let go of the lock.
                long whole = read(new BufferedInputStream(Channels.newInputStream(out.getChannel())));
                out.setLength(whole); // a line that was cut off goes
                out.seek(whole);
                if (whole == 0) {
                    out.write(SavedRunFile.HEADER.getBytes(StandardCharsets.UTF_8));
                }
            } else if (Files.exists(file)) {
                try (InputStream in = new BufferedInputStream(Files.newInputStream(file))) {
                    read(in);
                }
            }
        } catch (IOException e) {
            stopSaving(String.valueOf(e.getMessage()));
        } catch (UserError e) {
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
                stopSaving("another fermata is writing to it");
                return;
            }
        } while (!Files.exists(file)); // its last owner has removed it meanwhile
    }

    private long read(InputStream in) throws IOException {
        Set<String> wanted = Set.of(keys);
        return SavedRunFile.read(in, file, line -> {
            if (wanted.contains(line.key())) {
                found.put(line.key(), line);
            } else {
                otherSetting = line.setting();
            }
        });
    }

    private String stopSaving(String reason) {
        problem = "runs are not saved to '" + file + "': " + reason;
        close();
        return problem;
    }
}
