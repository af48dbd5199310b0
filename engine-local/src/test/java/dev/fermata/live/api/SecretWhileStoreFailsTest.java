package dev.fermata.live.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.live.access.Role;
import dev.fermata.live.health.HealthStatus.DaemonPhase;
import dev.fermata.live.store.PostgresServer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A store that fails in the middle of a submission shows nothing of it. */
class SecretWhileStoreFailsTest {
    private static final String SECRET = "zq7secret-of-a-failing-store";
    private static final String JOB = "{\"run\":\"true\",\"hold\":true,\"env\":{\"WANDB_API_KEY\":\"" + SECRET + "\"}}";

    /** How a store fails, and how that ends. */
    enum Failure {
        SQLITE_LOCKED("BEGIN IMMEDIATE", "COMMIT"),
        SQLITE_CONSTRAINT(
                "CREATE TRIGGER broken BEFORE INSERT ON spec BEGIN SELECT RAISE(ABORT, 'refused'); END",
                "DROP TRIGGER broken"),
        SQLITE_READ_FAILS("ALTER TABLE job RENAME TO job_away", "ALTER TABLE job_away RENAME TO job"),
        POSTGRES_CONSTRAINT(
                "ALTER TABLE spec ADD CONSTRAINT broken CHECK (length(body) < 0) NOT VALID",
                "ALTER TABLE spec DROP CONSTRAINT broken"),
        POSTGRES_AWAY(
                "ALTER TABLE spec RENAME TO spec_away; SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                        + " WHERE datname = current_database() AND pid <> pg_backend_pid()",
                "ALTER TABLE spec_away RENAME TO spec");

        private final String begin;
        private final String end;

        Failure(String begin, String end) {
            this.begin = begin;
            this.end = end;
        }
    }

    @TempDir
    Path folder;

    @ParameterizedTest
    @EnumSource
    void noSurfaceShowsIt(Failure failure) throws SQLException {
        boolean postgres = failure.name().startsWith("POSTGRES");
        String store = postgres ? PostgresServer.newDatabase() : "sqlite";
        try (LogRecorder log = new LogRecorder();
                ApiFixture fixture = new ApiFixture(folder, store);
                Connection other = postgres
                        ? PostgresServer.connect(store)
                        : DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("fermata.db"))) {
            String ann = fixture.token("ann", Role.USER);
            fixture.submitJob(ann, JOB);
            execute(other, failure.begin);
            CompletableFuture<ApiFixture.ApiResponse> hers =
                    CompletableFuture.supplyAsync(() -> fixture.submit(ann, JOB));
            Awaitility.await()
                    .atMost(ApiFixture.TIMEOUT)
                    .until(() -> hers.isDone() || fixture.service.health().phase() == DaemonPhase.DEGRADED);
            assertThat(hers.isDone() && hers.join().status() < 500)
                    .as("the store fails")
                    .isFalse();
            List<String> tokens = List.of(
                    "", ann, fixture.token(Role.VIEWER), fixture.token(Role.OPERATOR), fixture.token(Role.ADMIN));
            for (Endpoint endpoint : fixture.server.endpoints()) {
                if (endpoint.verb() == Endpoint.HttpVerb.GET) {
                    String path = endpoint.path().replace("{id}", "1");
                    for (String token : tokens) {
                        assertThat(fixture.get(token, path).body()).as(path).doesNotContain(SECRET);
                    }
                }
            }
            execute(other, failure.end);
            assertThat(hers.join().body()).doesNotContain(SECRET);
            assertThat(log.lines()).isNotEmpty().noneMatch(line -> line.contains(SECRET));
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
