package dev.fermata.cli.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fermata.cli.CommandRun;
import dev.fermata.cli.FermataProcess;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;

/** Two real daemons on one PostgreSQL server; the one that leads is killed with {@code kill -9}. */
class TakeoverTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    @TempDir
    private Path home;

    private static EmbeddedPostgres server;

    private String database;

    @BeforeAll
    static void serve() throws IOException {
        server = EmbeddedPostgres.builder().setServerConfig("fsync", "off").start();
    }

    @AfterAll
    static void stop() throws IOException {
        server.close();
    }

    @BeforeEach
    void make(TestInfo test) throws SQLException {
        database = test.getTestMethod().orElseThrow().getName().toLowerCase(Locale.ROOT);
        try (Connection connection = server.getPostgresDatabase().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE DATABASE " + database);
        }
    }

    private String[] on(String data) {
        String store = "postgresql://postgres@localhost:" + server.getPort() + "/" + database;
        return new String[] {"--store", store, "--data", home.resolve(data).toString()};
    }

    private Path clientFile() {
        return home.resolve("config/fermata/client.json");
    }

    private String begin(RunningDaemon leader) {
        String job = leader.submit("--", "echo start >> out; while [ ! -e go ]; do sleep 0.1; done; exit 5");
        await().atMost(TIMEOUT).until(() -> Files.exists(home.resolve("out")));
        await().atMost(TIMEOUT).until(() -> leader.state(job).equals("RUNNING"));
        return job;
    }

    private static void awaitStandby(FermataProcess standby) throws InterruptedException {
        standby.until(() -> output(standby).contains("takes over when it is gone"));
        standby.until(() -> output(standby).contains("Ctrl-C stops the daemon"));
    }

    private static String output(FermataProcess process) {
        try {
            return process.out();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void standbyTakesOverJobsAndClients() throws Exception {
        try (RunningDaemon leader = RunningDaemon.start(home, on("data"))) {
            String job = begin(leader);
            String before = Files.readString(clientFile());
            String log = Files.readString(home.resolve("data/daemon.log"));
            try (FermataProcess standby = RunningDaemon.begin(home, on("data"))) {
                awaitStandby(standby);
                assertThat(Files.readString(clientFile())).isEqualTo(before);
                assertThat(Files.readString(home.resolve("data/client.json"))).isEqualTo(before);
                assertThat(Files.readString(home.resolve("data/daemon.log"))).startsWith(log);
                CommandRun still = leader.run("diag");
                assertThat(still.code()).as(still.err()).isZero();

                leader.process().kill();

                standby.until(() -> output(standby).contains("has taken over"));
                await().atMost(TIMEOUT)
                        .until(() -> !Files.readString(clientFile()).equals(before));
                assertThat(leader.state(job)).isEqualTo("RUNNING");
                Files.createFile(home.resolve("go"));
                await().atMost(TIMEOUT).until(() -> leader.state(job).equals("FAILED"));
                assertThat(leader.json("describe", job).path("exitCode").asInt())
                        .isEqualTo(5);
                assertThat(Files.readAllLines(home.resolve("out"))).isEqualTo(List.of("start"));
            }
        }
    }

    @Test
    void aStandbyThatCannotSeeTheJobsReportsItAndStartsNoSecondCopy() throws Exception {
        try (RunningDaemon leader = RunningDaemon.start(home, on("data"))) {
            String job = begin(leader);
            String before = Files.readString(clientFile());
            try (FermataProcess standby = RunningDaemon.begin(home, on("other"))) {
                awaitStandby(standby);
                leader.process().kill();
                assertThat(standby.await()).isEqualTo(1);
                assertThat(standby.err()).contains("1 job is on GPUs at", "--abandon");
            }
            assertThat(Files.readString(clientFile())).isEqualTo(before);
            Files.createFile(home.resolve("go"));
            try (RunningDaemon back = RunningDaemon.start(home, on("data"))) {
                await().atMost(TIMEOUT).until(() -> back.state(job).equals("FAILED"));
            }
            assertThat(Files.readAllLines(home.resolve("out"))).isEqualTo(List.of("start"));
        }
    }
}
