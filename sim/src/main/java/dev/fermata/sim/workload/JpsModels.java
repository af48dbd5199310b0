package dev.fermata.sim.workload;

import dev.fermata.core.model.Profile;
import dev.fermata.sim.profile.ModelCatalogue;
import java.util.List;

/**
 * Models as the workload of JPS mixes them: speeds on the three GPU types of the paper's cluster, and gradients.
 *
 * <p>Samples per second on a V100 follow the iteration times of {@link ModelCatalogue} at batch 64 (32 for the language
 * models); P100 relative to V100 from there too. T4 relative to V100 is assumed: between 0.25 and 0.5, higher for small
 * and half-precision-friendly models, since a T4 has a third of the V100's memory bandwidth and half of its tensor
 * throughput.
 */
public final class JpsModels {
    /** One model; speeds are relative to a V100. */
    public record JpsModel(String name, double samplesPerSecond, double t4, double p100, double gradientMib) {}

    private static final List<JpsModel> ALL = List.of(
            model("resnet18", 64, 0.45, 0.75),
            model("resnet50", 64, 0.36, 0.60),
            model("resnet152", 64, 0.33, 0.60),
            model("vgg16", 64, 0.28, 0.60),
            model("alexnet", 64, 0.42, 0.75),
            model("inception3", 64, 0.35, 0.60),
            model("mobilenet3", 64, 0.50, 0.75),
            model("lm", 32, 0.40, 0.79),
            model("transformer", 32, 0.38, 0.59),
            model("bert-base", 32, 0.30, 0.57),
            model("bert-large", 32, 0.26, 0.57));

    private JpsModels() {}

    public static List<JpsModel> all() {
        return ALL;
    }

    private static JpsModel model(String name, int batch, double t4, double p100) {
        Profile known = ModelCatalogue.named(name).reference();
        double iterationSeconds = known.iterationMillis() / 1000;
        return new JpsModel(name, batch / iterationSeconds, t4, p100, known.gradientMib());
    }
}
