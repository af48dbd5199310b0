package dev.fermata.engine.slurm;

import dev.fermata.live.engine.EngineProvider;
import dev.fermata.live.engine.ExecutionEngine;
import java.nio.file.Path;

/** Provides the engine that runs jobs on Slurm. */
public final class SlurmEngineProvider implements EngineProvider {
    @Override
    public String name() {
        return "slurm";
    }

    @Override
    public String description() {
        return "each attempt is a job of Slurm";
    }

    @Override
    public ExecutionEngine create(EngineOptions options) {
        Path data = options.data();
        return SlurmEngine.create(new SlurmSettings("", data, data, "", SlurmSettings.POLL_MILLIS, false));
    }
}
