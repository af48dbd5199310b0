package dev.fermata.live;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.fermata.core.contract.JobState;
import dev.fermata.live.api.ApiSettings;
import dev.fermata.live.conductor.Actor;
import dev.fermata.live.conductor.Pulse;
import dev.fermata.live.spec.JobFile;
import dev.fermata.live.store.PostgresServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two whole daemons on one PostgreSQL database, with a job that runs while the lead changes hands. */
@SuppressWarnings("try") // The one that leads is closed in the middle, to see what the other makes of it.
class StandbyTest {
    private static final Actor WHO = new Actor(System.getProperty("user.name"), "USER", "test");

    @TempDir
    Path folder;

    private final String store = PostgresServer.newDatabase();

    private DaemonSettings settings(String data) {
        return DaemonSettings.in(folder.resolve(data))
                .withStore(store)
                .withGpus("virtual:2")
                .withRunAs("daemon")
                .withApi(ApiSettings.local(0));
    }

    /** Says that it began, and waits for the file {@code go}. */
    private long begin(Daemon daemon) throws Exception {
        String run =
                "echo start >> " + out() + "; while [ ! -e " + folder.resolve("go") + " ]; do sleep 0.05; done; exit 5";
        long id = daemon.desk()
                .submit(WHO, JobFile.read(new JsonMapper().createObjectNode().put("run", run)), null)
                .get(10, SECONDS)
                .get(0);
        await().atMost(30, SECONDS).until(() -> state(daemon, id) == JobState.RUNNING && Files.exists(out()));
        return id;
    }

    private Path out() {
        return folder.resolve("out");
    }

    private static JobState state(Daemon daemon, long id) {
        return daemon.store().reader().job(id).orElseThrow().state();
    }

    /** Why a daemon does not come up; one for which the database has not noticed the end of the last waits a moment first. */
    private static String stopsWith(DaemonSettings settings) {
        try (Daemon daemon = Daemon.start(settings, "test")) {
            return daemon.awaitEnd();
        } catch (IllegalStateException e) {
            return String.valueOf(e.getMessage());
        }
    }

    @Test
    void standbyOnTheSameDataFolderTakesOverTheJobs() throws Exception {
        try (Daemon leader = Daemon.start(settings("data"), "test")) {
            long id = begin(leader);
            try (Daemon standby = Daemon.start(settings("data"), "test")) {
                assertThat(standby.desk().pulse().phase()).isEqualTo(Pulse.Phase.STANDBY);
                assertThat(state(leader, id)).isEqualTo(JobState.RUNNING);
                leader.close();
                await().atMost(30, SECONDS).until(() -> standby.desk().pulse().phase() == Pulse.Phase.LEADING);
                Files.createFile(folder.resolve("go"));
                await().atMost(30, SECONDS).until(() -> state(standby, id) == JobState.FAILED);
                assertThat(standby.store().reader().job(id).orElseThrow().exitCode())
                        .isEqualTo(5);
                assertThat(Files.readAllLines(out())).isEqualTo(List.of("start"));
            }
        }
    }

    @Test
    void standbyWithAnotherDataFolderStartsNoSecondCopy() throws Exception {
        try (Daemon leader = Daemon.start(settings("data"), "test")) {
            long id = begin(leader);
            try (Daemon standby = Daemon.start(settings("other"), "test")) {
                leader.close();
                assertThat(standby.awaitEnd())
                        .contains("1 job is on GPUs at data folder " + folder.resolve("data"))
                        .contains("--abandon");
                assertThat(state(standby, id)).isEqualTo(JobState.RUNNING);
            }
            assertThat(stopsWith(settings("other"))).contains("--abandon");
            Files.createFile(folder.resolve("go"));
            try (Daemon home = Daemon.start(settings("data"), "test")) {
                await().atMost(30, SECONDS).until(() -> state(home, id) == JobState.FAILED);
            }
            assertThat(Files.readAllLines(out())).isEqualTo(List.of("start"));
        }
        try (Daemon other = Daemon.start(settings("other"), "test")) {
            assertThat(other.desk().pulse().phase()).isEqualTo(Pulse.Phase.LEADING); // nothing is on GPUs any more
        }
    }
}
