package dev.fermata.sim.workload;

import dev.fermata.core.model.Costs;
import dev.fermata.core.model.Profile;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * A small catalogue of training jobs for generated workloads.
 *
 * <p>Where the figures come from. Active/idle milliseconds and memory of ResNet-50/152, VGG-16, AlexNet and Inception-3 on a
 * V100 with two workers: the Xonar authors' published profile table (batch 64); ResNet-18 takes their row of ResNet-20 on
 * CIFAR. MobileNetV3, BERT and GPT-2: our H200 measurements, times 4.5 to the reference GPU; their idle shares are assumed.
 * LM and Transformer: rounded from Gavel's steps per second; idle shares and memory assumed. Gradient sizes: parameters times
 * four bytes; layer counts of ResNet-18/50, AlexNet, VGG and BERT-large from the Dally authors' layer files, others rounded.
 * Speeds on P100 and K80 relative to V100: Gavel's published throughputs (ResNet-18, ResNet-50, Transformer and LM rows;
 * nearest relative for the others). Pause (checkpoint and exit) and load (start and build, restore, warm-up): measured by us on
 * one H200 with a local disk; those of Inception, LM and Transformer are assumed alike. Shares are our own choice.
 */
public final class ModelZoo {
    /** A model with its costs and its share of generated jobs. */
    public record Entry(Profile profile, Costs costs, double share) {}

    private static final List<Entry> ALL = List.of(
            //    model          active idle  grad layers mem   P100  K80   pause build restore warm share
            entry("resnet18", 56, 9, 45, 21, 1700, 0.75, 0.20, 1240, 8100, 90, 550, 0.15),
            entry("resnet50", 236, 85, 98, 54, 8800, 0.60, 0.14, 1580, 7900, 190, 780, 0.20),
            entry("resnet152", 572, 173, 230, 155, 17000, 0.60, 0.14, 1830, 8300, 580, 930, 0.08),
            entry("vgg16", 855, 1487, 528, 16, 17300, 0.60, 0.14, 3960, 9300, 1160, 490, 0.07),
            entry("alexnet", 347, 577, 233, 8, 2700, 0.75, 0.20, 2270, 9000, 660, 550, 0.05),
            entry("inception3", 303, 148, 91, 94, 8800, 0.60, 0.14, 1600, 8000, 190, 780, 0.07),
            entry("mobilenet3", 230, 60, 21, 52, 4400, 0.75, 0.20, 1070, 7400, 160, 780, 0.06),
            entry("lm", 35, 12, 120, 20, 3000, 0.79, 0.25, 1500, 8000, 200, 600, 0.08),
            entry("transformer", 140, 30, 240, 40, 6000, 0.59, 0.20, 1700, 8200, 300, 700, 0.08),
            entry("bert-base", 175, 20, 418, 66, 9400, 0.57, 0.18, 3420, 12600, 640, 430, 0.07),
            entry("bert-large", 305, 25, 1279, 66, 17500, 0.57, 0.18, 5680, 15500, 1550, 580, 0.05),
            entry("gpt2-124m", 500, 40, 475, 75, 27000, 0.57, 0.18, 3630, 15100, 820, 600, 0.04));

    private ModelZoo() {}

    public static List<Entry> all() {
        return ALL;
    }

    public static Optional<Entry> named(String model) {
        return ALL.stream()
                .filter(e -> e.profile.model().equals(model.toLowerCase(Locale.ROOT)))
                .findFirst();
    }

    /** A model drawn by share among those that fit a GPU of this memory; the smallest when none does. */
    static Entry pick(Rng rng, int memoryMib) {
        double[] shares = ALL.stream()
                .mapToDouble(e -> e.profile.peakMemoryMib() <= memoryMib ? e.share : 0)
                .toArray();
        return Arrays.stream(shares).sum() > 0 ? ALL.get(rng.pick(shares)) : ALL.get(0);
    }

    private static Entry entry(
            String model,
            double active,
            double idle,
            double gradientMib,
            int layers,
            int memoryMib,
            double p100,
            double k80,
            long pause,
            long build,
            long restore,
            long warmup,
            double share) {
        Profile profile = new Profile(
                model,
                active + idle,
                active / (active + idle),
                gradientMib,
                layers,
                memoryMib,
                Map.of("P100", p100, "K80", k80));
        return new Entry(profile, new Costs(pause, build, restore, warmup), share);
    }
}
