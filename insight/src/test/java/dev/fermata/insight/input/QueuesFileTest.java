package dev.fermata.insight.input;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fermata.core.model.QueueRule;
import dev.fermata.core.model.QueueTerms;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class QueuesFileTest {
    @TempDir
    private Path folder;

    private Path file(String text) throws IOException {
        return Files.writeString(folder.resolve("queues.yaml"), text);
    }

    @Test
    void readsListsWithinLists() throws IOException {
        Path file = file("""
                - {path: research, guarantee: 16, limit: 48, weight: 2}
                - {path: research/nlp, guarantee: 8}
                - name: product
                  queues:
                    - {name: ads, limit: 8}
                """);
        assertThat(QueuesFile.parse(file.toString()))
                .containsExactly(
                        new QueueRule("research", 16, 48, 2),
                        new QueueRule("research/nlp", 8, QueueRule.NO_LIMIT, 1),
                        new QueueRule("product", 0, QueueRule.NO_LIMIT, 1),
                        new QueueRule("product/ads", 0, 8, 1));
        assertThat(QueuesFile.parse(file("queues:\n  - {name: a}\n").toString()))
                .containsExactly(new QueueRule("a", 0, QueueRule.NO_LIMIT, 1));
        assertThat(QueuesFile.parse("none")).isEmpty();
    }

    @Test
    void readsWhatUsersMayDo() throws IOException {
        Path file = file("""
                - {path: a, users: [ann, bob], groups: [nlp], userGpus: 4, userJobs: 9, fairUsers: true, maxGrace: 5m}
                - {path: b, trials: none}
                - {path: c, trials: {users: [ann], gpus: 1, time: 30m, totalGpus: 2}}
                """);
        assertThat(QueuesFile.parse(file.toString()).stream().map(QueueRule::terms))
                .containsExactly(
                        new QueueTerms(
                                new QueueTerms.Submitters(List.of("ann", "bob"), List.of("nlp")),
                                new QueueTerms.PerUser(4, 9, true),
                                new QueueTerms.Ceilings(300_000, 3_600_000),
                                QueueTerms.Trials.UNLIMITED),
                        new QueueTerms(
                                QueueTerms.Submitters.ALL,
                                QueueTerms.PerUser.UNLIMITED,
                                QueueTerms.Ceilings.DEFAULT,
                                QueueTerms.Trials.NONE),
                        new QueueTerms(
                                QueueTerms.Submitters.ALL,
                                QueueTerms.PerUser.UNLIMITED,
                                QueueTerms.Ceilings.DEFAULT,
                                new QueueTerms.Trials(
                                        new QueueTerms.Submitters(List.of("ann"), List.of()), 1, 1_800_000, 2)));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "- {path: a}~- {path: a} | :2: [1].path (a) is given twice",
                "- {path: a, garantee: 3} | :1: unknown key 'garantee' in [0]. Did you mean 'guarantee'?",
                "- {guarantee: 3} | :1: key 'name' is missing in [0]",
                "- {path: a/} | :1: [0].path (a/) must be names joined by single slashes",
                "- {path: a, guarantee: 4, limit: 2} | :1: [0]: limit (2) of queue (a) must not be below its guarantee (4)",
                "- {path: a, fairUsers: 1} | :1: [0].fairUsers (1) must be true or false",
                "- {path: a, trials: all} | :1: [0].trials (all) must be none, or a mapping of users",
                "- {path: a, weight: 0} | :1: [0].weight"
            })
    void namesMistakesByFileAndLine(String text, String message) throws IOException {
        Path file = file(text.replace("~", "\n") + "\n");
        assertThatThrownBy(() -> QueuesFile.parse(file.toString()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(file + message);
    }

    @Test
    void messageAboutBrokenYamlNamesNoClass() throws java.io.IOException {
        Path file = Files.writeString(folder.resolve("queues.yaml"), "queues:\n  - {path: a, ? [x]: 1}\n");

        assertThatThrownBy(() -> QueuesFile.read(file))
                .hasMessageEndingWith(
                        "queues.yaml:2: not readable as YAML: Expected a field name (Scalar value in YAML)");
    }
}
