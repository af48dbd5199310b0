package dev.fermata.cli.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.NamedCsvRecord;
import dev.fermata.cli.CommandRun;
import dev.fermata.cli.FermataProcess;
import dev.fermata.insight.exit.Interruption;
import dev.fermata.report.text.Screen;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The first commands of a new user, against a real daemon with two virtual GPUs. */
class NewUserTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    @TempDir
    private static Path home;

    private static RunningDaemon daemon;

    @BeforeAll
    static void up() throws IOException, InterruptedException {
        daemon = RunningDaemon.start(home);
    }

    @AfterAll
    static void down() {
        daemon.close();
    }

    @AfterEach
    void nothingIsLeftRunning() {
        daemon.run("ls", "-o", "id").lines().forEach(job -> daemon.run("cancel", job));
        await().atMost(TIMEOUT).until(() -> daemon.run("ls", "-o", "id").out().isEmpty());
    }

    @Test
    void upPrintsAddressAndToken() {
        assertThat(daemon.output())
                .contains(
                        "is up at http://127.0.0.1:",
                        "2 × ",
                        "policy  fermata",
                        "sqlite:",
                        "fm_",
                        "./fermata submit",
                        "Ctrl-C");
    }

    @Test
    void aJobIsSubmittedWaitedForAndRead() throws IOException {
        CommandRun run = daemon.run("submit", "--wait", "--name", "hello", "--", "echo", "hello $USER", "there");
        String id = run.lines().get(0).split(" ", -1)[1];

        assertThat(run.code()).as(run.err()).isZero();
        assertThat(run.out()).isEqualTo("Job " + id + " is accepted.\n");
        assertThat(run.err()).contains("Job " + id + " (hello) is COMPLETED");
        assertThat(daemon.run("logs", id).out()).isEqualTo("hello $USER there\n");
        assertThat(daemon.run("ls", "--all").out()).contains("hello", "COMPLETED");
        assertThat(daemon.run("history").out()).contains("hello", "COMPLETED");
        assertThat(daemon.run("describe", id).out())
                .contains("Job " + id + " (hello) is COMPLETED", "exit code 0", home.toString());
        assertThat(daemon.run("explain", id).out()).startsWith("Job " + id + " is COMPLETED");
        assertThat(daemon.run("events", id).out()).contains("Submitted", "Started", "AttemptEnded");
        assertThat(daemon.run("events", id, "--type", "Started,AttemptEnded").out())
                .contains("Started", "AttemptEnded")
                .doesNotContain("Submitted");
        assertThat(daemon.json("explain", id).path("state").asText()).isEqualTo("COMPLETED");
    }

    @Test
    void aNewJobComesWithTheNextCommands() {
        CommandRun run = daemon.run("submit", "--", "true");

        assertThat(run.out()).contains("is accepted", "fermata logs -f ", "fermata explain ", "fermata cancel ");
    }

    @Test
    void exitCodeReflectsHowAJobEnded() {
        CommandRun failed = daemon.run("submit", "--wait", "--", "echo no >&2; exit 3");

        assertThat(failed.code()).isEqualTo(1);
        assertThat(failed.err()).contains("FAILED with exit code 3");
    }

    @Test
    void followShowsTheOutputAsItComes() {
        CommandRun run = daemon.run(
                "submit", "--follow", "--", "for i in 1 2 3; do echo step $i; sleep 0.1; done; echo oops >&2; exit 1");

        assertThat(run.code()).isEqualTo(1);
        assertThat(run.out()).contains("step 1\nstep 2\nstep 3\n");
        assertThat(run.err()).contains("oops\n", "FAILED");
    }

    @Test
    void standardErrorCanBeShownAlone() {
        String id = daemon.submit("--wait", "--", "echo out; echo err >&2");

        assertThat(daemon.run("logs", id, "--stderr").out()).isEqualTo("err\n");
        assertThat(daemon.run("logs", id, "--stdout").err()).isEmpty();
        assertThat(daemon.run("logs", id).out()).isEqualTo("out\n");
        assertThat(daemon.run("logs", id).err()).isEqualTo("err\n");
        assertThat(daemon.run("logs", id + ".1", "--tail", "1").out()).isEqualTo("out\n");
        assertThat(daemon.run("logs", id + ".7").code()).isEqualTo(2);
    }

    @Test
    void explainNamesThePendingReason() throws IOException {
        String first = daemon.submit("--gpus", "2", "--name", "first", "--", "sleep 60");
        String second = daemon.submit("--gpus", "2", "--name", "second", "--", "sleep 60");

        await().atMost(TIMEOUT).until(() -> daemon.state(first).equals("RUNNING"));
        assertThat(daemon.run("ls").out()).contains("second", "PENDING", "RESOURCES");
        assertThat(daemon.run("explain", second).out())
                .contains("is PENDING: RESOURCES", "needs 2 GPUs", "evidence", "would start", "position")
                .contains("in the way   job " + first + " of ", "(2 GPUs, ends in ");
        JsonNode explained = daemon.json("explain", second);
        assertThat(explained.path("reason").asText()).isEqualTo("RESOURCES");
        assertThat(explained.path("evidence").isObject()).isTrue();
        assertThat(explained.path("unblockedBy").asText()).isNotEmpty();
        assertThat(explained.path("blockedBy")).hasSize(1);
        assertThat(explained.path("blockedBy").path(0).path("job").asText()).isEqualTo(first);
        assertThat(explained
                        .path("blockedBy")
                        .path(0)
                        .path("expectedEnd")
                        .path("p90")
                        .asText())
                .isNotEmpty();
        assertThat(daemon.run("top").out()).contains("GPUs: 2 of 2 busy", "Running 1", "Waiting 1", "RESOURCES");
        assertThat(daemon.run("nodes").out()).contains("0: job " + first, "1: job " + first);
        assertThat(daemon.run("logs", second).out()).contains("has not started");

        CommandRun cancelled = daemon.run("cancel", first, "999999", second);
        assertThat(cancelled.code()).isEqualTo(2);
        assertThat(cancelled.out()).contains("Job " + first + " is cancelled.", "Job " + second + " is cancelled.");
        assertThat(cancelled.err()).contains("999999");
        await().atMost(TIMEOUT).until(() -> daemon.state(first).equals("CANCELLED"));
        assertThat(daemon.run("cancel", first).code()).isEqualTo(1);
    }

    @Test
    void aDryRunChangesNothing() throws IOException {
        long before = daemon.json("ls", "--all").size();

        assertThat(daemon.run("submit", "--dry-run", "--gpus", "2", "--", "true")
                        .out())
                .contains("It would start at once on GPUs 0,1", "Nothing was submitted");
        CommandRun never = daemon.run("submit", "--dry-run", "--gpus", "3", "--", "true");
        assertThat(never.code()).isEqualTo(2);
        assertThat(never.out()).contains("It could never start here");
        assertThat(daemon.json("submit", "--dry-run", "--", "true")
                        .path("startsNow")
                        .asBoolean())
                .isTrue();
        assertThat(daemon.json("ls", "--all")).hasSize((int) before);
    }

    @Test
    void infeasibleJobsAreRefused() {
        CommandRun run = daemon.run("submit", "--gpus", "3", "--", "true");

        assertThat(run.code()).isEqualTo(2);
        assertThat(run.err()).contains("at most 2");
    }

    @Test
    void mistakesInAJobFileAreNamedByLine() throws IOException {
        daemon.file("bad.yaml", "name: x\ngpus: 0\npreempt:\n  grace: soon\ncolour: red\nrun: true\n");

        CommandRun run = daemon.run("submit", "bad.yaml");

        assertThat(run.code()).isEqualTo(2);
        assertThat(run.err())
                .contains(
                        "bad.yaml:2: gpus (0)", "bad.yaml:4: preempt.grace (soon)", "bad.yaml:5: unknown key 'colour'");
        daemon.file("broken.yaml", "name: 'x\nrun: true\n");
        CommandRun broken = daemon.run("submit", "broken.yaml");
        assertThat(broken.code()).isEqualTo(2);
        assertThat(broken.err()).contains("broken.yaml:", "not readable as YAML");
        CommandRun missing = daemon.run("submit", "python", "train.py");
        assertThat(missing.code()).isEqualTo(2);
        assertThat(missing.err()).contains("file 'python' does not exist", "fermata submit -- python train.py");
    }

    @Test
    void aJobFileRunsWithItsVariablesAndHidesItsSecrets() throws IOException {
        daemon.file(
                "job.yaml",
                "name: filed\nclass: trial\nenv: {LR: 1e-4}\nrun: |\n  echo $LR $KEY $FERMATA_ATTEMPT\n  pwd\n");

        String id = daemon.submit("job.yaml", "--secret", "KEY=hush", "--wait");

        assertThat(daemon.run("logs", id).out()).isEqualTo("1e-4 hush 1\n" + home.toRealPath() + "\n");
        assertThat(daemon.run("describe", id).out())
                .contains("LR=1e-4", "KEY=********")
                .doesNotContain("hush");
        assertThat(daemon.run("describe", id, "-o", "yaml").out())
                .contains("trial")
                .doesNotContain("hush");
    }

    @Test
    void aSlurmScriptRuns() throws IOException {
        daemon.file(
                "slurm.sh",
                "#!/bin/sh\n#SBATCH --job-name=sweep --gres=gpu:1\n#SBATCH --array=3-4\n#SBATCH --output=%x.out --account=us\necho $1 $SLURM_ARRAY_TASK_ID $SLURM_JOB_NAME\n");

        CommandRun run = daemon.run("submit", "--wait", "-o", "id", "slurm.sh", "with words");

        assertThat(run.code()).as(run.err()).isZero();
        assertThat(run.lines()).hasSize(2);
        assertThat(run.err()).contains("slurm.sh:4: #SBATCH --output", "slurm.sh:4: #SBATCH --account");
        assertThat(daemon.run("logs", run.lines().get(0)).out()).isEqualTo("with words 3 sweep\n");
        assertThat(daemon.run("logs", run.lines().get(1)).out()).isEqualTo("with words 4 sweep\n");
        assertThat(daemon.run("ls", "--all", "--array", run.lines().get(0), "-o", "id")
                        .lines())
                .hasSize(2);
    }

    /** As with sbatch, and although {@code --wait} and {@code --name} are flags of ours. */
    @Test
    void argumentsAfterAScriptGoToTheScript() throws IOException {
        daemon.file("words.sh", "#!/bin/sh\necho \"$@\"\n");
        daemon.file("nameless", "#!/bin/sh\necho \"$@\"\n");

        String id =
                daemon.submit("--wait", "--name", "mine", "words.sh", "0.1", "--seed", "--name", "theirs", "-o", "x");
        String bare = daemon.submit("--wait", "nameless", "--", "--lr", "1", "--", "2");
        String command = daemon.submit("--hold", "--", "./words.sh", "--", "--wait");

        assertThat(daemon.run("logs", id).out()).isEqualTo("0.1 --seed --name theirs -o x\n");
        assertThat(daemon.json("describe", id).path("name").asText()).isEqualTo("mine");
        assertThat(daemon.run("logs", bare).out()).isEqualTo("--lr 1 -- 2\n");
        assertThat(daemon.json("describe", command).path("spec").path("run").asText())
                .contains("./words.sh -- --wait");
    }

    /** Rows of jobs that are unlike each other: one waits, one failed, one is done. */
    @Test
    void tablesForProgramsHaveAsManyCellsAsColumns() {
        String failed = daemon.submit("--", "exit 3");
        String held = daemon.submit("--hold", "--", "true");
        await().atMost(TIMEOUT)
                .until(() ->
                        daemon.run("ls", "--state", "ended", "-o", "id").lines().contains(failed));

        for (String[] command : new String[][] {{"ls", "--all"}, {"history"}, {"ls", "--state", "live,failed"}}) {
            List<String> words = new ArrayList<>(List.of(command));
            words.addAll(List.of("-o", "csv"));
            CommandRun run = daemon.run(words.toArray(String[]::new));
            assertThat(run.code()).as(run.err()).isZero();
            try (CsvReader<NamedCsvRecord> rows = CsvReader.builder().ofNamedCsvRecord(run.out())) {
                assertThat(rows.stream().map(row -> row.getField("id"))).contains(failed);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        assertThat(daemon.run("ls", "--state", "live", "-o", "id").lines()).containsExactly(held);
        assertThat(daemon.run("ls", "-o", "wide").out()).contains("submitted", "waited", "priority", "preemptions");
    }

    @Test
    void jobsAreHeldReleasedAndChanged() throws IOException {
        String id = daemon.submit("--hold", "--name", "later", "--", "true");

        assertThat(daemon.run("explain", id).out()).contains("HELD");
        assertThat(daemon.run("update", id, "--priority", "80", "--name", "sooner")
                        .out())
                .contains("is changed");
        assertThat(daemon.json("describe", id).path("name").asText()).isEqualTo("sooner");
        assertThat(daemon.run("update", id).code()).isEqualTo(2);
        assertThat(daemon.run("release", id).code()).isZero();
        await().atMost(TIMEOUT).until(() -> daemon.state(id).equals("COMPLETED"));
        CommandRun late = daemon.run("hold", id);
        assertThat(late.code()).isEqualTo(1);
    }

    @Test
    void aJobComesAfterAnother() throws IOException {
        String first = daemon.submit("--", "sleep 60");
        String second = daemon.submit("--after", first + ":any", "--", "true");

        assertThat(daemon.run("explain", second).out()).contains("DEPENDENCY", "job " + first);
        daemon.run("cancel", first);
        await().atMost(TIMEOUT).until(() -> daemon.state(second).equals("COMPLETED"));
    }

    @Test
    void theSameKeyGivesTheSameJob() {
        String first = daemon.submit("--idempotency-key", "k1", "--", "true");

        assertThat(daemon.submit("--idempotency-key", "k1", "--", "true")).isEqualTo(first);
        CommandRun other = daemon.run("submit", "--idempotency-key", "k1", "--", "false");
        assertThat(other.code()).isEqualTo(1);
    }

    @Test
    void controlCharactersOfAJobDoNotReachATerminal() {
        String id = daemon.submit("--wait", "--", "printf '\\033]0;title\\007\\033[31mred\\033[0m\\n'");

        CommandRun terminal = daemon.run(new Screen(true, true, 80), new Interruption(), Map.of(), "logs", id);
        assertThat(terminal.out()).isEqualTo("␛]0;title␇red\n");
        assertThat(daemon.run("logs", id).out()).isEqualTo("\u001b]0;title\u0007\u001b[31mred\u001b[0m\n");
    }

    @Test
    void wrongArgumentsAreExplained() {
        assertThat(daemon.run("describe", "abc").code()).isEqualTo(2);
        assertThat(daemon.run("cancel", "1.2").err()).contains("names an attempt");
        assertThat(daemon.run("explain", "424242").code()).isEqualTo(2);
        assertThat(daemon.run("ls", "--state", "pendng").err()).contains("Did you mean 'pending'");
        assertThat(daemon.run("drain", "no-such-node").code()).isEqualTo(2);
        assertThat(daemon.run("submit", "--class", "quick", "--", "true").err()).contains("class", "trial");
        assertThat(daemon.run("submit").err()).contains("nothing to submit");
    }

    @Test
    void nodesAreDrainedAndQueuesGetRules() throws IOException {
        String node = daemon.json("nodes").get(0).path("name").asText();
        assertThat(daemon.run("drain", node).out()).contains("is drained");
        String id = daemon.submit("--", "true");
        assertThat(daemon.run("nodes").out()).contains("drained");
        assertThat(daemon.state(id)).isEqualTo("PENDING");
        assertThat(daemon.run("undrain", node).code()).isZero();
        await().atMost(TIMEOUT).until(() -> daemon.state(id).equals("COMPLETED"));

        daemon.file(
                "queues.yaml",
                "queues:\n  - {path: research, guarantee: 1, weight: 2}\n  - {path: research/nlp, limit: 1}\n");
        assertThat(daemon.run("queues", "apply", "queues.yaml").out()).contains("2 queues set");
        assertThat(daemon.run("queues").out()).contains("research/nlp");
        assertThat(daemon.json("queues").findValuesAsText("path")).contains("research", "research/nlp");
        daemon.file("none.yaml", "queues: []\n");
        assertThat(daemon.run("queues", "apply", "none.yaml").out()).contains("0 queues set");
    }

    @Test
    void diagReportsDaemonHealth() throws IOException {
        JsonNode diag = daemon.json("diag");

        assertThat(diag.path("pid").asLong()).isPositive();
        assertThat(diag.path("engine").asText()).isEqualTo("local");
        assertThat(diag.path("phase").asText()).isEqualTo("LEADING");
        assertThat(diag.path("cycleAgeSeconds").isNumber()).isTrue();
        assertThat(daemon.run("diag").out()).contains("is LEADING", "store", "pid");
        assertThat(daemon.run("audit").code()).isZero();
    }

    @Test
    void interruptingFollowLeavesTheJobRunning() throws IOException, InterruptedException {
        String id = daemon.submit("--", "echo begun; sleep 60");
        for (String[] command : List.of(new String[] {"logs", "-f", id}, new String[] {"events", "-f"})) {
            try (FermataProcess following = FermataProcess.startAtHome(home, Map.of(), command)) {
                following.until(() -> output(following).contains(command[0].equals("logs") ? "begun" : "job " + id));
                following.interrupt();
                assertThat(following.await()).isIn(130, 143); // the latter where the tests run with Ctrl-C ignored
                assertThat(following.err()).isEmpty();
            }
        }
        assertThat(daemon.state(id)).isEqualTo("RUNNING");
    }

    @Test
    void topRestoresTheTerminal() {
        Interruption requested = new Interruption();
        requested.request();

        CommandRun top = daemon.run(new Screen(true, false, 80), requested, Map.of(), "top");

        assertThat(top.code()).isEqualTo(130);
        assertThat(top.out()).startsWith("\u001b[?1049h").endsWith("\u001b[?1049l");
    }

    @Test
    void interruptingWaitLeavesTheJobRunning() throws IOException {
        Interruption requested = new Interruption();
        requested.request();

        CommandRun left =
                daemon.run(Screen.PIPE, requested, Map.of(), "submit", "--wait", "-o", "id", "--", "sleep 60");

        assertThat(left.code()).isEqualTo(130);
        assertThat(left.err())
                .contains("continues", "fermata cancel " + left.lines().get(0));
        assertThat(daemon.json("describe", left.lines().get(0)).path("final").asBoolean())
                .isFalse();
    }

    private static String output(FermataProcess process) {
        try {
            return process.out();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
