package dev.fermata.live.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fermata.core.contract.JobState;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Databases of older and newer programs. */
class SchemaTest {
    /** What a daemon of version 1 left behind, as SQL: it must be readable for ever. */
    private static final List<String> FIRST_VERSION = List.of(
            "UPDATE meta SET epoch = 4, ticket = 9, last_seq = 2, writer = 'pid 1 on old'",
            "INSERT INTO line (seq, at_millis, job, attempt, actor, kind, body, owner)"
                    + " VALUES (1, 1001, 1, 1, 'policy', 'Submitted', '{\"seq\":1}', 'ada'),"
                    + " (2, 1002, 1, 1, 'policy', 'Started', '{\"seq\":2}', 'ada')",
            "INSERT INTO job (id, name, owner, queue, class, gpus, priority, state, attempt, preemptions,"
                    + " submitted_millis, since_millis, first_start_millis, finished_millis, wait_millis, run_millis,"
                    + " held, on_hold, exit_code, detail, array_id, array_index)"
                    + " VALUES (1, 'job-1', 'ada', 'research', 'batch', 4, 50, 'RUNNING', 1, 0, 1001, 2001, 1500, -1,"
                    + " 500, 700, '', 0, NULL, '', -1, 0)",
            "INSERT INTO spec (job, body) VALUES (1, '{\"run\":\"sleep 1\"}')",
            "INSERT INTO image (seq, body) VALUES (1, 'old image')",
            "INSERT INTO token (id, sha256, owner, role, label, created_millis, expires_millis, revoked_millis)"
                    + " VALUES ('t', 'h', 'ada', 'ADMIN', '', 1, -1, -1)");

    private static final String ONE_MORE = "CREATE TABLE later (a BIGINT NOT NULL);\nINSERT INTO later VALUES (7);\n";

    @TempDir
    Path folder;

    private static Schema upTo(int version) {
        return new Schema(Schema.MIGRATIONS.subList(0, version));
    }

    private Database database(String where) {
        return where.equals("sqlite")
                ? SqliteDatabase.open(folder.resolve("fermata.db"))
                : new PostgresDatabase(PostgresAddress.parse(where, Map.of()));
    }

    private void run(String where, Schema schema, List<String> statements) {
        try (Database database = database(where);
                WriteLane lane = new WriteLane(database)) {
            schema.upgrade(lane, database);
            lane.transact("prepare the test", connection -> {
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
    void whatEachOlderVersionLeftIsStillThere(Place place) throws Exception {
        for (int version : IntStream.rangeClosed(1, Schema.MIGRATIONS.size()).toArray()) {
            for (String file : List.of("fermata.db", "fermata.db-wal", "fermata.db-shm")) {
                java.nio.file.Files.deleteIfExists(folder.resolve(file));
            }
            String where = place.fresh();
            run(where, upTo(1), FIRST_VERSION);
            run(where, upTo(version), List.of());
            try (Store store = Stores.open(where, folder)) {
                Recovery recovery = store.recover(() -> true).orElseThrow();
                assertThat(recovery.image()).contains("old image");
                assertThat(recovery.lines()).containsExactly(Samples.line(2, 1, "Started"));
                assertThat(recovery.live()).containsExactly(Samples.job(1, "ada", JobState.RUNNING));
                assertThat(recovery.nextSeq()).isEqualTo(3);
                assertThat(store.tokens().byHash("h")).isPresent();
                store.append(StoreProcess.batch(2, 2));
                assertThat(store.reader().lines(Samples.allLines(0, 10)).rows()).hasSize(5);
            }
        }
    }

    /** Rows of version 3 were written with every line that taught something. */
    @ParameterizedTest
    @EnumSource
    void whatVersionThreeLearnedIsNotLearnedAgain(Place place) {
        String where = place.fresh();
        run(where, upTo(1), FIRST_VERSION);
        run(
                where,
                upTo(3),
                List.of("INSERT INTO kind (command, model, gpu_type, gpus, at_millis, body)"
                        + " VALUES ('train.py', '', 'H100', 1, 20, '{}')"));
        try (Store store = Stores.open(where, folder)) {
            long last = store.recover(() -> true).orElseThrow().nextSeq() - 1;
            assertThat(store.reader().kinds(10))
                    .containsExactly(new KindRow("train.py", "", "H100", 1, 20, last, "{}"));
        }
    }

    @ParameterizedTest
    @EnumSource
    void onlyTheLeaderChangesTheTables(Place place) {
        String where = place.fresh();
        List<String> more = new ArrayList<>(Schema.MIGRATIONS);
        more.add(ONE_MORE);
        run(where, upTo(Schema.MIGRATIONS.size()), FIRST_VERSION);
        try (Store store = SqlStore.open(database(where), new Schema(more))) {
            assertThat(store.reader().job(1)).isPresent();
            Stores.open(where, folder).close();
            store.recover(() -> true);
            store.append(StoreProcess.batch(2, 2));
            assertThatThrownBy(() -> Stores.open(where, folder).close())
                    .isInstanceOfSatisfying(
                            StoreException.class, e -> assertThat(e.passing()).isFalse())
                    .hasMessageContaining("has tables of version " + more.size() + ", made by a newer fermata");
        }
    }

    @ParameterizedTest
    @EnumSource
    void aMigrationThatFailsChangesNothing(Place place) {
        String where = place.fresh();
        List<String> more = new ArrayList<>(Schema.MIGRATIONS);
        more.add(ONE_MORE + "INSERT INTO no_such_table VALUES (1);\n");
        run(where, upTo(Schema.MIGRATIONS.size()), FIRST_VERSION);
        try (Store store = SqlStore.open(database(where), new Schema(more))) {
            assertThatThrownBy(() -> store.recover(() -> true))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("change the schema");
        }
        run(where, upTo(Schema.MIGRATIONS.size()), List.of("CREATE TABLE later (a BIGINT)"));
        try (Store store = Stores.open(where, folder)) {
            assertThat(store.recover(() -> true).orElseThrow().nextSeq()).isEqualTo(3);
        }
    }
}
