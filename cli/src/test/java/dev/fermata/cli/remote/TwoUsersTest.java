package dev.fermata.cli.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fermata.cli.CommandRun;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two people with tokens of their own, on one daemon. */
class TwoUsersTest {
    @TempDir
    private static Path home;

    private static RunningDaemon daemon;
    private static String ada = "";
    private static String bob = "";

    @BeforeAll
    static void up() throws IOException, InterruptedException {
        daemon = RunningDaemon.start(home);
        ada = daemon.run("token", "create", "ada").lines().get(0);
        bob = daemon.run("token", "create", "bob", "--label", "laptop", "--expires", "30d")
                .lines()
                .get(0);
    }

    @AfterAll
    static void down() {
        daemon.close();
    }

    @Test
    void eachSeesAndChangesOnlyTheirOwn() {
        String job = daemon.as(ada, "submit", "-o", "id", "--name", "secret-idea", "--", "echo mine; sleep 60")
                .lines()
                .get(0);
        await().atMost(Duration.ofSeconds(60))
                .until(() -> daemon.as(ada, "logs", job).out().equals("mine\n"));

        assertThat(daemon.as(ada, "ls").out()).contains("secret-idea", "ada");
        assertThat(daemon.as(bob, "ls").out()).doesNotContain("secret-idea");
        for (String[] command : new String[][] {
            {"describe", job},
            {"logs", job},
            {"cancel", job},
            {"hold", job},
            {"update", job, "--priority", "1"},
            {"explain", job}
        }) {
            CommandRun run = daemon.as(bob, command);
            assertThat(run.code()).as(String.join(" ", command)).isIn(1, 2);
            assertThat(run.out() + run.err()).doesNotContain("secret-idea", "mine");
        }
        assertThat(daemon.as(ada, "cancel", job).code()).isZero();
    }

    @Test
    void rolesHaveTheirLimits() {
        String viewer =
                daemon.run("token", "create", "eve", "--role", "viewer").lines().get(0);

        assertThat(daemon.as(viewer, "ls").code()).isZero();
        CommandRun submitted = daemon.as(viewer, "submit", "--", "true");
        assertThat(submitted.code()).isEqualTo(1);
        assertThat(submitted.err()).startsWith("fermata: ");
        assertThat(daemon.as(ada, "token", "ls").out()).contains("ada").doesNotContain("bob");
        assertThat(daemon.as(ada, "token", "create", "ada").code()).isEqualTo(1);
        assertThat(daemon.as(ada, "audit").code()).isEqualTo(1);
        assertThat(daemon.as(ada, "drain", "0").code()).isEqualTo(1);
    }

    @Test
    void aUserReplacesATokenOfTheirOwn() {
        String token = daemon.run("token", "create", "dora").lines().get(0);
        String id = daemon.as(token, "token", "ls").lines().stream()
                .filter(line -> line.contains("dora"))
                .map(line -> line.split(" ", 2)[0])
                .findFirst()
                .orElseThrow();

        CommandRun foreign = daemon.as(ada, "token", "rotate", id);
        String next = daemon.as(token, "token", "rotate", id).lines().get(0);

        assertThat(foreign.code()).isEqualTo(2);
        assertThat(next).startsWith("fm_").isNotEqualTo(token);
        assertThat(daemon.as(token, "ls").code()).isEqualTo(1);
        assertThat(daemon.as(next, "ls").code()).isZero();
        assertThat(daemon.as(next, "token", "ls").out()).contains("for 90d");
    }

    @Test
    void aRevokedTokenIsRefused() {
        String token = daemon.run("token", "create", "carl").lines().get(0);
        assertThat(daemon.as(token, "ls").code()).isZero();
        String id = daemon.run("token", "ls").lines().stream()
                .filter(line -> line.contains("carl"))
                .map(line -> line.split(" ", 2)[0])
                .findFirst()
                .orElseThrow();

        assertThat(daemon.run("token", "revoke", id).code()).isZero();

        CommandRun run = daemon.as(token, "ls");
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.err()).contains("FERMATA_TOKEN");
        assertThat(daemon.run("token", "ls").out())
                .contains("revoked", "for 30d")
                .contains("laptop");
        assertThat(daemon.as("fm_wrong", "ls").code()).isEqualTo(1);
    }
}
