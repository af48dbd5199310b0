package dev.fermata.live.store;

import static dev.fermata.live.store.Samples.allLines;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One leader on one server: standby, takeover, and a leader that was cut off. */
@SuppressWarnings("try") // Some stores are closed in the middle of a test, to see what others make of it.
class PostgresLeadTest {
    private static final Duration TAKEOVER = Duration.ofSeconds(10);

    @TempDir
    Path folder;

    private final String address = PostgresServer.newDatabase();

    private Store open(String where) {
        return Stores.open(where, folder);
    }

    @Test
    void aStandbyTakesOverWhenTheLeaderIsKilled() throws Exception {
        try (StoreProcess leader = new StoreProcess(List.of(), address, folder.resolve("leader"));
                Store standby = open(address)) {
            leader.awaits("stored ");
            CompletableFuture<Optional<Recovery>> waiting =
                    CompletableFuture.supplyAsync(() -> standby.recover(() -> true));
            leader.awaits("stored ");
            assertThat(waiting).isNotDone();
            long promised = leader.kill();
            long killed = System.nanoTime();
            await().atMost(TAKEOVER).until(waiting::isDone);
            Recovery recovery = waiting.join().orElseThrow();
            assertThat(recovery.nextSeq()).isGreaterThan(promised);
            standby.append(StoreProcess.batch(recovery.nextSeq() - 1, recovery.nextJobId()));
            assertThat(Duration.ofNanos(System.nanoTime() - killed)).isLessThan(TAKEOVER);
        }
    }

    @Test
    void aStandbyStopsWaitingWhenItIsTold() throws Exception {
        try (Store leader = open(address);
                Store standby = open(address)) {
            leader.recover(() -> true);
            assertThat(standby.recover(() -> false)).isEmpty();
            AtomicBoolean waits = new AtomicBoolean(true);
            CompletableFuture<Optional<Recovery>> told =
                    CompletableFuture.supplyAsync(() -> standby.recover(waits::get));
            waits.set(false);
            assertThat(told.join()).isEmpty();
            var thread = Executors.newSingleThreadExecutor();
            Future<Boolean> interrupted = thread.submit(() -> {
                Thread.currentThread().interrupt();
                return standby.recover(() -> true).isEmpty() && Thread.interrupted();
            });
            assertThat(interrupted.get()).isTrue();
            thread.shutdown();
            assertThat(standby.reader().counts()).isNotEmpty();
            leader.append(Batch.EMPTY);
        }
    }

    @Test
    void aLeaderThatIsCutOffGoesOnWhenNobodyElseCame() {
        try (Store leader = open(address)) {
            leader.recover(() -> true);
            leader.append(StoreProcess.batch(0, 1));
            cutOff();
            Batch batch = StoreProcess.batch(3, 4);
            assertThatThrownBy(() -> leader.append(batch))
                    .isInstanceOfSatisfying(
                            StoreException.class, e -> assertThat(e.passing()).isTrue())
                    .hasMessageContaining(address.substring(address.indexOf("localhost")));
            leader.append(batch);
            leader.append(StoreProcess.batch(6, 7));
            assertThat(leader.reader().lines(allLines(0, 100)).rows()).hasSize(9);
        }
    }

    @Test
    void aLeaderThatIsCutOffWritesNothingAfterAnotherCame() {
        try (Store old = open(address);
                Store standby = open(address)) {
            old.recover(() -> true);
            old.append(StoreProcess.batch(0, 1));
            CompletableFuture<Optional<Recovery>> waiting =
                    CompletableFuture.supplyAsync(() -> standby.recover(() -> true));
            await().atMost(TAKEOVER).until(() -> {
                if (!waiting.isDone()) {
                    cutOff();
                }
                return waiting.isDone();
            });
            assertThat(waiting.join().orElseThrow().nextSeq()).isEqualTo(4);
            for (Runnable write : List.<Runnable>of(
                    () -> old.append(StoreProcess.batch(3, 4)),
                    () -> old.append(Batch.EMPTY),
                    () -> old.saveImage(3, "stale"))) {
                await().atMost(TAKEOVER)
                        .untilAsserted(() -> assertThatThrownBy(write::run)
                                .isInstanceOfSatisfying(
                                        StoreException.class,
                                        e -> assertThat(e.passing()).isFalse())
                                .hasMessageContaining("another daemon (" + Database.self() + ") has taken over"));
            }
            standby.append(StoreProcess.batch(3, 4));
            assertThat(standby.reader().lines(allLines(0, 100)).rows()).hasSize(6);
            standby.close();
            assertThat(old.recover(() -> true).orElseThrow().nextSeq()).isEqualTo(7);
            old.append(StoreProcess.batch(6, 7));
        }
    }

