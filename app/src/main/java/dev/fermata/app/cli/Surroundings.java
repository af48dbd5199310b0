package dev.fermata.app.cli;

import dev.fermata.app.exit.Interruption;
import dev.fermata.app.output.Screen;
import java.nio.file.Path;
import java.util.Map;

/** What the program finds around it when it starts. */
public record Surroundings(Map<String, String> environment, Path folder, Screen screen, Interruption interruption) {

    public static Surroundings ofProcess() {
        return new Surroundings(System.getenv(), Path.of(""), Screen.detect(System.getenv()), new Interruption());
    }
}
