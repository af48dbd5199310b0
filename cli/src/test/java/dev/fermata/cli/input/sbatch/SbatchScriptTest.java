package dev.fermata.cli.input.sbatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.fermata.live.spec.JobFileParser;
import dev.fermata.live.spec.JobSpec;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SbatchScriptTest {
    private static final Map<String, String> ENVIRONMENT = Map.of("SEED", "7");

    /** The first line is the job, the others are the warnings. */
    @ParameterizedTest
    @ValueSource(strings = {"bert", "letters", "tasks", "plain"})
    void scriptBecomesTheExpectedJobAndWarnings(String name) throws IOException {
        String script = resource(name + ".sh");
        List<String> expected = resource(name + ".expected").lines().toList();

        SbatchScript read = SbatchScript.read(name + ".sh", script, ENVIRONMENT, List.of());

        assertThat(read.job().path("run").asText()).isEqualTo(script);
        read.job().put("run", "…");
        assertThat(read.job()).isEqualTo(new ObjectMapper().readTree(expected.get(0)));
        assertThat(read.warnings()).isEqualTo(expected.subList(1, expected.size()));
        assertThat(read.carriesPaths()).isEqualTo(!name.equals("letters"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"bert", "letters", "tasks", "plain"})
    void daemonAcceptsTheTranslatedJob(String name) throws IOException {
        List<JobSpec> specs =
                JobFileParser.parse(SbatchScript.read(name, resource(name + ".sh"), ENVIRONMENT, List.of())
                        .job());

        assertThat(specs).hasSize(name.equals("bert") ? 32 : 1);
    }

    @ParameterizedTest
    @CsvSource({
        "30, 1800",
        "30:15, 1815",
        "12:00:00, 43200",
        "1-12, 129600",
        "1-12:30, 131400",
        "2-00:00:05, 172805",
        "0, -1",
        "UNLIMITED, -1",
        "infinite, -1"
    })
    void readsEveryFormOfTime(String text, long seconds) {
        OptionalLong read = SlurmTime.seconds(new SbatchDirective("a.sh", 1, "time", text), text);

        assertThat(read.orElse(-1)).isEqualTo(seconds);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--time=soon | a.sh:2: #SBATCH --time (soon) must be a time",
                "--time=1:2:3:4 | must be a time",
                "--nodes=many | must be a number of nodes",
                "--nodes=0 | must be a number of nodes",
                "--gpus=a100:x | must be a number of GPUs",
                "--gres=gpu:a100:four | must be gpu:NUMBER or gpu:TYPE:NUMBER",
                "--mem=64Q | must be a size such as 64G",
                "--ntasks=0 | must be a whole number of at least 1",
                "--signal=@@ | must be [B:]SIGNAL[@SECONDS]",
                "--switches=near | must be COUNT or COUNT@TIME",
                "--dependency=afterok:abc | is no id of a job",
                "--dependency=afterok:1?afterok:2 | any one of several jobs",
                "--job-name | needs a value",
                "--job-name=\"open | a quote (\") is not closed",
                "hetjob | heterogeneous jobs"
            })
    void invalidOptionsAreRefused(String options, String message) {
        assertThatThrownBy(() ->
                        SbatchScript.read("a.sh", "#!/bin/sh\n#SBATCH " + options + "\ntrue\n", Map.of(), List.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a.sh:2: ")
                .hasMessageContaining(message);
    }

    @Test
    void argumentsReachTheScript() {
        SbatchScript read =
                SbatchScript.read("a.sh", "#!/bin/bash -e\necho \"$1\"\n", Map.of(), List.of("it's", "b c"));

        assertThat(read.job().path("run").asText()).isEqualTo("#!/bin/bash -e\nset -- 'it'\\''s' 'b c'\necho \"$1\"\n");
    }

    @Test
    void onlyShellsTakeArguments() {
        assertThatThrownBy(() -> SbatchScript.read("a.py", "#!/usr/bin/env python3\n", Map.of(), List.of("x")))
                .hasMessageContaining("#!/usr/bin/env python3");
    }

    @ParameterizedTest
    @CsvSource({
        "a.yaml, 'run: true', false",
        "a.json, '{}', false",
        "a.sh, 'true', true",
        "a, '#!/bin/sh', true",
        "a, '#SBATCH -N1', true"
    })
    void scriptsAreToldFromJobFiles(String name, String text, boolean script) {
        assertThat(SbatchScript.recognizes(name, text)).isEqualTo(script);
    }

    private static String resource(String name) throws IOException {
        try (InputStream in = Objects.requireNonNull(SbatchScriptTest.class.getResourceAsStream(name))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
