package dev.fermata.live.engine;

import dev.fermata.live.spec.EngineOption;
import java.util.EnumSet;
import java.util.Set;

/**
 * What an engine can do. A job that needs more is rejected when it is submitted.
 *
 * @param maxGraceMillis the longest time that it waits between the signal and the kill
 * @param startTimeoutMillis an attempt that is not confirmed after this time is cancelled
 * @param options parts of the job file for some engines that this one serves
 */
public record Capabilities(
        Set<Feature> features, long maxGraceMillis, long startTimeoutMillis, Set<EngineOption> options) {
    /** Something that not every engine can do. */
    public enum Feature {
        /** It gives an attempt exactly the GPUs that the scheduler chose. */
        EXACT_DEVICES,
        /** It sends the signal that a job names. */
        SIGNALS,
        /** An attempt may span several nodes. */
        SEVERAL_NODES,
        /** It has the output of attempts. */
        LOGS,
        /** It measures what attempts use. */
        USAGE
    }

    /** A start takes this long at most, unless an engine says otherwise. */
    public static final long START_TIMEOUT_MILLIS = 600_000;

    /** Everything, without limits, and no options. */
    public static final Capabilities ALL =
            new Capabilities(EnumSet.allOf(Feature.class), Long.MAX_VALUE, START_TIMEOUT_MILLIS, Set.of());

    public Capabilities {
        features = Set.copyOf(features);
        options = Set.copyOf(options);
    }

    public boolean has(Feature feature) {
        return features.contains(feature);
    }

    /** The same with another start timeout. */
    public Capabilities withStartTimeout(long millis) {
        return new Capabilities(features, maxGraceMillis, millis, options);
    }
}
