package dev.fermata.live.store;

import static dev.fermata.live.store.StoreSamples.allEntries;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One leader on one server: standby, takeover, and a disconnected leader. */
@SuppressWarnings("try") // Some stores are closed during a test, to see the effect on the others.
class PostgresLeadershipTest {
    /** How long a test waits before it gives up. */
    private static final Duration TAKEOVER = Duration.ofSeconds(60);

    private static final String LOCKS = "pg_locks WHERE locktype = 'advisory'"
            + " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";

    @TempDir
    Path folder;

    private final String databaseAddress = PostgresServer.newDatabase();

    private Store open(String address) {
        return StoreFactory.open(address, folder);
    }

    @Test
    void standbyTakesOverWhenTheLeaderIsKilled() throws Exception {
        try (StoreProcess leader = new StoreProcess(List.of(), databaseAddress, folder.resolve("leader"));
                Store standby = open(databaseAddress)) {
            leader.awaitLine("stored ");
            CompletableFuture<Optional<RecoveredState>> waiting =
                    CompletableFuture.supplyAsync(() -> standby.recover(() -> true));
            leader.awaitLine("stored ");
            assertThat(waiting).isNotDone();
            long acknowledged = leader.kill();
            await().atMost(TAKEOVER).until(waiting::isDone);
            RecoveredState recovery = waiting.join().orElseThrow();
            assertThat(recovery.nextSeq()).isGreaterThan(acknowledged);
            standby.append(StoreProcess.batch(recovery.nextSeq() - 1, recovery.nextJobId()));
            assertThat(standby.reader()
                            .history(allEntries(recovery.nextSeq() - 1, 100))
                            .rows())
                    .hasSize(StoreProcess.JOBS_PER_BATCH);
        }
    }

    @Test
    void standbyStopsWaitingOnRequest() throws Exception {
        try (Store leader = open(databaseAddress);
                Store standby = open(databaseAddress)) {
            leader.recover(() -> true);
            assertThat(standby.recover(() -> false)).isEmpty();
            AtomicBoolean waits = new AtomicBoolean(true);
            CompletableFuture<Optional<RecoveredState>> stopped =
                    CompletableFuture.supplyAsync(() -> standby.recover(waits::get));
            waits.set(false);
            assertThat(stopped.join()).isEmpty();
            var thread = Executors.newSingleThreadExecutor();
            Future<Boolean> interrupted = thread.submit(() -> {
                Thread.currentThread().interrupt();
                return standby.recover(() -> true).isEmpty() && Thread.interrupted();
            });
            assertThat(interrupted.get()).isTrue();
            thread.shutdown();
            assertThat(standby.reader().countsByState()).isNotEmpty();
            leader.append(Batch.EMPTY);
        }
    }

    @Test
    void disconnectedLeaderContinuesWhenNoOtherTookOver() {
        try (Store leader = open(databaseAddress)) {
            leader.recover(() -> true);
            leader.append(StoreProcess.batch(0, 1));
            terminateLeader();
            Batch batch = StoreProcess.batch(3, 4);
            assertThatThrownBy(() -> leader.append(batch))
                    .isInstanceOfSatisfying(
                            StoreException.class,
                            e -> assertThat(e.isRetryable()).isTrue())
                    .hasMessageContaining(databaseAddress.substring(databaseAddress.indexOf("localhost")));
            leader.append(batch);
            leader.append(StoreProcess.batch(6, 7));
            assertThat(leader.reader().history(allEntries(0, 100)).rows()).hasSize(9);
        }
    }

    @Test
    void disconnectedLeaderWritesNothingAfterATakeover() {
        try (Store old = open(databaseAddress);
                Store standby = open(databaseAddress)) {
            takeOver(old, standby);
            assertDisconnected(old);
            for (Runnable write : List.<Runnable>of(
                    () -> old.append(StoreProcess.batch(3, 4)),
                    () -> old.append(Batch.EMPTY),
                    () -> old.saveSnapshot(3, "stale"))) {
                assertDeposed(write);
            }
            standby.append(StoreProcess.batch(3, 4));
            assertThat(standby.reader().history(allEntries(0, 100)).rows()).hasSize(6);
            standby.close();
            assertThat(old.recover(() -> true).orElseThrow().nextSeq()).isEqualTo(7);
            old.append(StoreProcess.batch(6, 7));
        }
    }

