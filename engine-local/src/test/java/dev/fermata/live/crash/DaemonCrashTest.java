package dev.fermata.live.crash;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.live.store.PostgresServer;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * A real daemon with real jobs, killed at random moments and restarted, repeatedly. {@code -Dfermata.crash.kills=200} is the
 * long version, {@code -Dfermata.crash.seed=N} another sequence.
 */
@Execution(ExecutionMode.CONCURRENT)
class DaemonCrashTest {
    private static final int KILLS = Integer.getInteger("fermata.crash.kills", 10);
    private static final long SEED = Long.getLong("fermata.crash.seed", 1);

    @TempDir
    Path folder;

    @Test
    void nothingIsLostOnSqlite() throws Exception {
        CrashScenario scenario = new CrashScenario(folder, "sqlite", SEED);
        scenario.runWithKills(KILLS);
        assertThat(scenario.kills()).isEqualTo(KILLS);
        scenario.check();
    }

    @Test
    void nothingIsLostOnPostgres() throws Exception {
        CrashScenario scenario = new CrashScenario(folder, PostgresServer.newDatabase(), SEED + 1000);
        scenario.runWithKills(KILLS);
        assertThat(scenario.kills()).isEqualTo(KILLS);
        scenario.check();
    }
}
