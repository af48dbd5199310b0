package dev.fermata.core.model;

import java.util.Map;

/**
 * How one model trains: what the papers measure and the schedulers of today do not know.
 *
 * @param iterationMillis compute time of one iteration on the reference GPU, without communication
 * @param busyShare share of an iteration in which the GPU itself works (active / (active + idle))
 * @param gradientMib bytes that every iteration all-reduces
 * @param layers gradient pieces that can overlap with the backward pass
 * @param peakMemoryMib peak memory per device, 0 when not profiled
 * @param speedByType speed relative to the reference GPU where it was measured for this model
 * @param stretchBeside how much longer an iteration takes beside one job of another model on the same GPU, where that was
 *     measured; by the name of that model. It counts before the formula
 */
public record Profile(
        String model,
        double iterationMillis,
        double busyShare,
        double gradientMib,
        int layers,
        int peakMemoryMib,
        Map<String, Double> speedByType,
        Map<String, Double> stretchBeside) {

    /** A job about which nothing is known: keeps the GPU fully busy, exchanges nothing, scales with the type. */
    public static final Profile UNKNOWN = new Profile("", 100, 1.0, 0, 1, 0, Map.of());

    /** Of a model that nobody saw beside others. */
    public Profile(
            String model,
            double iterationMillis,
            double busyShare,
            double gradientMib,
            int layers,
            int peakMemoryMib,
            Map<String, Double> speedByType) {
        this(model, iterationMillis, busyShare, gradientMib, layers, peakMemoryMib, speedByType, Map.of());
    }

    public Profile {
        Require.that(
                iterationMillis > 0, "iteration time (%s ms) of model (%s) must be positive", iterationMillis, model);
        Require.that(
                busyShare > 0 && busyShare <= 1, "busy share (%s) of model (%s) must be in (0,1]", busyShare, model);
        Require.that(gradientMib >= 0, "gradient (%s MiB) of model (%s) must not be negative", gradientMib, model);
        Require.that(layers > 0, "layers (%s) of model (%s) must be positive", layers, model);
        speedByType.forEach((type, speed) ->
                Require.that(speed > 0, "speed (%s) of model (%s) on (%s) must be positive", speed, model, type));
        stretchBeside.forEach((other, stretch) -> Require.that(
                stretch >= 1, "model (%s) beside (%s) cannot take less time (%s) than alone", model, other, stretch));
        speedByType = Map.copyOf(speedByType);
        stretchBeside = Map.copyOf(stretchBeside);
    }

    /** The same under another name. */
    public Profile named(String name) {
        return new Profile(
                name, iterationMillis, busyShare, gradientMib, layers, peakMemoryMib, speedByType, stretchBeside);
    }

    /** The same, now that it was seen beside others. */
    public Profile seenBeside(double effectiveBusyShare, Map<String, Double> stretches) {
        return new Profile(
                model, iterationMillis, effectiveBusyShare, gradientMib, layers, peakMemoryMib, speedByType, stretches);
    }

    /** Throughput on a type relative to the reference GPU. */
    public double speedOn(GpuType type) {
        Double measured = speedByType.get(type.name());
        return measured != null ? measured : type.speed();
    }
}
