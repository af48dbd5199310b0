package dev.fermata.insight.input;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.model.Costs;
import dev.fermata.core.model.Job;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Costs by model, also from files that were written for 0.1.0. */
class CostsFileTest {
    @TempDir
    Path folder;

    private Costs costs(String name, String text) throws IOException {
        Path file = Files.writeString(folder.resolve(name), text);
        return CostsFile.read(file).apply(Job.builder(1, 1).build(), Costs.NONE);
    }

    @Test
    void bothNamesOfThePreemptionCostAreRead() throws IOException {
        Costs expected = new Costs(2_000, 8_000, 0, 0);
        assertThat(costs("new.yaml", "default: {preemptSeconds: 2, buildSeconds: 8}"))
                .isEqualTo(expected);
        assertThat(costs("old.yaml", "default: {pauseSeconds: 2, buildSeconds: 8}"))
                .isEqualTo(expected);
        assertThat(costs("new.csv", "model,preemptSeconds,buildSeconds\ndefault,2,8\n"))
                .isEqualTo(expected);
        assertThat(costs("old.csv", "model,pauseSeconds,buildSeconds\ndefault,2,8\n"))
                .isEqualTo(expected);
    }
}