    /** The lock is free while the new leader is disconnected. A deposed leader that takes it then must release it again. */
    @Test
    void deposedLeaderDoesNotKeepTheLockFromTheNewLeader() {
        try (Store old = open(databaseAddress);
                Store standby = open(databaseAddress)) {
            takeOver(old, standby);
            terminateLeader();
            assertDisconnected(old);
            for (Runnable write : List.<Runnable>of(
                    () -> old.append(StoreProcess.batch(3, 4)),
                    () -> old.append(Batch.EMPTY),
                    () -> old.saveSnapshot(3, "stale"))) {
                assertDeposed(write);
                assertThat(locksHeld()).isZero();
            }
            assertDisconnected(standby);
            standby.append(StoreProcess.batch(3, 4));
            assertThat(standby.reader().history(allEntries(0, 100)).rows()).hasSize(6);
        }
    }

    /** The old leader has written one batch and does not know yet that its connection is gone. */
    private void takeOver(Store old, Store standby) {
        old.recover(() -> true);
        old.append(StoreProcess.batch(0, 1));
        terminateLeader();
        assertThat(standby.recover(() -> true).orElseThrow().nextSeq()).isEqualTo(4);
    }

    /** The next call notices that the connection was terminated, and only that. */
    private static void assertDisconnected(Store store) {
        assertThatThrownBy(() -> store.append(StoreProcess.batch(3, 4)))
                .isInstanceOfSatisfying(
                        StoreException.class, e -> assertThat(e.isRetryable()).isTrue())
                .hasMessageContaining("no connection to");
    }

    private static void assertDeposed(Runnable write) {
        assertThatThrownBy(write::run)
                .isInstanceOfSatisfying(
                        StoreException.class, e -> assertThat(e.isRetryable()).isFalse())
                .hasMessageContaining("another daemon (" + Database.describeSelf() + ") has taken over");
    }

    /** A leader whose lock is gone, but whose connection is not: the epoch alone must stop it. */
    @Test
    void epochFencesALeaderWithAnOpenConnection() {
        try (Store old = open(databaseAddress)) {
            old.recover(() -> true);
            PostgresServer.execute(databaseAddress, "UPDATE meta SET epoch = epoch + 1, writer = 'other'");
            assertThatThrownBy(() -> old.append(StoreProcess.batch(0, 1)))
                    .isInstanceOfSatisfying(
                            StoreException.class,
                            e -> assertThat(e.isRetryable()).isFalse())
                    .hasMessageContaining("another daemon (other) has taken over");
            assertThat(old.reader().history(allEntries(0, 100)).rows()).isEmpty();
        }
    }

    @Test
    void batchWithUnansweredCommitIsStoredOnce() throws IOException {
        try (FaultyProxy proxy = new FaultyProxy(freePort());
                Store store = open(addressThrough(proxy, ""))) {
            store.recover(() -> true);
            store.append(StoreProcess.batch(0, 1));
            Batch batch = new Batch(
                    StoreProcess.batch(3, 4).entries(),
                    StoreProcess.batch(3, 4).jobs(),
                    List.of(),
                    List.of(),
                    List.of(new AuditRow(0, 1, "ada", "USER", "", "submit", "4", "done")));
            proxy.cutAfterCommit();
            assertThatThrownBy(() -> store.append(batch))
                    .isInstanceOfSatisfying(
                            StoreException.class,
                            e -> assertThat(e.isRetryable()).isTrue());
            assertThat(store.reader().audit(Long.MAX_VALUE, 10).rows()).hasSize(1);
            store.append(batch);
            store.append(StoreProcess.batch(6, 7));
            assertThat(store.reader().audit(Long.MAX_VALUE, 10).rows()).hasSize(1);
            assertThat(store.reader().history(allEntries(0, 100)).rows()).hasSize(9);
        }
    }

