package dev.fermata.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** The program as a process of its own, with its streams in files and its cache in a folder of the test. */
public final class FermataProcess implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofMinutes(2);
    private static final int INTERRUPT = 2;

    private final Process process;
    private final Path out;
    private final Path err;

    private FermataProcess(Process process, Path out, Path err) {
        this.process = process;
        this.out = out;
        this.err = err;
    }

    public static FermataProcess start(Path folder, String... args) throws IOException {
        return start(folder, List.of(), args);
    }

    /** With its home in the folder too, and these variables. */
    public static FermataProcess startAtHome(Path folder, Map<String, String> environment, String... args)
            throws IOException {
        Map<String, String> variables = new HashMap<>(home(folder));
        variables.putAll(environment);
        return start(folder, List.of(), variables, args);
    }

    /** Variables that keep it away from the real home. */
    public static Map<String, String> home(Path folder) {
        return Map.of(
                "HOME",
                folder.toString(),
                "XDG_CONFIG_HOME",
                folder.resolve("config").toString(),
                "XDG_DATA_HOME",
                folder.resolve("data").toString());
    }

    /** @param before what comes before the command on the command line, such as a shell that sets limits */
    static FermataProcess start(Path folder, List<String> before, String... args) throws IOException {
        return start(folder, before, Map.of(), args);
    }

    private static FermataProcess start(
            Path folder, List<String> before, Map<String, String> environment, String... args) throws IOException {
        List<String> command = new ArrayList<>(before);
        // Surefire puts the class path of the tests into a jar, and names it here.
        String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xshare:auto",
                "-XX:-UsePerfData",
                "-Xmx256m",
                "-cp",
                classPath,
                Main.class.getName()));
        command.addAll(List.of(args));
        Path out = Files.createTempFile(folder, "out", ".txt");
        Path err = Files.createTempFile(folder, "err", ".txt");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("FERMATA_"));
        builder.environment().put("XDG_CACHE_HOME", cache(folder).toString());
        builder.environment().putAll(environment);
        return new FermataProcess(builder.start(), out, err);
    }

    static Path cache(Path folder) {
        return folder.resolve("cache");
    }

    /** Waits until something has come true while the process runs. */
    public void until(BooleanSupplier holds) throws InterruptedException {
        Instant end = Instant.now().plus(TIMEOUT);
        while (!holds.getAsBoolean()) {
            assertThat(process.isAlive()).as("still running").isTrue();
            assertThat(Instant.now()).as("in time").isBefore(end);
            process.waitFor(5, TimeUnit.MILLISECONDS);
        }
    }

    /** Ctrl-C, or SIGTERM where the process that started the tests makes its children ignore Ctrl-C. */
    public void interrupt() throws IOException, InterruptedException {
        signal(ignoresInterrupts() ? "-TERM" : "-INT");
    }

    /** Holds it still, with everything it has open, until {@link #resume}. */
    void suspend() throws IOException, InterruptedException {
        signal("-STOP");
    }

    void resume() throws IOException, InterruptedException {
        signal("-CONT");
    }

    private void signal(String name) throws IOException, InterruptedException {
        new ProcessBuilder("kill", name, String.valueOf(process.pid())).start().waitFor();
    }

    private boolean ignoresInterrupts() throws IOException {
        Path status = Path.of("/proc", String.valueOf(process.pid()), "status");
        if (!Files.exists(status)) {
            return false;
        }
        for (String line : Files.readAllLines(status)) {
            if (line.startsWith("SigIgn:")) {
                return (Long.parseUnsignedLong(line.substring(7).strip(), 16) >> (INTERRUPT - 1) & 1) != 0;
            }
        }
        return false;
    }

    /** Like {@code kill -9}. */
    public void kill() throws InterruptedException {
        process.destroyForcibly();
        await();
    }

    public int await() throws InterruptedException {
        assertThat(process.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS))
                .as("ended in time")
                .isTrue();
        return process.exitValue();
    }

    public String out() throws IOException {
        return Files.readString(out);
    }

    public String err() throws IOException {
        return Files.readString(err);
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
