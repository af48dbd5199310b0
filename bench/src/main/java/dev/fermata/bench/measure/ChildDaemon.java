package dev.fermata.bench.measure;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.fermata.cli.Main;
import dev.fermata.cli.client.ClientFile;
import dev.fermata.cli.client.DaemonClient;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A daemon in another process, with the heap size of {@code fermata up}. */
final class ChildDaemon implements AutoCloseable {
    /** As in the launcher. */
    static final int HEAP_MIB = 1024;

    private static final long TIMEOUT_SECONDS = 120;
    private static final int CLOCK_TICKS_PER_SECOND = 100;

    private final Process process;
    private final Path data;
    final double readySeconds;

    private ChildDaemon(Process process, Path data, double readySeconds) {
        this.process = process;
        this.data = data;
        this.readySeconds = readySeconds;
    }

    /** Starts it and waits until it is ready. */
    static ChildDaemon start(Path data, int gpus) throws IOException, InterruptedException {
        return start(data, gpus, "fermata");
    }

    static ChildDaemon start(Path data, int gpus, String policy) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(ProcessHandle.current().info().command().orElse("java"));
        command.addAll(
                List.of("-XX:+UseSerialGC", "-Xmx" + HEAP_MIB + "m", "-cp", System.getProperty("java.class.path")));
        command.add(Main.class.getName());
        command.addAll(List.of("up", "--port", "0", "--data", data.toString(), "--gpus", "virtual:" + gpus));
        command.addAll(List.of("--run-as", "daemon", "--policy", policy));
        File out = data.resolve("up.out").toFile();
        Files.deleteIfExists(data.resolve(ClientFile.NAME));
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(out);
        builder.environment().put("XDG_CONFIG_HOME", data.toString()); // clients of this user keep their own daemon
        long begin = System.nanoTime();
        Process process = builder.start();
        while (!Files.exists(data.resolve(ClientFile.NAME))) {
            if (!process.isAlive() || System.nanoTime() - begin > TimeUnit.SECONDS.toNanos(TIMEOUT_SECONDS)) {
                process.destroyForcibly();
                throw new IOException("the daemon did not start: " + Files.readString(out.toPath()));
            }
            Thread.sleep(5);
        }
        return new ChildDaemon(process, data, (System.nanoTime() - begin) / 1e9);
    }

    DaemonClient api() {
        return DaemonClient.to(ClientFile.read(data.resolve(ClientFile.NAME)).orElseThrow(), "");
    }

    /** CPU seconds it has used so far. */
    double cpuSeconds() throws IOException {
        String stat = Files.readString(Path.of("/proc", Long.toString(process.pid()), "stat"));
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        return (Double.parseDouble(fields[11]) + Double.parseDouble(fields[12])) / CLOCK_TICKS_PER_SECOND;
    }

    long pid() {
        return process.pid();
    }

    /** Used heap after a collection, from the class histogram's total. */
    double heapMebibytes() throws IOException, InterruptedException {
        Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
        Process histogram = new ProcessBuilder(jcmd.toString(), Long.toString(pid()), "GC.class_histogram")
                .redirectErrorStream(true)
                .start();
        String out = new String(histogram.getInputStream().readAllBytes(), UTF_8);
        histogram.waitFor();
        String total =
                out.lines().filter(line -> line.startsWith("Total")).findFirst().orElse("Total 0 0");
        return Double.parseDouble(total.split("\\s+")[2]) / (1 << 20);
    }

    /** Ends it as an operator would. */
    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