    @Test
    void unresponsiveServerCountsAsLost() throws IOException {
        try (FaultyProxy proxy = new FaultyProxy(freePort());
                Store store = open(addressThrough(proxy, "?socketTimeout=5"))) {
            store.recover(() -> true);
            proxy.freeze(true);
            assertThatThrownBy(() -> store.append(StoreProcess.batch(0, 1)))
                    .isInstanceOfSatisfying(
                            StoreException.class,
                            e -> assertThat(e.isRetryable()).isTrue());
            proxy.freeze(false);
            await().atMost(TAKEOVER).ignoreExceptions().untilAsserted(() -> store.append(StoreProcess.batch(0, 1)));
            assertThat(store.reader().history(allEntries(0, 100)).rows()).hasSize(3);
        }
    }

    @Test
    void leaderAndStandbySurviveAServerRestart() throws Exception {
        Path data = folder.resolve("server");
        EmbeddedPostgres server = server(data, 0);
        int port = server.getPort();
        String address = "postgresql://postgres@localhost:" + port + "/postgres";
        try (Store leader = open(address);
                Store standby = open(address)) {
            leader.recover(() -> true);
            leader.append(StoreProcess.batch(0, 1));
            AtomicBoolean asked = new AtomicBoolean();
            CompletableFuture<Optional<RecoveredState>> waiting =
                    CompletableFuture.supplyAsync(() -> standby.recover(() -> {
                        asked.set(true);
                        return true;
                    }));
            await().atMost(TAKEOVER).untilTrue(asked);
            server.close();
            assertThatThrownBy(() -> leader.append(StoreProcess.batch(3, 4)))
                    .isInstanceOfSatisfying(
                            StoreException.class,
                            e -> assertThat(e.isRetryable()).isTrue());
            assertThatThrownBy(() -> leader.reader().countsByState()).isInstanceOf(StoreException.class);
            server = server(data, port);
            // The first to reconnect leads; the other must notice.
            await().atMost(TAKEOVER).ignoreExceptions().until(() -> {
                if (waiting.isDone()) {
                    standby.append(StoreProcess.batch(3, 4));
                } else {
                    leader.append(StoreProcess.batch(3, 4));
                }
                return true;
            });
            await().atMost(TAKEOVER)
                    .ignoreExceptions()
                    .untilAsserted(() -> assertThat(
                                    leader.reader().history(allEntries(0, 100)).rows())
                            .hasSize(6));
            leader.close();
            await().atMost(TAKEOVER).until(waiting::isDone);
            assertThat(waiting.join()).isPresent();
        } finally {
            server.close();
        }
    }

    private static EmbeddedPostgres server(Path data, int port) throws IOException {
        return EmbeddedPostgres.builder()
                .setDataDirectory(data)
                .setCleanDataDirectory(false)
                .setPort(port)
                .start();
    }

    @Test
    void missingServerIsNamedWithoutThePassword() throws IOException {
        int freePort;
        try (java.net.ServerSocket socket = new java.net.ServerSocket(0)) {
            freePort = socket.getLocalPort();
        }
        assertThatThrownBy(() -> open("postgresql://ada:secret@localhost:" + freePort + "/f"))
                .isInstanceOfSatisfying(
                        StoreException.class, e -> assertThat(e.isRetryable()).isTrue())
                .hasMessageContaining("no connection to postgresql://localhost:" + freePort + "/f")
                .satisfies(e -> assertThat(e.toString()).doesNotContain("secret"));
        assertThatThrownBy(() -> open(databaseAddress + "-not"))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("no such database");
    }

    private int freePort() {
        return Integer.parseInt(databaseAddress.replaceAll(".*:(\\d+)/.*", "$1"));
    }

    private String addressThrough(FaultyProxy proxy, String settings) {
        return databaseAddress.replace(":" + freePort() + "/", ":" + proxy.port() + "/") + settings;
    }

    /** Ends the connection that holds the leadership, as an administrator or a network may; returns when it is gone. */
    private void terminateLeader() {
        assertThat(query("SELECT COUNT(*) FROM (SELECT pg_terminate_backend(pid, " + TAKEOVER.toMillis()
                        + ") AS gone FROM " + LOCKS + ") AS leader WHERE gone"))
                .isEqualTo(1);
    }

    private long locksHeld() {
        return query("SELECT COUNT(*) FROM " + LOCKS);
    }

    private long query(String sql) {
        try (Connection connection = PostgresServer.connect(databaseAddress);
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            result.next();
            return result.getLong(1);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
