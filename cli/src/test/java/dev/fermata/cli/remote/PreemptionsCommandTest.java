package dev.fermata.cli.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.cli.CommandRun;
import dev.fermata.cli.agreement.ApiAgreementChecks;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real processes, paused repeatedly on virtual GPUs, and the daemon killed in between: the preemption log is right. */
class PreemptionsCommandTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final int SHORT_JOBS = 8;
    /** Saves after every step and when it is asked to leave; ends when the test says so. */
    private static final String LONG = "trap 'exit 0' TERM; n=$(cat n 2>/dev/null || echo 0);"
            + " while [ ! -e \"$ENOUGH\" ]; do sleep 0.02; n=$((n + 1)); echo $n >n; done";

    @TempDir
    private Path home;

    @Test
    void everyPreemptionIsReported() throws Exception {
        List<String> jobs = new ArrayList<>();
        RunningDaemon daemon = RunningDaemon.start(home, "--policy", "srtf");
        String token = daemon.token();
        try {
            for (int i = 0; i < 2; i++) {
                jobs.add(daemon.submit(
                        "--name",
                        "long" + i,
                        "--time",
                        "10h",
                        "--env",
                        "ENOUGH=" + home.resolve("enough"),
                        "--",
                        LONG));
            }
            for (String job : jobs) {
                awaitState(daemon, job, "RUNNING");
            }
            for (int i = 0; i < SHORT_JOBS; i++) {
                jobs.add(preemptingJob(daemon, jobs, i));
                if (i == SHORT_JOBS / 2) {
                    daemon.process().kill();
                    daemon = RunningDaemon.start(home, "--policy", "srtf");
                }
            }
            JsonNode open = daemon.json("preemptions");
            assertThat(open)
                    .isNotEmpty()
                    .allMatch(e -> e.path("outcome").asText().equals("OPEN"));
            String whole = daemon.run("explain", jobs.get(0), jobs.get(1)).out();
            assertThat(whole).contains("paused for job", "to leave");

            daemon.file("enough", "");
            for (String job : jobs) {
                awaitState(daemon, job, "COMPLETED");
            }
            ApiAgreementChecks.check(daemon.url(), token, home, SHORT_JOBS);
            checkReports(daemon, jobs);
        } finally {
            daemon.file("enough", "");
            daemon.close();
        }
    }

    /** A short job for which a long one must leave, seen to its end. */
    private static String preemptingJob(RunningDaemon daemon, List<String> jobs, int i) throws IOException {
        String job = daemon.submit("--name", "short" + i, "--time", "1s", "--", "sleep 0.1");
        awaitState(daemon, job, "COMPLETED");
        for (String waiting : jobs.subList(0, 2)) {
            awaitState(daemon, waiting, "RUNNING");
        }
        return job;
    }

    private static void awaitState(RunningDaemon daemon, String job, String state) {
        await().atMost(TIMEOUT).until(() -> daemon.state(job).equals(state));
    }

    private static void checkReports(RunningDaemon daemon, List<String> jobs) throws IOException {
        CommandRun list = daemon.run("preemptions");
        assertThat(list.out()).contains("job " + jobs.get(2) + " (short0)", "paused", "GPU-time", "that are settled");
        CommandRun sums = daemon.run("preemptions", "--by", "policy");
        assertThat(sums.out()).contains("srtf");
        assertThat(daemon.run("preemptions", "--declined").out()).contains("No pause was declined.");
        assertThat(daemon.run("preemptions", "--refused").out()).contains("No pause was declined.");
        assertThat(daemon.run("preemptions", "--by", "dya").err()).contains("--by (dya) is unknown", "day");
        assertThat(daemon.run("preemptions", "--by", "dya").code()).isEqualTo(2);
        assertThat(daemon.run("preemptions", "--by", "user", "--declined").code())
                .isEqualTo(2);
        assertThat(daemon.run("preemptions", "--job", "9999").code()).isEqualTo(2);
        assertThat(daemon.run("describe", jobs.get(2)).out()).contains("paused for it");
        JsonNode one = daemon.json("preemptions", "--job", jobs.get(2));
        assertThat(one).hasSize(1);
        assertThat(one.path(0).path("beneficiary").path("name").asText()).isEqualTo("short0");
    }
}
