package dev.fermata.app.cli;

import dev.fermata.app.exit.Interruption;
import dev.fermata.app.output.Screen;
import dev.fermata.sim.reproduce.Reproduction;
import dev.fermata.sim.reproduce.Reproductions;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** What the program finds around it when it starts. */
public record Surroundings(
        Map<String, String> environment,
        Path folder,
        Screen screen,
        Interruption interruption,
        Supplier<List<Reproduction>> reproductions) {

    public Surroundings(Map<String, String> environment, Path folder, Screen screen, Interruption interruption) {
        this(environment, folder, screen, interruption, Reproductions::all);
    }

    public static Surroundings ofProcess() {
        return new Surroundings(System.getenv(), Path.of(""), Screen.detect(System.getenv()), new Interruption());
    }
}
