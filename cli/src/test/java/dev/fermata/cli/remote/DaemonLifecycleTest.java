package dev.fermata.cli.remote;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import dev.fermata.cli.CommandRun;
import dev.fermata.cli.FermataProcess;
import dev.fermata.cli.option.Invocation;
import dev.fermata.insight.exit.Interruption;
import dev.fermata.report.text.Screen;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The daemon comes and goes; what is wrong is said before anything has begun. */
class DaemonLifecycleTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    @TempDir
    private Path home;

    @Test
    void clientsWithoutADaemonAdviseStartingOne() {
        for (String[] command :
                new String[][] {{"ls"}, {"submit", "--", "true"}, {"explain", "1"}, {"logs", "-f", "1"}, {"top"}}) {
            CommandRun run = run(command);

            assertThat(run.code()).isEqualTo(3);
            assertThat(run.err().lines()).hasSize(2).anyMatch(line -> line.contains("./fermata up"));
        }
    }

    @Test
    void stoppingItDoesNotStopTheJobs() throws IOException, InterruptedException {
        String first;
        String job;
        try (RunningDaemon daemon = RunningDaemon.start(home)) {
            first = daemon.output();
            job = daemon.submit("--", "while [ ! -e go ]; do sleep 0.1; done; echo went on");
            await().atMost(TIMEOUT).until(() -> daemon.state(job).equals("RUNNING"));
            daemon.process().interrupt();
            assertThat(daemon.process().await()).isIn(130, 143);
            assertThat(daemon.output()).contains("Stopped. 1 job goes on;");
            assertThat(daemon.run("ls").code()).isEqualTo(3);
        }
        Files.createFile(home.resolve("go"));
        try (RunningDaemon daemon = RunningDaemon.start(home)) {
            assertThat(first).contains("token   fm_");
            assertThat(daemon.output()).doesNotContain("fm_");
            await().atMost(TIMEOUT).until(() -> daemon.state(job).equals("COMPLETED"));
            assertThat(daemon.run("logs", job).out()).isEqualTo("went on\n");
            assertThat(daemon.json("describe", job).path("attempt").asInt()).isEqualTo(1);
        }
    }

    @Test
    void filesOfTheDaemonArePrivate() throws IOException, InterruptedException {
        try (RunningDaemon daemon = RunningDaemon.start(home)) {
            assertThat(daemon.run("diag").code()).isZero();
            for (String file : new String[] {
                "config/fermata/client.json",
                "data/fermata/client.json",
                "data/fermata/daemon.log",
                "data/fermata/api.sock"
            }) {
                assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(home.resolve(file))))
                        .as(file)
                        .isEqualTo("rw-------");
            }
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(home.resolve("data/fermata"))))
                    .matches("rwx--[x-]--[x-]");
        }
    }

    /** A process that takes the port of a daemon that is down gets nothing of use from clients that look for it. */
    @Test
    void clientsSendNothingToAStrangerAtTheDaemonsPort() throws Exception {
        int port;
        try (RunningDaemon daemon = RunningDaemon.start(home)) {
            port = URI.create(daemon.url()).getPort();
            daemon.process().interrupt();
            daemon.process().await();
        }
        List<String> received = new CopyOnWriteArrayList<>();
        HttpServer stranger = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        stranger.createContext("/", exchange -> {
            received.add(exchange.getRequestHeaders().entrySet().toString());
            exchange.sendResponseHeaders(500, -1);
            exchange.close();
        });
        stranger.start();
        try {
            for (String[] command : new String[][] {
                {"ls"}, {"submit", "--", "true"}, {"ls", "--url", "http://127.0.0.1:" + port}, {"diag"}
            }) {
                assertThat(run(command).code()).isNotZero();
            }
        } finally {
            stranger.stop(0);
        }
        assertThat(String.join(" ", received)).doesNotContain("fm_").doesNotContain("Bearer");
    }

    @Test
    void noTokenIsKeptInFiles() throws IOException, InterruptedException {
        try (RunningDaemon daemon = RunningDaemon.start(home)) {
            assertThat(daemon.run("ls").code()).isZero();
            try (Stream<Path> files = Files.walk(home)) {
                for (Path file : files.filter(Files::isRegularFile)
                        .filter(file -> !file.toString().endsWith(".txt")) // the output of up
                        .toList()) {
                    assertThat(Files.readString(file, ISO_8859_1))
                            .as(file.toString())
                            .doesNotContainPattern("fm_[A-Za-z0-9_-]{43}");
                }
            }
        }
    }

    @Test
    void aSocketIsUsedByItsName() throws IOException, InterruptedException {
        try (RunningDaemon daemon = RunningDaemon.start(home)) {
            Path socket = home.resolve("data/fermata/api.sock");
            CommandRun named = daemon.run("diag", "--url", "unix:" + socket);
            assertThat(named.code()).as(named.err()).isZero();
            assertThat(daemon.run("audit").out()).doesNotContain("refused");
            CommandRun wrong = daemon.as("fm_wrong", "ls");
            assertThat(wrong.code()).isEqualTo(1);
        }
    }

    /** The path of a Unix socket has at most 107 bytes. */
    @Test
    void aLongPathToTheDataFolderIsNoObstacle() throws IOException, InterruptedException {
        Path data = home.resolve("d".repeat(60)).resolve("e".repeat(60));
        try (RunningDaemon daemon = RunningDaemon.start(home, "--data", data.toString())) {
            CommandRun diag = daemon.run("diag");
            assertThat(diag.code()).as(diag.err()).isZero();
        }
    }

    @Test
    void aSecondDaemonOnTheSameFolderIsRefused() throws IOException, InterruptedException {
        Path log = home.resolve("data/fermata/daemon.log");
        try (RunningDaemon daemon = RunningDaemon.start(home)) {
            String before = Files.readString(log);
            assertThat(before).contains("leader of", "listening on");
            try (FermataProcess second = RunningDaemon.begin(home)) {
                assertThat(second.await()).isEqualTo(1);
                assertThat(second.err())
                        .contains("fermata: ")
                        .contains(home.resolve("data/fermata").toString());
            }
            assertThat(Files.readString(log))
                    .as("the log of the daemon that is up")
                    .isEqualTo(before);
            assertThat(daemon.run("diag").code()).isZero();
        }
    }

    @Test
    void aFileIsNoDataFolder() throws IOException {
        Files.writeString(home.resolve("file"), "");

        CommandRun run = run("up", "--port", "0", "--gpus", "virtual:1", "--data", "file");

        assertThat(run.code()).isEqualTo(2);
        assertThat(run.err()).contains("--data (" + home.resolve("file") + ") is a file", "must be a folder");
    }

    @Test
    void aPortInUseIsReported() throws IOException, InterruptedException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                FermataProcess up = FermataProcess.startAtHome(
                        home, Map.of(), "up", "--gpus", "virtual:1", "--port", String.valueOf(taken.getLocalPort()))) {
            assertThat(up.await()).isEqualTo(1);
            assertThat(up.err())
                    .contains("cannot listen on 127.0.0.1:" + taken.getLocalPort(), "--port 0")
                    .doesNotContain("\tat ");
        }
    }

    @Test
    void localClientsTrustTheSelfSignedCertificate() throws IOException, InterruptedException {
        try (RunningDaemon daemon = RunningDaemon.start(home, "--tls", "auto")) {
            assertThat(daemon.output()).contains("is up at https://127.0.0.1:");
            assertThat(daemon.run("ls").code()).isZero();
            String url = daemon.output().replaceAll("(?s).*is up at (https://\\S+).*", "$1");
            Path elsewhere = Files.createDirectory(home.resolve("elsewhere"));
            CommandRun other = CommandRun.in(
                    new Invocation(FermataProcess.home(elsewhere), elsewhere, Screen.PIPE, new Interruption()),
                    "ls",
                    "--url",
                    url);
            assertThat(other.code()).isEqualTo(1);
            assertThat(other.err()).contains("no safe connection", "--ca FILE");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--engine slrm | --engine (slrm) is unknown. Did you mean 'slurm'",
                "--engine locla | Did you mean 'local'",
                "--gpus virtual:x | virtual:8",
                "--policy fermat | Did you mean 'fermata'",
                "--port 70000 | --port (70000)",
                "--bind 0.0.0.0 | plain text",
                "--tls-cert a.pem | belong together",
                "--tls on | must be auto",
                "--run-as me | --run-as (me)",
                "--local-users all | --local-users (all)",
                "--queues none.yaml | does not exist",
                "--store mysql://x | mysql"
            })
    void wrongFlagsAreRefused(String flags, String message) {
        String[] words = ("up --port 0 --gpus virtual:1 " + flags).split(" ", -1);
        // A flag given twice is an error of its own.
        String line = String.join(" ", words);
        String[] args = (flags.startsWith("--gpus")
                        ? line.replace("--gpus virtual:1 ", "")
                        : flags.startsWith("--port") ? line.replace("--port 0 ", "") : line)
                .split(" ", -1);

        CommandRun run = run(args);

        assertThat(run.code()).as(run.err()).isEqualTo(2);
        assertThat(run.err()).contains(message).doesNotContain("\tat ");
    }

    private CommandRun run(String... args) {
        return CommandRun.in(new Invocation(FermataProcess.home(home), home, Screen.PIPE, new Interruption()), args);
    }
}
