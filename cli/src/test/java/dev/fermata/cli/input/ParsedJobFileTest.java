package dev.fermata.cli.input;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class ParsedJobFileTest {
    private static final String TEXT = """
            name: bert
            gpus: {min: 4, max: 16}
            hold: true
            time: 12h
            cpus: 2.5
            accelerators: [H100, A100]
            env:
              LR: 1e-4
              FLAG: yes
              COUNT: 010
              EMPTY:
            preempt:
              grace: 2m
            run: |
              python train.py
            """;

    @Test
    void jsonHasTheContentOfTheFile() throws IOException {
        assertThat(ParsedJobFile.parse("job.yaml", TEXT).json())
                .hasToString(new ObjectMapper().readTree("""
                                {"name": "bert", "gpus": {"min": 4, "max": 16}, "hold": true, "time": "12h", "cpus": 2.5,
                                 "accelerators": ["H100", "A100"],
                                 "env": {"LR": "1e-4", "FLAG": "yes", "COUNT": "010", "EMPTY": ""},
                                 "preempt": {"grace": "2m"}, "run": "python train.py\\n"}
                                """).toString());
    }

    @Test
    void fieldsAreLocatedByLine() {
        ParsedJobFile file = ParsedJobFile.parse("job.yaml", TEXT);

        assertThat(file.location("preempt.grace")).contains("job.yaml:13");
        assertThat(file.location("env.LR")).contains("job.yaml:8");
        assertThat(file.location("accelerators[1]")).contains("job.yaml:6");
        assertThat(file.location("workdir")).isEmpty();
    }

    @Test
    void jsonIsReadToo() {
        assertThat(ParsedJobFile.parse("job.json", "{\"run\": \"true\", \"gpus\": 2}")
                        .json()
                        .path("gpus")
                        .asInt())
                .isEqualTo(2);
    }

    @Test
    void otherFilesAreRefused() {
        assertThatThrownBy(() -> ParsedJobFile.parse("job.yaml", "- a\n- b\n"))
                .hasMessageContaining("must be a mapping");
        assertThatThrownBy(() -> ParsedJobFile.parse("job.yaml", "run: true\nrun: false\n"))
                .hasMessageContaining("job.yaml:2: key 'run' is given twice");
        assertThatThrownBy(() -> ParsedJobFile.parse("job.yaml", "run: true\n  gpus: 2\n"))
                .hasMessageContaining("job.yaml:2: not readable as YAML");
        assertThatThrownBy(() -> ParsedJobFile.parse("job.yaml", "")).hasMessageContaining("empty");
    }
}
