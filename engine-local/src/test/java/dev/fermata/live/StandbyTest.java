package dev.fermata.live;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.fermata.core.contract.JobState;
import dev.fermata.live.api.ApiSettings;
import dev.fermata.live.health.HealthStatus;
import dev.fermata.live.request.Actor;
import dev.fermata.live.spec.JobFileParser;
import dev.fermata.live.store.PostgresServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two whole daemons on one PostgreSQL database, with a job that runs during the takeover. */
@SuppressWarnings("try") // The leader is closed during the test, to see the effect on the other.
class StandbyTest {
    private static final Actor ACTOR = new Actor(System.getProperty("user.name"), "USER", "test");

    @TempDir
    Path folder;

    private final String store = PostgresServer.newDatabase();

    private DaemonSettings settings(String data) {
        return DaemonSettings.forDataFolder(folder.resolve(data))
                .withStore(store)
                .withGpus("virtual:2")
                .withRunAs("daemon")
                .withApi(ApiSettings.local(0));
    }

    /** Prints that it began, and waits for the file {@code go}. */
    private long startWaitingJob(Daemon daemon) throws Exception {
        String run = "echo start >> " + outputFile() + "; while [ ! -e " + folder.resolve("go")
                + " ]; do sleep 0.05; done; exit 5";
        long id = daemon.scheduler()
                .submit(
                        ACTOR,
                        JobFileParser.parse(new JsonMapper().createObjectNode().put("run", run)),
                        null)
                .get(30, SECONDS)
                .get(0);
        await().atMost(30, SECONDS).until(() -> state(daemon, id) == JobState.RUNNING && Files.exists(outputFile()));
        return id;
    }

    private Path outputFile() {
        return folder.resolve("out");
    }

    private static JobState state(Daemon daemon, long id) {
        return daemon.store().reader().job(id).orElseThrow().state();
    }

    /** Why a daemon does not start; where the database has not noticed the end of the last one, it waits a moment first. */
    private static String stopMessage(DaemonSettings settings) {
        try (Daemon daemon = Daemon.start(settings, "test")) {
            return daemon.awaitEnd();
        } catch (IllegalStateException e) {
            return String.valueOf(e.getMessage());
        }
    }

    @Test
    void standbyOnTheSameDataFolderTakesOverTheJobs() throws Exception {
        try (Daemon leader = Daemon.start(settings("data"), "test")) {
            long id = startWaitingJob(leader);
            try (Daemon standby = Daemon.start(settings("data"), "test")) {
                assertThat(standby.scheduler().health().phase()).isEqualTo(HealthStatus.DaemonPhase.STANDBY);
                assertThat(state(leader, id)).isEqualTo(JobState.RUNNING);
                leader.close();
                await().atMost(30, SECONDS)
                        .until(() -> standby.scheduler().health().phase() == HealthStatus.DaemonPhase.LEADING);
                Files.createFile(folder.resolve("go"));
                await().atMost(30, SECONDS).until(() -> state(standby, id) == JobState.FAILED);
                assertThat(standby.store().reader().job(id).orElseThrow().exitCode())
                        .isEqualTo(5);
                assertThat(Files.readAllLines(outputFile())).isEqualTo(List.of("start"));
            }
        }
    }

    @Test
    void standbyWithAnotherDataFolderStartsNoSecondCopy() throws Exception {
        try (Daemon leader = Daemon.start(settings("data"), "test")) {
            long id = startWaitingJob(leader);
            try (Daemon standby = Daemon.start(settings("other"), "test")) {
                leader.close();
                assertThat(standby.awaitEnd())
                        .contains("1 job is on GPUs at data folder " + folder.resolve("data"))
                        .contains("--abandon");
                assertThat(state(standby, id)).isEqualTo(JobState.RUNNING);
            }
            assertThat(stopMessage(settings("other"))).contains("--abandon");
            Files.createFile(folder.resolve("go"));
            try (Daemon home = Daemon.start(settings("data"), "test")) {
                await().atMost(30, SECONDS).until(() -> state(home, id) == JobState.FAILED);
            }
            assertThat(Files.readAllLines(outputFile())).isEqualTo(List.of("start"));
        }
        try (Daemon other = Daemon.start(settings("other"), "test")) {
            assertThat(other.scheduler().health().phase())
                    .isEqualTo(HealthStatus.DaemonPhase.LEADING); // nothing holds GPUs any more
        }
    }
}
