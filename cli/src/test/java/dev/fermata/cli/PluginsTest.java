package dev.fermata.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.cli.option.Invocation;
import dev.fermata.core.policy.PolicyCatalogue;
import dev.fermata.core.policy.PolicyPlugin;
import dev.fermata.insight.exit.ExitCode;
import dev.fermata.insight.exit.Interruption;
import dev.fermata.live.engine.EngineProvider;
import dev.fermata.live.engine.EngineProviders;
import dev.fermata.live.engine.ExecutionEngine;
import dev.fermata.report.text.Screen;
import dev.fermata.sim.trace.TraceFormat;
import dev.fermata.sim.trace.read.TraceFormats;
import dev.fermata.sim.workload.WorkloadGenerator;
import dev.fermata.sim.workload.WorkloadSpec;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The example plugin, compiled and loaded as a user does it. Runs alone: what plugins add is known to the whole JVM. */
@Isolated
class PluginsTest {
    private static final String POLICIES = "META-INF/services/" + PolicyPlugin.class.getName();
    private static final Path EXAMPLE = root().resolve("examples").resolve("plugin");

    /** The entries of the example's jar by name. */
    private static final Map<String, byte[]> ENTRIES = new LinkedHashMap<>();

    @TempDir
    private Path folder;

    @BeforeAll
    static void compile(@TempDir Path classes) throws IOException {
        List<String> arguments = new ArrayList<>(
                List.of("--release", "17", "-proc:none", "-Xlint:all", "-Werror", "-d", classes.toString(), "-cp"));
        arguments.add(Stream.of(PolicyPlugin.class, WorkloadGenerator.class, NullMarked.class)
                .map(PluginsTest::location)
                .collect(Collectors.joining(File.pathSeparator)));
        try (Stream<Path> sources = Files.list(EXAMPLE.resolve("src").resolve("example"))) {
            sources.map(Path::toString).sorted().forEach(arguments::add);
        }
        int code = ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments.toArray(String[]::new));
        assertThat(code).as("javac").isZero();
        addEntries(classes);
        addEntries(EXAMPLE.resolve("resources"));
    }

    @AfterEach
    void forgetPlugins() {
        PolicyCatalogue.install(List.of());
        WorkloadSpec.install(List.of());
        TraceFormats.install(List.of());
        EngineProviders.install(List.of());
    }

    @Test
    void aPolicyOfAPluginIsCompared() throws IOException {
        writeJar("example.jar", ENTRIES);

        CommandRun run = CommandRun.of(
                "compare",
                "--plugins",
                folder.toString(),
                "--policies",
                "fifo,smallest",
                "--workload",
                "synthetic:jobs=40",
                "--seeds",
                "1");

        assertThat(run.err()).doesNotContain("fermata:");
        assertThat(run.code()).isZero();
        assertThat(run.out()).contains("fifo", "smallest");
        assertThat(CommandRun.of("policies", "--plugins", folder.toString()).out())
                .contains("fewest GPUs first; never preempts");
    }

    @Test
    void aGeneratorOfAPluginIsSimulated() throws IOException {
        writeJar("example.jar", ENTRIES);

        CommandRun run = CommandRun.of(
                "simulate", "--plugins=" + folder, "--policy", "smallest", "--workload", "bursts:jobs=30,burst=3");

        assertThat(run.err()).doesNotContain("fermata:");
        assertThat(run.code()).isZero();
        assertThat(run.out()).contains("bursts:jobs=30,burst=3", "30 finished");
    }

    @Test
    void aTraceFormatOfAPluginIsRecognised() throws IOException {
        writeJar("example.jar", ENTRIES);
        String trace = EXAMPLE.resolve("trace.txt").toString();

        CommandRun run = CommandRun.of("trace", "inspect", trace, "--plugins", folder.toString());

        assertThat(run.code()).isZero();
        assertThat(run.out()).contains("trace.txt: the example's trace (pipe)", "3 jobs");
    }

    /** The engine refuses its options with a message of its own, so no daemon starts. */
    @Test
    void anEngineOfAPluginRunsTheJobs() throws IOException {
        writeEngine(RefusingEngine.class);

        CommandRun run = up("--engine", "refusing", "--plugins", folder.toString());

        assertThat(run.code()).isEqualTo(ExitCode.INVALID);
        assertThat(run.err()).contains("an engine of a plugin has no virtual:2");
        assertThat(up("--engine", "refusing").err()).contains("--engine (refusing) is unknown. Known: local, slurm.");
        assertThat(up("--engine", "x", "--plugins", folder.toString()).err())
                .contains("Known: local, slurm, refusing.");
    }

    @Test
    void anEngineWithATakenNameIsRefused() throws IOException {
        writeEngine(SecondLocalEngine.class);

        assertRefused(folder, "there is a job engine 'local' already");
    }

    private CommandRun up(String... more) {
        List<String> args = new ArrayList<>(List.of("up", "--port", "0", "--gpus", "virtual:2", "--data"));
        args.add(folder.resolve("data").toString());
        args.addAll(List.of(more));
        return CommandRun.of(args.toArray(String[]::new));
    }

    /** A jar that names a class of this test, which the plugin's loader finds in its parent. */
    private void writeEngine(Class<? extends EngineProvider> type) throws IOException {
        String services = "META-INF/services/" + EngineProvider.class.getName();
        writeJar("engine.jar", Map.of(services, (type.getName() + "\n").getBytes(UTF_8)));
    }

    public static final class RefusingEngine implements EngineProvider {
        @Override
        public String name() {
            return "refusing";
        }

        @Override
        public String description() {
            return "nothing runs";
        }

        @Override
        public ExecutionEngine create(EngineOptions options) {
            throw new IllegalArgumentException("an engine of a plugin has no " + options.gpus());
        }
    }

    public static final class SecondLocalEngine implements EngineProvider {
        @Override
        public String name() {
            return "local";
        }

        @Override
        public String description() {
            return "a name that is taken";
        }

        @Override
        public ExecutionEngine create(EngineOptions options) {
            throw new IllegalArgumentException("never created");
        }
    }

    @Test
    void theEnvironmentNamesAFolderToo() throws IOException {
        writeJar("example.jar", ENTRIES);
        Invocation invocation = new Invocation(
                Map.of("FERMATA_PLUGINS", folder.toString()),
                Path.of("no-such-folder"),
                Screen.PIPE,
                new Interruption());

        assertThat(CommandRun.in(invocation, "policies").out()).contains("smallest");
        assertThat(CommandRun.of("policies").out()).doesNotContain("smallest");
    }

    @Test
    void aFileOfSettingsNamesNoFolder() throws IOException {
        Files.writeString(folder.resolve("fermata.yaml"), "plugins: here\n");

        CommandRun run = CommandRun.in(new Invocation(Map.of(), folder, Screen.PIPE, new Interruption()), "policies");

        assertThat(run.code()).isEqualTo(ExitCode.INVALID);
        assertThat(run.err()).contains("plugins");
    }

    @Test
    void aFolderThatDoesNotExistIsRefused() {
        assertRefused(folder.resolve("none"), "--plugins (" + folder.resolve("none") + ") is no folder");
    }

    @Test
    void aFolderWithoutAJarIsRefused() {
        assertRefused(folder, "--plugins (" + folder + ") holds no jar");
    }

    @Test
    void aNameThatExistsIsRefused() throws IOException {
        writeJar("example.jar", ENTRIES);
        writeJar("same-again.jar", Map.of(POLICIES, "example.SmallestFirst\n".getBytes(UTF_8)));
        assertThat(CommandRun.of("policies", "--plugins", folder.toString()).code())
                .as("the same class twice is one plugin")
                .isZero();

        String twice = "META-INF/services/" + TraceFormat.class.getName();
        writeJar("taken.jar", Map.of(twice, "dev.fermata.sim.trace.swf.Swf\n".getBytes(UTF_8)));

        assertRefused(folder, "cannot be used: there is a trace format 'swf' already");
    }

    @Test
    void aBrokenServiceFileIsRefused() throws IOException {
        writeJar("example.jar", Map.of(POLICIES, "example.NoSuchClass\n".getBytes(UTF_8)));

        assertRefused(folder, "a plugin cannot be used", "example.NoSuchClass not found");
    }

    @Test
    void aClassThatIsNoPluginIsRefused() throws IOException {
        Map<String, byte[]> entries = new LinkedHashMap<>(ENTRIES);
        entries.put(POLICIES, "example.Bursts\n".getBytes(UTF_8));
        writeJar("example.jar", entries);

        assertRefused(folder, "example.Bursts not a subtype");
    }

    @Test
    void commandsOfPluginsAreListedInTheHelp() {
        Invocation invocation = new Invocation(Map.of(), Path.of("no-such-folder"), Screen.PIPE, new Interruption());

        assertThat(CommandRun.in(invocation, List.of(commands -> List.of(new CommandLine(new Greet()))), "--help")
                        .out())
                .containsPattern("(?m)^  fermata greet +say hello$");
        assertThat(CommandRun.of("--help").out()).doesNotContain("fermata greet", "fermata reproduce");
    }

    @Test
    void aCommandThatExistsIsRefused() {
        Invocation invocation = new Invocation(Map.of(), Path.of("no-such-folder"), Screen.PIPE, new Interruption());
        CommandPlugin taken = commands -> List.of(new CommandLine(new Greet()).setCommandName("policies"));

        CommandRun run = CommandRun.in(invocation, List.of(taken), "policies");

        assertThat(run.code()).isEqualTo(ExitCode.INVALID);
        assertThat(run.err()).contains("there is a command 'policies' already");
    }

    @Command(name = "greet", description = "Say hello. Nothing else.")
    private static final class Greet implements Runnable {
        @Override
        public void run() {}
    }

    private static void assertRefused(Path plugins, String... words) {
        CommandRun run = CommandRun.of("policies", "--plugins", plugins.toString());

        assertThat(run.code()).isEqualTo(ExitCode.INVALID);
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).startsWith("fermata: ").contains(words);
        assertThat(run.err().lines()).hasSize(1);
    }

    private void writeJar(String name, Map<String, byte[]> entries) throws IOException {
        try (OutputStream file = Files.newOutputStream(folder.resolve(name));
                JarOutputStream jar = new JarOutputStream(file)) {
            for (Map.Entry<String, byte[]> entry : entries.entrySet()) {
                jar.putNextEntry(new JarEntry(entry.getKey()));
                jar.write(entry.getValue());
                jar.closeEntry();
            }
        }
    }

    private static void addEntries(Path tree) throws IOException {
        try (Stream<Path> files = Files.walk(tree)) {
            for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
                ENTRIES.put(tree.relativize(file).toString().replace('\\', '/'), Files.readAllBytes(file));
            }
        }
    }

    private static String location(Class<?> type) {
        try {
            return Path.of(type.getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .toString();
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Path root() {
        Path start = Path.of(System.getProperty("user.dir")).toAbsolutePath();
        for (Path dir = start; dir != null; dir = dir.getParent()) {
            if (Files.isDirectory(dir.resolve(".mvn"))) {
                return dir;
            }
        }
        throw new IllegalStateException("no folder with .mvn at or above " + start);
    }
}
