package dev.fermata.engine.slurm;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A real Slurm with fake nodes on loopback. A script starts it, and ends all of it when this process closes it or dies.
 */
final class TestSlurm implements AutoCloseable {
    private static @Nullable TestSlurm shared;

    private final Path folder;
    private final Process script;
    private final BufferedReader answers;
    private final BufferedWriter requests;

    private TestSlurm(Path folder, Process script) {
        this.folder = folder;
        this.script = script;
        this.answers = new BufferedReader(new InputStreamReader(script.getInputStream(), UTF_8));
        this.requests = new BufferedWriter(new OutputStreamWriter(script.getOutputStream(), UTF_8));
    }

    /** One for all tests of this process, with 8 nodes. It ends with the process. */
    static synchronized TestSlurm shared() {
        if (shared == null) {
            try {
                shared = start(Files.createTempDirectory("slurm"), 8, 300);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return shared;
    }

    static TestSlurm start(Path folder, int nodes, int minJobAgeSeconds) {
        try {
            Path cluster = folder.resolve("cluster.sh");
            try (var in = Objects.requireNonNull(TestSlurm.class.getResourceAsStream("cluster.sh"))) {
                Files.copy(in, cluster, StandardCopyOption.REPLACE_EXISTING);
            }
            ProcessBuilder builder = new ProcessBuilder(
                    "bash",
                    cluster.toString(),
                    folder.toRealPath().toString(),
                    Integer.toString(nodes),
                    Integer.toString(freePorts(nodes + 1)));
            builder.environment().put("MIN_JOB_AGE", Integer.toString(minJobAgeSeconds));
            builder.redirectError(folder.resolve("cluster.log").toFile());
            TestSlurm slurm = new TestSlurm(folder, builder.start());
            String answer = slurm.answers.readLine();
            if (!"ready".equals(answer)) {
                throw new IllegalStateException(
                        "Slurm (of the packages slurmctld, slurmd and slurm-client) does not start: "
                                + Files.readString(folder.resolve("cluster.log")));
            }
            return slurm;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The first of so many consecutive ports that are free now, below those that the system gives out. */
    private static int freePorts(int count) throws IOException {
        for (int tries = 0; tries < 100; tries++) {
            int first = ThreadLocalRandom.current().nextInt(12_000, 30_000 - count);
            List<ServerSocket> held = new ArrayList<>();
            try {
                for (int i = 0; i < count; i++) {
                    held.add(new ServerSocket(first + i, 1, InetAddress.getLoopbackAddress()));
                }
                return first;
            } catch (IOException e) {
                // one of them is in use
            } finally {
                for (ServerSocket socket : held) {
                    socket.close();
                }
            }
        }
        throw new IOException("no " + count + " consecutive free ports");
    }

    Path conf() {
        return folder.resolve("slurm.conf");
    }

    /** Kills a daemon: {@code ctld}, or that of a node. */
    void stop(String what) {
        request("stop " + what);
    }

    void start(String what) {
        request("start " + what);
    }

    /** Until the controller has written the jobs that it has now; of a killed one only those are left. */
    void awaitSavedState() {
        Path state = folder.resolve("state/job_state");
        long now = System.currentTimeMillis();
        SlurmBench.awaitUntil(() -> Files.exists(state) && state.toFile().lastModified() > now);
    }

    private synchronized void request(String line) {
        try {
            requests.write(line + "\n");
            requests.flush();
            String unused = answers.readLine();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Executes a command of Slurm as a user would; returns its output. */
    String execute(String... command) {
        try {
            ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
            builder.environment().put("SLURM_CONF", conf().toString());
            Process process = builder.start();
            process.getOutputStream().close();
            String output = new String(process.getInputStream().readAllBytes(), UTF_8);
            process.waitFor();
            return output.strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        try {
            requests.close();
            if (!script.waitFor(30, TimeUnit.SECONDS)) {
                script.destroyForcibly();
            }
        } catch (IOException e) {
            script.destroy();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
