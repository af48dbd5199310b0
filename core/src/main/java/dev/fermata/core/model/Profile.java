package dev.fermata.core.model;

import java.util.Map;

/**
 * How one model trains: what the papers measure and most schedulers do not know.
 *
 * @param iterationMillis compute time of one iteration on the reference GPU, without communication
 * @param busyShare share of an iteration in which the GPU itself works (active / (active + idle))
 * @param gradientMib bytes that every iteration all-reduces
 * @param layers gradient pieces that can overlap with the backward pass
 * @param peakMemoryMib peak memory per device, 0 when not profiled
 * @param speedByType speed relative to the reference GPU where it was measured for this model
 * @param coRunSlowdown how much longer an iteration takes when co-located with one job of another model, where that was
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
        Map<String, Double> coRunSlowdown) {

    /** A job about which nothing is known: keeps the GPU fully busy, exchanges nothing, scales with the type. */
    public static final Profile UNKNOWN = new Profile("", 100, 1.0, 0, 1, 0, Map.of());

    /** Of a model without co-run measurements. */
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
        coRunSlowdown.forEach((other, slowdown) -> Require.that(
                slowdown >= 1,
                "model (%s) co-located with (%s) cannot take less time (%s) than alone",
                model,
                other,
                slowdown));
        speedByType = Map.copyOf(speedByType);
        coRunSlowdown = Map.copyOf(coRunSlowdown);
    }

    /** The same under another name. */
    public Profile withName(String name) {
        return new Profile(
                name, iterationMillis, busyShare, gradientMib, layers, peakMemoryMib, speedByType, coRunSlowdown);
    }

    /** The same with these co-run measurements. */
    public Profile withCoRunMeasurements(double effectiveBusyShare, Map<String, Double> slowdowns) {
        return new Profile(
                model, iterationMillis, effectiveBusyShare, gradientMib, layers, peakMemoryMib, speedByType, slowdowns);
    }

    /** Throughput on a type relative to the reference GPU. */
    public double speedOn(GpuType type) {
        Double measured = speedByType.get(type.name());
        return measured != null ? measured : type.speed();
    }
}
