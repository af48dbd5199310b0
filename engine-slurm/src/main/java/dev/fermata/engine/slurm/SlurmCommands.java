package dev.fermata.engine.slurm;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.fermata.live.attempt.SingleLine;
import dev.fermata.live.attempt.SteadyClock;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Executes Slurm's commands: a few at a time, and no more in a second than allowed, so that a daemon never burdens the
 * controller. Never interprets what they print.
 */
final class SlurmCommands {
    /** Slurm's own commands give up after its MessageTimeout, mostly 10 s. */
    private static final long TIMEOUT_MILLIS = 30_000;

    private static final int AT_ONCE = 4;
    private static final int MAX_PER_SECOND = 50;
    /** The environment of the daemon holds secrets; commands and jobs get only this. */
    private static final List<String> INHERITED = List.of("HOME", "USER", "LOGNAME", "LANG", "SLURM_CONF", "SLURM_JWT");

    static final String DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

    private final Semaphore slots = new Semaphore(AT_ONCE, true);
    private final AtomicLong nextStartMillis = new AtomicLong();
    private final AtomicLong executed = new AtomicLong();
    private final Path folder;
    private final String conf;

    /**
     * @param folder the working directory of all commands
     * @param conf Slurm's configuration file, empty for the one that its commands find
     */
    SlurmCommands(Path folder, String conf) {
        this.folder = folder;
        this.conf = conf;
    }

    /** How many commands were executed. */
    long executed() {
        return executed.get();
    }

    /** Executes a command that reads; times are seconds since 1970. Returns what it prints. */
    String read(String... command) throws IOException, InterruptedException {
        return execute(List.of(command), Map.of("SLURM_TIME_FORMAT", "%s"));
    }

    /** Executes a command and returns what it prints on standard output. */
    String execute(List<String> command, Map<String, String> variables) throws IOException, InterruptedException {
        awaitTurn();
        slots.acquire();
        try {
            executed.incrementAndGet();
            ProcessBuilder builder = new ProcessBuilder(new ArrayList<>(command));
            Map<String, String> environment = builder.environment();
            environment.clear();
            environment.put("PATH", inherited("PATH", DEFAULT_PATH));
            for (String name : INHERITED) {
                String value = System.getenv(name);
                if (value != null) {
                    environment.put(name, value);
                }
            }
            if (!conf.isEmpty()) {
                environment.put("SLURM_CONF", conf);
            }
            environment.putAll(variables);
            builder.directory(folder.toFile());
            return await(command.get(0), builder.start());
        } finally {
            slots.release();
        }
    }

    private void awaitTurn() throws InterruptedException {
        long gap = 1000 / MAX_PER_SECOND;
        long now = SteadyClock.elapsed();
        long mine = nextStartMillis.getAndUpdate(next -> Math.max(next, now) + gap);
        if (mine > now) {
            Thread.sleep(mine - now);
        }
    }

    private static String await(String name, Process process) throws IOException, InterruptedException {
        process.getOutputStream().close();
        CompletableFuture<String> error = CompletableFuture.supplyAsync(() -> readAll(process.getErrorStream()));
        CompletableFuture<String> output = CompletableFuture.supplyAsync(() -> readAll(process.getInputStream()));
        if (!process.waitFor(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)) {
            process.destroyForcibly();
            throw new SlurmException(name + ": no answer within " + TIMEOUT_MILLIS / 1000 + " s", true);
        }
        try {
            if (process.exitValue() != 0) {
                throw SlurmException.of(name, SingleLine.of(error.join(), 300));
            }
            return output.join();
        } catch (CompletionException e) {
            throw new IOException(name + ": its output cannot be read", e);
        }
    }

    private static String readAll(InputStream stream) {
        try (stream) {
            return new String(stream.readAllBytes(), UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String inherited(String name, String otherwise) {
        @Nullable String value = System.getenv(name);
        return value == null || value.isEmpty() ? otherwise : value;
    }
}
