package dev.fermata.live;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.fermata.core.contract.JobState;
import dev.fermata.live.api.ApiSettings;
import dev.fermata.live.health.HealthStatus;
import dev.fermata.live.request.Actor;
import dev.fermata.live.spec.JobFileParser;
import dev.fermata.live.spec.JobSpec;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** The whole daemon in this process: real store, real processes, real API. */
@Isolated("other daemons have threads too")
class DaemonTest {
    private static final Actor ACTOR = new Actor(System.getProperty("user.name"), "USER", "test");

    @TempDir
    Path folder;

    private DaemonSettings settings() {
        return DaemonSettings.forDataFolder(folder.resolve("data"))
                .withGpus("virtual:2")
                .withRunAs("daemon")
                .withApi(ApiSettings.local(0));
    }

    private static JobSpec job(String run) throws Exception {
        return JobFileParser.parse(new JsonMapper().createObjectNode().put("run", run))
                .get(0);
    }

    private static void awaitState(Daemon daemon, long id, JobState state) {
        await().atMost(30, SECONDS)
                .until(() -> daemon.store().reader().job(id).orElseThrow().state() == state);
    }

    @Test
    void jobIsSubmittedRunsAndEnds() throws Exception {
        Path out = folder.resolve("out");
        try (Daemon daemon = Daemon.start(settings(), "test")) {
            assertThat(daemon.scheduler().health().phase()).isEqualTo(HealthStatus.DaemonPhase.LEADING);
            assertThat(daemon.url()).startsWith("http://127.0.0.1:");
            List<Long> ids = daemon.scheduler()
                    .submit(ACTOR, List.of(job("echo hello > " + out), job("exit 3")), null)
                    .get(30, SECONDS);
            awaitState(daemon, ids.get(0), JobState.COMPLETED);
            awaitState(daemon, ids.get(1), JobState.FAILED);
            assertThat(out).hasContent("hello");
            assertThat(daemon.store().reader().job(ids.get(1)).orElseThrow().exitCode())
                    .isEqualTo(3);
            assertThat(daemon.scheduler().explain(ids.get(1)).get(30, SECONDS).message())
                    .contains("exit code 3");
        }
    }

    @Test
    void jobOutlivesTheDaemonAndItsEndIsRecordedByTheNext() throws Exception {
        Path go = folder.resolve("go");
        Path out = folder.resolve("out");
        long id;
        try (Daemon daemon = Daemon.start(settings(), "test")) {
            id = daemon.scheduler()
                    .submit(
                            ACTOR,
                            List.of(job("echo start >> " + out + "; while [ ! -e " + go
                                    + " ]; do sleep 0.05; done; exit 5")),
                            null)
                    .get(30, SECONDS)
                    .get(0);
            awaitState(daemon, id, JobState.RUNNING);
            await().atMost(30, SECONDS).until(() -> Files.exists(out));
        }
        Files.createFile(go);
        try (Daemon daemon = Daemon.start(settings(), "test")) {
            awaitState(daemon, id, JobState.FAILED);
            assertThat(daemon.store().reader().job(id).orElseThrow().exitCode()).isEqualTo(5);
            assertThat(out).hasContent("start");
        }
    }

    @Test
    void secondDaemonOnTheSameFolderIsRejected() {
        try (Daemon daemon = Daemon.start(settings(), "test")) {
            assertThatThrownBy(() -> Daemon.start(settings(), "test")).hasMessageContaining("another");
            assertThat(daemon.scheduler().health().phase()).isEqualTo(HealthStatus.DaemonPhase.LEADING);
        }
    }

    @Test
    void daemonWithAnotherStoreOnTheSameFolderIsRejectedAndEndsNoJob() throws Exception {
        try (Daemon daemon = Daemon.start(settings(), "test")) {
            long id = daemon.scheduler()
                    .submit(ACTOR, List.of(job("sleep 60")), null)
                    .get(30, SECONDS)
                    .get(0);
            awaitState(daemon, id, JobState.RUNNING);
            DaemonSettings other = settings().withStore("sqlite:" + folder.resolve("other.db"));
            assertThatThrownBy(() -> Daemon.start(other, "test"))
                    .hasMessageContaining("uses the data folder " + folder.resolve("data"))
                    .hasMessageContaining("--data");
            assertThat(daemon.store().reader().job(id).orElseThrow().state()).isEqualTo(JobState.RUNNING);
            daemon.scheduler().cancel(ACTOR, id).get(30, SECONDS);
            awaitState(daemon, id, JobState.CANCELLED);
        }
    }

    @Test
    void closedDaemonLeavesNoThreadBehind() {
        Daemon.start(settings(), "test").close();
        await().atMost(30, SECONDS)
                .until(() -> Thread.getAllStackTraces().keySet().stream()
                        .noneMatch(thread -> thread.getName().startsWith("fermata")));
    }

    @Test
    void wrongSettingsAreReportedInOneSentence() {
        assertThatThrownBy(() -> Daemon.start(settings().withPolicy("fermat"), "test"))
                .hasMessageContaining("Did you mean 'fermata'");
        assertThatThrownBy(() -> Daemon.start(settings().withEngine("slurm"), "test"))
                .hasMessageContaining("unknown engine 'slurm'");
    }
}
