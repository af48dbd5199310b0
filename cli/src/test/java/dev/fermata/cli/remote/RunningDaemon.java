package dev.fermata.cli.remote;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.fermata.cli.CommandRun;
import dev.fermata.cli.FermataProcess;
import dev.fermata.cli.option.Invocation;
import dev.fermata.insight.exit.Interruption;
import dev.fermata.report.text.Screen;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A daemon as a process of its own with virtual GPUs, and clients of the same user. Its jobs end with it. */
public final class RunningDaemon implements AutoCloseable {
    private final Path home;
    private final FermataProcess process;

    private RunningDaemon(Path home, FermataProcess process) {
        this.home = home;
        this.process = process;
    }

    /** Ready for submissions. */
    public static RunningDaemon start(Path home, String... more) throws IOException, InterruptedException {
        FermataProcess process = begin(home, more);
        process.until(() -> text(process).contains("Ctrl-C stops the daemon"));
        return new RunningDaemon(home, process);
    }

    static FermataProcess begin(Path home, String... more) throws IOException {
        List<String> args = new ArrayList<>(List.of("up", "--port", "0", "--run-as", "daemon"));
        if (!List.of(more).contains("--gpus")) {
            args.addAll(List.of("--gpus", "virtual:2"));
        }
        args.addAll(List.of(more));
        return FermataProcess.startAtHome(home, Map.of(), args.toArray(String[]::new));
    }

    private static String text(FermataProcess process) {
        try {
            return process.out();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public FermataProcess process() {
        return process;
    }

    String output() {
        return text(process);
    }

    public String url() {
        return output().replaceAll("(?s).*is up at (http://\\S+).*", "$1");
    }

    /** Of an administrator; said only when the daemon starts for the first time. */
    public String token() {
        return output().replaceAll("(?s).*token +(fm_\\S+).*", "$1");
    }

    /** A command of the daemon's own user. */
    public CommandRun run(String... args) {
        return run(Screen.PIPE, new Interruption(), Map.of(), args);
    }

    /** A command of the owner of this token. */
    public CommandRun as(String token, String... args) {
        return run(Screen.PIPE, new Interruption(), Map.of("FERMATA_TOKEN", token), args);
    }

    CommandRun run(Screen screen, Interruption interruption, Map<String, String> environment, String... args) {
        Map<String, String> around = new HashMap<>(FermataProcess.home(home));
        around.put("PATH", System.getenv().getOrDefault("PATH", "/usr/bin:/bin"));
        around.putAll(environment);
        return CommandRun.in(new Invocation(around, home, screen, interruption), args);
    }

    /** A command that must succeed, and its JSON. */
    JsonNode json(String... args) throws IOException {
        List<String> all = new ArrayList<>(List.of(args));
        int dashes = all.indexOf("--");
        all.addAll(dashes < 0 ? all.size() : dashes, List.of("-o", "json"));
        CommandRun run = run(all.toArray(String[]::new));
        assertThat(run.code()).as(run.err()).isZero();
        return new ObjectMapper().readTree(run.out());
    }

    /** Submits, and answers the id. */
    public String submit(String... args) {
        List<String> all = new ArrayList<>(List.of("submit", "-o", "id"));
        all.addAll(List.of(args));
        CommandRun run = run(all.toArray(String[]::new));
        assertThat(run.code()).as(run.err()).isZero();
        return run.lines().get(0);
    }

    String state(String job) throws IOException {
        return json("describe", job).path("state").asText();
    }

    Path file(String name, String text) throws IOException {
        return Files.writeString(home.resolve(name), text);
    }

    @Override
    public void close() {
        run("ls", "-o", "id").lines().forEach(job -> run("cancel", job));
        process.close();
    }
}
