package dev.fermata.live.engine;

import dev.fermata.live.lock.ProcessLock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * The data folder of an engine whose attempts belong to it. One daemon has it at a time: two would each end the other's jobs as
 * unknown.
 */
public final class DataFolderClaim implements AutoCloseable {
    private static final long RETRY_MILLIS = 50;

    private final Path folder;
    private final ProcessLock lock;

    /** Creates the folder where there is none. */
    public DataFolderClaim(Path folder) throws IOException {
        this.folder = folder;
        this.lock = new ProcessLock(Files.createDirectories(folder).toRealPath().resolve("daemon.lock"));
    }

    /** Waits so long for another daemon to leave; see {@link ExecutionEngine#claim}. */
    public void acquire(long timeoutMillis) throws InterruptedException {
        long begin = System.nanoTime();
        while (true) {
            try {
                lock.acquire();
                return;
            } catch (ProcessLock.HeldByAnotherException e) {
                if (TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin) >= timeoutMillis) {
                    throw new IllegalStateException(
                            "another daemon (" + e.getMessage() + ") uses the data folder " + folder
                                    + ". Stop it first, or choose another folder with --data.",
                            e);
                }
                Thread.sleep(RETRY_MILLIS);
            } catch (IOException e) {
                throw new IllegalStateException("cannot lock the data folder " + folder + ": " + e, e);
            }
        }
    }

    @Override
    public void close() {
        lock.close();
    }
}