    /** A leader whose lock is gone, but whose connection is not: the epoch alone must stop it. */
    @Test
    void theEpochStopsALeaderThatStillHasItsConnection() {
        try (Store old = open(address)) {
            old.recover(() -> true);
            PostgresServer.execute(address, "UPDATE meta SET epoch = epoch + 1, writer = 'somebody'");
            assertThatThrownBy(() -> old.append(StoreProcess.batch(0, 1)))
                    .isInstanceOfSatisfying(
                            StoreException.class, e -> assertThat(e.passing()).isFalse())
                    .hasMessageContaining("another daemon (somebody) has taken over");
            assertThat(old.reader().lines(allLines(0, 100)).rows()).isEmpty();
        }
    }

    @Test
    void aBatchWhoseCommitWasNotAnsweredIsStoredOnce() throws IOException {
        try (Wire wire = new Wire(port());
                Store store = open(through(wire, ""))) {
            store.recover(() -> true);
            store.append(StoreProcess.batch(0, 1));
            Batch batch = new Batch(
                    StoreProcess.batch(3, 4).lines(),
                    StoreProcess.batch(3, 4).jobs(),
                    List.of(),
                    List.of(),
                    List.of(new AuditRow(0, 1, "ada", "USER", "", "submit", "4", "done")));
            wire.cutAfterCommit();
            assertThatThrownBy(() -> store.append(batch))
                    .isInstanceOfSatisfying(
                            StoreException.class, e -> assertThat(e.passing()).isTrue());
            assertThat(store.reader().audit(Long.MAX_VALUE, 10).rows()).hasSize(1);
            store.append(batch);
            store.append(StoreProcess.batch(6, 7));
            assertThat(store.reader().audit(Long.MAX_VALUE, 10).rows()).hasSize(1);
            assertThat(store.reader().lines(allLines(0, 100)).rows()).hasSize(9);
        }
    }

    @Test
    void aServerThatStopsAnsweringIsALostOne() throws IOException {
        try (Wire wire = new Wire(port());
                Store store = open(through(wire, "?socketTimeout=1"))) {
            store.recover(() -> true);
            wire.freeze(true);
            assertThatThrownBy(() -> store.append(StoreProcess.batch(0, 1)))
                    .isInstanceOfSatisfying(
                            StoreException.class, e -> assertThat(e.passing()).isTrue());
            wire.freeze(false);
            await().atMost(TAKEOVER).ignoreExceptions().untilAsserted(() -> store.append(StoreProcess.batch(0, 1)));
            assertThat(store.reader().lines(allLines(0, 100)).rows()).hasSize(3);
        }
    }

    @Test
    void leaderAndStandbyOutliveARestartOfTheServer() throws Exception {
        Path data = folder.resolve("server");
        EmbeddedPostgres server = server(data, 0);
        int port = server.getPort();
        String where = "postgresql://postgres@localhost:" + port + "/postgres";
        try (Store leader = open(where);
                Store standby = open(where)) {
            leader.recover(() -> true);
            leader.append(StoreProcess.batch(0, 1));
            AtomicBoolean asked = new AtomicBoolean();
            CompletableFuture<Optional<Recovery>> waiting = CompletableFuture.supplyAsync(() -> standby.recover(() -> {
                asked.set(true);
                return true;
            }));
            await().untilTrue(asked);
            server.close();
            assertThatThrownBy(() -> leader.append(StoreProcess.batch(3, 4)))
                    .isInstanceOfSatisfying(
                            StoreException.class, e -> assertThat(e.passing()).isTrue());
            assertThatThrownBy(() -> leader.reader().counts()).isInstanceOf(StoreException.class);
            server = server(data, port);
            // Whoever comes first leads; the other one must know.
            await().atMost(Duration.ofSeconds(30)).ignoreExceptions().until(() -> {
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
                                    leader.reader().lines(allLines(0, 100)).rows())
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
    void aServerThatIsNotThereIsNamedWithoutThePassword() throws IOException {
        int nobody;
        try (java.net.ServerSocket socket = new java.net.ServerSocket(0)) {
            nobody = socket.getLocalPort();
        }
        assertThatThrownBy(() -> open("postgresql://ada:secret@localhost:" + nobody + "/f"))
                .isInstanceOfSatisfying(
                        StoreException.class, e -> assertThat(e.passing()).isTrue())
                .hasMessageContaining("no connection to postgresql://localhost:" + nobody + "/f")
                .satisfies(e -> assertThat(e.toString()).doesNotContain("secret"));
        assertThatThrownBy(() -> open(address + "-not"))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("no such database");
    }

    private int port() {
        return Integer.parseInt(address.replaceAll(".*:(\\d+)/.*", "$1"));
    }

    private String through(Wire wire, String settings) {
        return address.replace(":" + port() + "/", ":" + wire.port() + "/") + settings;
    }

    /** Ends every connection to the database, as an administrator or a network may. */
    private void cutOff() {
        PostgresServer.execute(
                address,
                "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
                        + " WHERE datname = current_database() AND pid <> pg_backend_pid()"
                        + " AND pid IN (SELECT pid FROM pg_locks WHERE locktype = 'advisory')");
    }
}
