package dev.fermata.sim.profile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;

import dev.fermata.sim.workload.Rng;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ModelSamplerTest {
    private static final int PLENTY = 200_000;

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7, 8, 128})
    void modelsAreDrawnByTheirShares(int gpus) {
        Map<String, Integer> counts = new HashMap<>();
        int draws = 20_000;
        Rng rng = new Rng(gpus);
        for (int i = 0; i < draws; i++) {
            counts.merge(draw(gpus, PLENTY, rng).model().name(), 1, Integer::sum);
        }

        for (ModelProfile model : ModelCatalogue.all()) {
            ModelProfile.DrawShares shares = model.shares();
            double percent = gpus == 1 ? shares.one() : gpus < 8 ? shares.few() : shares.many();
            // four standard deviations of a count of draws
            double error = 4 * Math.sqrt(percent / 100 * (1 - percent / 100) / draws) + 1e-9;
            assertThat(counts.getOrDefault(model.name(), 0) / (double) draws)
                    .as(model.name())
                    .isEqualTo(percent / 100, offset(error));
        }
    }

    @Test
    void drawnModelsFit() {
        Rng rng = new Rng(5);
        for (int i = 0; i < 5000; i++) {
            int memory = 1700 + rng.uniformInt(40_000);
            int gpus = 1 + rng.uniformInt(16);
            ModelSampler.draw(gpus, memory, rng::uniform)
                    .ifPresent(choice -> assertThat(
                                    choice.model().at(choice.batch()).peakMemoryMib())
                            .isLessThanOrEqualTo(memory));
        }
    }

    @Test
    void aJobKeepsItsModelIfItFits() {
        for (int i = 0; i < 2000; i++) {
            long seed = i;
            ModelSampler.SampledModel largeMemory = draw(8, PLENTY, new Rng(seed));
            ModelSampler.SampledModel tight = draw(8, 16 * 1024, new Rng(seed));
            if (ModelSampler.fittingBatch(largeMemory.model(), 16 * 1024) > 0) {
                assertThat(tight.model()).isEqualTo(largeMemory.model());
                assertThat(tight.batch()).isLessThanOrEqualTo(largeMemory.batch());
            }
        }
    }

    @Test
    void nothingIsDrawnIfNothingFits() {
        assertThat(ModelSampler.draw(1, 100, new Rng(1)::uniform)).isEmpty();
    }

    private static ModelSampler.SampledModel draw(int gpus, int memoryMib, Rng rng) {
        return ModelSampler.draw(gpus, memoryMib, rng::uniform).orElseThrow();
    }
}
