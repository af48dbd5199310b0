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
 */
public record Profile(
        String model,
        double iterationMillis,
        double busyShare,
        double gradientMib,
        int layers,
        int peakMemoryMib,
        Map<String, Double> speedByType) {

    /** A job about which nothing is known: keeps the GPU fully busy, exchanges nothing, scales with the type. */
    public static final Profile UNKNOWN = new Profile("", 100, 1.0, 0, 1, 0, Map.of());

    public Profile {
        Require.that(
                iterationMillis > 0, "iteration time (%s ms) of model (%s) must be positive", iterationMillis, model);
        Require.that(
                busyShare > 0 && busyShare <= 1, "busy share (%s) of model (%s) must be in (0,1]", busyShare, model);
        Require.that(gradientMib >= 0, "gradient (%s MiB) of model (%s) must not be negative", gradientMib, model);
        Require.that(layers > 0, "layers (%s) of model (%s) must be positive", layers, model);
        speedByType.forEach((type, speed) ->
                Require.that(speed > 0, "speed (%s) of model (%s) on (%s) must be positive", speed, model, type));
        speedByType = Map.copyOf(speedByType);
    }

    /** The same under another name. */
    public Profile named(String name) {
        return new Profile(name, iterationMillis, busyShare, gradientMib, layers, peakMemoryMib, speedByType);
    }

    /** Throughput on a type relative to the reference GPU. */
    public double speedOn(GpuType type) {
        Double measured = speedByType.get(type.name());
        return measured != null ? measured : type.speed();
    }
}
