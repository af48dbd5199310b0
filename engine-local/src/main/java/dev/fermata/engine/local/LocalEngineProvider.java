package dev.fermata.engine.local;

import dev.fermata.live.engine.EngineProvider;
import dev.fermata.live.engine.ExecutionEngine;
import java.util.Locale;

/** Provides the engine that runs jobs as processes of this machine. */
public final class LocalEngineProvider implements EngineProvider {
    @Override
    public String name() {
        return "local";
    }

    @Override
    public String description() {
        return "the jobs are processes of this machine";
    }

    @Override
    public ExecutionEngine create(EngineOptions options) {
        RunAs runAs = switch (options.runAs()) {
            case "auto", "daemon" -> RunAs.valueOf(options.runAs().toUpperCase(Locale.ROOT));
            default ->
                throw new IllegalArgumentException("jobs cannot run as '" + options.runAs()
                        + "'. Known: auto (as the submitting user, where that is allowed), daemon");
        };
        return LocalEngine.create(LocalEngineSettings.forDataFolder(options.data())
                .gpus(options.gpus())
                .runAs(runAs));
    }
}
