package dev.fermata.live.engine;

import java.nio.file.Path;

/** An engine that can be chosen by name. Found by {@link java.util.ServiceLoader}; the daemon names no engine class. */
public interface EngineProvider {
    /** The value of {@code --engine} that selects it. */
    String name();

    /** What it runs jobs on, in a few words. */
    String description();

    /** Creates the engine without starting anything. Throws {@link IllegalArgumentException} for options that it cannot serve. */
    ExecutionEngine create(EngineOptions options);

    /**
     * The options an operator sets for an engine.
     *
     * @param data the daemon's folder
     * @param gpus {@code auto}, or {@code virtual:N} with an optional {@code :TYPE}
     * @param runAs {@code auto} or {@code daemon}
     */
    record EngineOptions(Path data, String gpus, String runAs) {}
}
