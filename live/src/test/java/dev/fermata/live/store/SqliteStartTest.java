package dev.fermata.live.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fermata.core.contract.JobState;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A database that cannot be used is named with its problem before anything is changed. */
class SqliteStartTest {
    @TempDir
    Path folder;

    private Path file() {
        return folder.resolve("fermata.db");
    }

    private void create() {
        StoreFactory.open("sqlite", folder).close();
    }

    @Test
    void damagedDatabaseIsRefusedAndLeftAsItIs() throws Exception {
        create();
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file());
                Statement statement = connection.createStatement()) {
            statement.execute("PRAGMA journal_mode=DELETE");
            for (int i = 0; i < 2000; i++) {
                statement.execute("INSERT INTO spec VALUES (" + i + ", '" + "x".repeat(500) + "')");
            }
        }
        long size = Files.size(file());
        try (RandomAccessFile raw = new RandomAccessFile(file().toFile(), "rw")) {
            raw.seek(size / 2 / 4096 * 4096);
            raw.write(new byte[8 * 4096]);
        }

        assertThatThrownBy(() -> StoreFactory.open("sqlite", folder))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("is damaged")
                .hasMessageContaining("Put a backup in its place");
        assertThat(Files.size(file())).isEqualTo(size);
    }

    @Test
    void fileThatIsNoDatabaseIsRefused() throws IOException {
        Files.writeString(file(), "not a database, but long enough to have a header".repeat(20));

        assertThatThrownBy(() -> StoreFactory.open("sqlite", folder)).hasMessageContaining("is damaged");
    }

    @Test
    void soundDatabaseIsOpened() {
        create();
        try (Store store = StoreFactory.open("sqlite", folder)) {
            assertThat(store.reader().countsByState()).containsEntry(JobState.PENDING, 0L);
        }
    }
}
