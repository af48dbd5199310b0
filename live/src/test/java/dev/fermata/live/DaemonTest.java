package dev.fermata.live;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.fermata.core.contract.JobState;
import dev.fermata.live.api.ApiSettings;
import dev.fermata.live.conductor.Actor;
import dev.fermata.live.conductor.Pulse;
import dev.fermata.live.spec.JobFile;
import dev.fermata.live.spec.JobSpec;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The whole daemon in this process: real store, real processes, real door. */
class DaemonTest {
    private static final Actor WHO = new Actor(System.getProperty("user.name"), "USER", "test");

    @TempDir
    Path folder;

    private DaemonSettings settings() {
        return DaemonSettings.in(folder.resolve("data"))
                .withGpus("virtual:2")
                .withRunAs("daemon")
                .withApi(ApiSettings.local(0));
    }

    private static JobSpec job(String run) throws Exception {
        return JobFile.read(new JsonMapper().createObjectNode().put("run", run)).get(0);
    }

    private static void awaitState(Daemon daemon, long id, JobState state) {
        await().atMost(30, SECONDS)
                .until(() -> daemon.store().reader().job(id).orElseThrow().state() == state);
    }

    @Test
    void jobIsSubmittedRunsAndEnds() throws Exception {
        Path out = folder.resolve("out");
        try (Daemon daemon = Daemon.start(settings(), "test")) {
            assertThat(daemon.desk().pulse().phase()).isEqualTo(Pulse.Phase.LEADING);
            assertThat(daemon.url()).startsWith("http://127.0.0.1:");
            List<Long> ids = daemon.desk()
                    .submit(WHO, List.of(job("echo hello > " + out), job("exit 3")), null)
                    .get(10, SECONDS);
            awaitState(daemon, ids.get(0), JobState.COMPLETED);
            awaitState(daemon, ids.get(1), JobState.FAILED);
            assertThat(out).hasContent("hello");
            assertThat(daemon.store().reader().job(ids.get(1)).orElseThrow().exitCode())
                    .isEqualTo(3);
            assertThat(daemon.desk().explain(ids.get(1)).get(10, SECONDS).message())
                    .contains("exit code 3");
        }
    }

    @Test
    void jobOutlivesTheDaemonAndItsEndIsLearned() throws Exception {
        Path go = folder.resolve("go");
        Path out = folder.resolve("out");
        long id;
        try (Daemon daemon = Daemon.start(settings(), "test")) {
            id = daemon.desk()
                    .submit(
                            WHO,
                            List.of(job("echo start >> " + out + "; while [ ! -e " + go
                                    + " ]; do sleep 0.05; done; exit 5")),
                            null)
                    .get(10, SECONDS)
                    .get(0);
            awaitState(daemon, id, JobState.RUNNING);
            await().atMost(10, SECONDS).until(() -> Files.exists(out));
        }
        Files.createFile(go);
        try (Daemon daemon = Daemon.start(settings(), "test")) {
            awaitState(daemon, id, JobState.FAILED);
            assertThat(daemon.store().reader().job(id).orElseThrow().exitCode()).isEqualTo(5);
            assertThat(out).hasContent("start");
        }
    }

    @Test
    void secondDaemonOnTheSameFolderIsRefused() {
        try (Daemon daemon = Daemon.start(settings(), "test")) {
            assertThatThrownBy(() -> Daemon.start(settings(), "test")).hasMessageContaining("another");
            assertThat(daemon.desk().pulse().phase()).isEqualTo(Pulse.Phase.LEADING);
        }
    }

    @Test
    void aDaemonWithAnotherStoreOnTheSameFolderIsRefusedAndEndsNoJob() throws Exception {
        try (Daemon daemon = Daemon.start(settings(), "test")) {
            long id = daemon.desk()
                    .submit(WHO, List.of(job("sleep 60")), null)
                    .get(10, SECONDS)
                    .get(0);
            awaitState(daemon, id, JobState.RUNNING);
            DaemonSettings other = settings().withStore("sqlite:" + folder.resolve("other.db"));
            assertThatThrownBy(() -> Daemon.start(other, "test"))
                    .hasMessageContaining("works on the data folder " + folder.resolve("data"))
                    .hasMessageContaining("--data");
            assertThat(daemon.store().reader().job(id).orElseThrow().state()).isEqualTo(JobState.RUNNING);
            daemon.desk().cancel(WHO, id).get(10, SECONDS);
            awaitState(daemon, id, JobState.CANCELLED);
        }
    }

    @Test
    void closedDaemonLeavesNoThreadBehind() {
        Daemon.start(settings(), "test").close();
        await().atMost(20, SECONDS)
                .until(() -> Thread.getAllStackTraces().keySet().stream()
                        .noneMatch(thread -> thread.getName().startsWith("fermata")));
    }

    @Test
    void wrongSettingsAreSaidInASentence() {
        assertThatThrownBy(() -> Daemon.start(settings().withPolicy("fermat"), "test"))
                .hasMessageContaining("Did you mean 'fermata'");
        assertThatThrownBy(() -> Daemon.start(settings().withEngine("slurm"), "test"))
                .hasMessageContaining("unknown engine 'slurm'");
    }
}
