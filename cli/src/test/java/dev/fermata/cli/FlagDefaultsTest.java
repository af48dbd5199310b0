package dev.fermata.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.cli.option.Invocation;
import dev.fermata.insight.exit.Interruption;
import dev.fermata.report.text.Screen;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FlagDefaultsTest {
    @TempDir
    private Path folder;

    @Test
    void flagWinsOverEnvironmentOverFileOverDefault() throws IOException {
        assertThat(title(Map.of())).endsWith("seed 1");
        file("seed: 3\n");
        assertThat(title(Map.of())).endsWith("seed 3");
        assertThat(title(Map.of("FERMATA_SEED", "4"))).endsWith("seed 4");
        assertThat(title(Map.of("FERMATA_SEED", "4"), "--seed", "5")).endsWith("seed 5");
    }

    @Test
    void aMisspelledVariableIsNamedOnceAndKnownVariablesAreNot() throws IOException {
        Map<String, String> around = new HashMap<>(Map.of("FERMATA_CLUTSER", "2x4", "FERMATA_TOKNE", "x"));
        around.put("FERMATA_WHATEVER_PEOPLE_LIKE", "1");
        Matcher variables = Pattern.compile("FERMATA_[A-Z_]*[A-Z]")
                .matcher(Files.readString(Path.of("").toAbsolutePath().resolve("../docs/user/jobs.md")));
        while (variables.find()) {
            around.putIfAbsent(variables.group(), "1");
        }
        assertThat(around).containsKeys("FERMATA_ATTEMPT_DIR", "FERMATA_ARRAY_INDEX");

        CommandRun run = run(around, "policies");

        assertThat(run.code()).isZero();
        assertThat(run.err().lines())
                .containsExactly(
                        "fermata: warning: FERMATA_CLUTSER is not read by fermata. Did you mean FERMATA_CLUSTER?",
                        "fermata: warning: FERMATA_TOKNE is not read by fermata. Did you mean FERMATA_TOKEN?");
    }

    @Test
    void theFileKnowsTheFlagsOfAllCommands() throws IOException {
        file("threads: 2\ncluster: 2x4\nworkload: 'synthetic:jobs=10'\nquiet: true\npolicies: [fifo, sjf]\n");

        CommandRun run = run(Map.of(), "simulate");

        assertThat(run.out()).contains("on 2x4 (8 GPUs)", "synthetic:jobs=10");
        assertThat(run.err()).isEmpty();
    }

    @Test
    void aListInTheFileIsJoinedByCommas() throws IOException {
        file("policies: [fifo, sjf]\nworkload: 'synthetic:jobs=10'\n");

        assertThat(run(Map.of(), "compare", "-o", "csv").lines()).hasSize(3);
    }

    @Test
    void anUnknownKeyStopsCommandsButNotHelp() throws IOException {
        file("seed: 1\nclutser: 2x4\n");

        CommandRun run = run(Map.of(), "simulate");

        assertThat(run.code()).isEqualTo(2);
        assertThat(run.err()).contains("fermata.yaml:2", "'clutser'", "Did you mean 'cluster'");
        assertThat(run(Map.of(), "simulate", "--help").code()).isZero();
        assertThat(run(Map.of(), "--version").code()).isZero();
    }

    /** A job finds FERMATA_GPUS around it; a job that submits another must not hand that on. */
    @Test
    void flagsOfOneTimeCommandsAreNoSettings() throws IOException {
        Map<String, String> inAJob = Map.of("FERMATA_GPUS", "0,1", "FERMATA_ATTEMPT", "x", "HOME", folder.toString());
        assertThat(run(inAJob, "logs", "1").code()).isEqualTo(3);
        assertThat(run(inAJob, "submit", "--", "true").code()).isEqualTo(3);

        file("output: json\ngpus: virtual:2\n");
        Map<String, String> elsewhere = Map.of("HOME", folder.toString(), "FERMATA_URL", "http://127.0.0.1:1");
        assertThat(run(elsewhere, "ls").err()).contains("no daemon at http://127.0.0.1:1");

        file("idempotency-key: x\n");
        assertThat(run(Map.of(), "ls").err()).contains("unknown key 'idempotency-key'");
    }

    /** A folder of another user could redirect the token, or load code. */
    @ParameterizedTest
    @ValueSource(strings = {"url: http://127.0.0.1:1", "ca: theirs.pem", "token: fm_x", "plugins: theirs"})
    void aSettingsFileCannotRedirectTheTokenNorLoadPlugins(String line) throws IOException {
        file("seed: 1\n" + line + "\n");

        CommandRun run = run(Map.of("HOME", folder.toString(), "FERMATA_TOKEN", "fm_secret"), "ls");

        assertThat(run.code()).isEqualTo(2);
        assertThat(run.err())
                .contains("'" + line.substring(0, line.indexOf(':')) + "' in " + folder.resolve("fermata.yaml"))
                .contains("FERMATA_");
    }

    private void file(String text) throws IOException {
        Files.writeString(folder.resolve("fermata.yaml"), text);
    }

    private String title(Map<String, String> environment, String... more) {
        String[] args = new String[more.length + 3];
        args[0] = "simulate";
        args[1] = "--workload";
        args[2] = "synthetic:jobs=10";
        System.arraycopy(more, 0, args, 3, more.length);
        return run(environment, args).lines().get(0);
    }

    private CommandRun run(Map<String, String> environment, String... args) {
        return CommandRun.in(new Invocation(environment, folder, Screen.PIPE, new Interruption()), args);
    }
}
