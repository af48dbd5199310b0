package dev.fermata.live.crash;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.live.store.PostgresServer;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * A real daemon with real jobs, killed at random moments and restarted, repeatedly. {@code -Dfermata.crash.kills=100} and
 * {@code -Dfermata.crash.stories=5} are the long version, {@code -Dfermata.crash.seed=N} other sequences.
 */
@Execution(ExecutionMode.CONCURRENT)
class DaemonCrashTest {
    private static final int KILLS = Integer.getInteger("fermata.crash.kills", 10);
    private static final long SEED = Long.getLong("fermata.crash.seed", 1);

    private static final int STORIES = Integer.getInteger("fermata.crash.stories", 1);

    @TempDir
    Path folder;

    @Test
    void nothingIsLostOnSqlite() throws Exception {
        DaemonLauncher launcher = DaemonLauncher.in(folder.resolve("classes"));
        for (int story = 0; story < STORIES; story++) {
            play(new CrashScenario(launcher, folder.resolve("story" + story), "sqlite", SEED + story));
        }
    }

    @Test
    void nothingIsLostOnPostgres() throws Exception {
        DaemonLauncher launcher = DaemonLauncher.in(folder.resolve("classes"));
        for (int story = 0; story < STORIES; story++) {
            String store = PostgresServer.newDatabase();
            play(new CrashScenario(launcher, folder.resolve("story" + story), store, SEED + 1000 + story));
        }
    }

    private static void play(CrashScenario scenario) throws Exception {
        scenario.runWithKills(KILLS);
        assertThat(scenario.kills()).isEqualTo(KILLS);
        scenario.check();
    }
}
