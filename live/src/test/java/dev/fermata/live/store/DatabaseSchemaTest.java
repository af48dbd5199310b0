package dev.fermata.live.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fermata.core.contract.JobState;
import dev.fermata.history.HistoryEntry;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Databases of older and newer versions. */
class DatabaseSchemaTest {
    /** The database of a daemon of version 1, as SQL: it must stay readable. */
    private static final List<String> FIRST_VERSION = List.of(
            "UPDATE meta SET epoch = 4, last_seq = 2, writer = 'pid 1 on old'",
            "INSERT INTO line (seq, at_millis, job, attempt, actor, kind, body, owner)"
                    + " VALUES (1, 1001, 1, 1, 'policy', 'Submitted', '{\"seq\":1}', 'ada'),"
                    + " (2, 1002, 1, 1, 'policy', 'Started', '{\"seq\":2}', 'ada')",
            "INSERT INTO job (id, name, owner, queue, class, gpus, priority, state, attempt, preemptions,"
                    + " submitted_millis, since_millis, first_start_millis, finished_millis, wait_millis, run_millis,"
                    + " held, on_hold, exit_code, detail, array_id, array_index)"
                    + " VALUES (1, 'job-1', 'ada', 'research', 'batch', 4, 50, 'RUNNING', 1, 0, 1001, 2001, 1500, -1,"
                    + " 500, 700, '', 0, NULL, '', -1, 0)",
            "INSERT INTO spec (job, body) VALUES (1, '{\"run\":\"sleep 1\"}')",
            "INSERT INTO image (seq, body) VALUES (1, '{\"v\":1,\"drained\":[]}')",
            "INSERT INTO token (id, sha256, owner, role, label, created_millis, expires_millis, revoked_millis)"
                    + " VALUES ('t', 'h', 'ada', 'ADMIN', '', 1, -1, -1)");

    private static final String NEXT_MIGRATION =
            "CREATE TABLE later (a BIGINT NOT NULL);\nINSERT INTO later VALUES (7);\n";

    @TempDir
    Path folder;

    private static DatabaseSchema schemaUpTo(int version) {
        return new DatabaseSchema(DatabaseSchema.MIGRATIONS.subList(0, version));
    }

    private Database database(String address) {
        return address.equals("sqlite")
                ? SqliteDatabase.open(folder.resolve("fermata.db"))
                : new PostgresDatabase(PostgresAddress.parse(address, Map.of()));
    }

    private void applyAndExecute(String address, DatabaseSchema schema, List<String> statements) {
        try (Database database = database(address);
                WriteConnection writer = new WriteConnection(database)) {
            schema.upgrade(writer, database);
            writer.transact("prepare the test", connection -> {
                try (var statement = connection.createStatement()) {
                    for (String sql : statements) {
                        statement.execute(sql);
                    }
                }
                return true;
            });
        }
    }

    @ParameterizedTest
    @EnumSource
    void dataOfEachOlderVersionIsKept(StoreLocation location) throws Exception {
        for (int version :
                IntStream.rangeClosed(1, DatabaseSchema.MIGRATIONS.size()).toArray()) {
            for (String file : List.of("fermata.db", "fermata.db-wal", "fermata.db-shm")) {
                java.nio.file.Files.deleteIfExists(folder.resolve(file));
            }
            String address = location.newAddress();
            applyAndExecute(address, schemaUpTo(1), FIRST_VERSION);
            applyAndExecute(address, schemaUpTo(version), List.of());
            try (Store store = StoreFactory.open(address, folder)) {
                RecoveredState recovery = store.recover(() -> true).orElseThrow();
                assertThat(recovery.snapshot()).contains("{\"v\":2}");
                assertThat(recovery.entries())
                        .containsExactly(new HistoryEntry(2, 1002, 1, 1, "policy", "Started", "{\"seq\":2,\"v\":2}"));
                assertThat(recovery.liveJobs()).containsExactly(StoreSamples.job(1, "ada", JobState.RUNNING));
                assertThat(recovery.nextSeq()).isEqualTo(3);
                assertThat(store.tokens().byHash("h")).isPresent();
                store.append(StoreProcess.batch(2, 2));
                assertThat(store.reader()
                                .history(StoreSamples.allEntries(0, 10))
                                .rows())
                        .hasSize(5);
            }
        }
    }

    /** Version 3 wrote profiles with every entry that changed one. */
    @ParameterizedTest
    @EnumSource
    void profilesOfVersionThreeAreNotLearnedAgain(StoreLocation location) {
        String address = location.newAddress();
        applyAndExecute(address, schemaUpTo(1), FIRST_VERSION);
        applyAndExecute(
                address,
                schemaUpTo(3),
                List.of("INSERT INTO kind (command, model, gpu_type, gpus, at_millis, body)"
                        + " VALUES ('train.py', '', 'H100', 1, 20, '{}')"));
        try (Store store = StoreFactory.open(address, folder)) {
            long last = store.recover(() -> true).orElseThrow().nextSeq() - 1;
            assertThat(store.reader().profiles(10))
                    .containsExactly(new ProfileRow("train.py", "", "H100", 1, 20, last, "{}"));
        }
    }

    @ParameterizedTest
    @EnumSource
    void onlyTheLeaderMigratesTheSchema(StoreLocation location) {
        String address = location.newAddress();
        List<String> more = new ArrayList<>(DatabaseSchema.MIGRATIONS);
        more.add(NEXT_MIGRATION);
        applyAndExecute(address, schemaUpTo(1), FIRST_VERSION);
        applyAndExecute(address, schemaUpTo(DatabaseSchema.MIGRATIONS.size()), List.of());
        try (Store store = SqlStore.open(database(address), new DatabaseSchema(more))) {
            assertThat(store.reader().job(1)).isPresent();
            StoreFactory.open(address, folder).close();
            store.recover(() -> true);
            store.append(StoreProcess.batch(2, 2));
            assertThatThrownBy(() -> StoreFactory.open(address, folder).close())
                    .isInstanceOfSatisfying(
                            StoreException.class,
                            e -> assertThat(e.isRetryable()).isFalse())
                    .hasMessageContaining("has tables of version " + more.size() + ", made by a newer fermata");
        }
    }

    @ParameterizedTest
    @EnumSource
    void failedMigrationChangesNothing(StoreLocation location) {
        String address = location.newAddress();
        List<String> more = new ArrayList<>(DatabaseSchema.MIGRATIONS);
        more.add(NEXT_MIGRATION + "INSERT INTO no_such_table VALUES (1);\n");
        applyAndExecute(address, schemaUpTo(1), FIRST_VERSION);
        applyAndExecute(address, schemaUpTo(DatabaseSchema.MIGRATIONS.size()), List.of());
        try (Store store = SqlStore.open(database(address), new DatabaseSchema(more))) {
            assertThatThrownBy(() -> store.recover(() -> true))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("change the schema");
            // The failed store is still open, and does not keep others from the leadership.
            try (Store other = StoreFactory.open(address, folder)) {
                assertThat(other.recover(() -> false)).isPresent();
            }
        }
        applyAndExecute(
                address, schemaUpTo(DatabaseSchema.MIGRATIONS.size()), List.of("CREATE TABLE later (a BIGINT)"));
        try (Store store = StoreFactory.open(address, folder)) {
            assertThat(store.recover(() -> true).orElseThrow().nextSeq()).isEqualTo(3);
        }
    }
}
