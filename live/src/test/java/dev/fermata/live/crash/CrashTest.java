package dev.fermata.live.crash;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.live.store.PostgresServer;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A real daemon with real jobs, killed at random moments and started again, over and over. {@code -Dfermata.crash.kills=200} is the
 * long version, {@code -Dfermata.crash.seed=N} another course.
 */
class CrashTest {
    private static final int KILLS = Integer.getInteger("fermata.crash.kills", 10);
    private static final long SEED = Long.getLong("fermata.crash.seed", 1);

    @TempDir
    Path folder;

    @Test
    void nothingIsLostOnSqlite() throws Exception {
        Ordeal ordeal = new Ordeal(folder, "sqlite", SEED);
        ordeal.suffer(KILLS);
        assertThat(ordeal.kills()).isEqualTo(KILLS);
        ordeal.check();
    }

    @Test
    void nothingIsLostOnPostgres() throws Exception {
        Ordeal ordeal = new Ordeal(folder, PostgresServer.newDatabase(), SEED + 1000);
        ordeal.suffer(KILLS);
        assertThat(ordeal.kills()).isEqualTo(KILLS);
        ordeal.check();
    }
}
