package dev.fermata.cli.option;

import dev.fermata.insight.exit.Interruption;
import dev.fermata.report.text.Screen;
import java.nio.file.Path;
import java.util.Map;

/** The surroundings of a command: environment, folder, terminal, interruption. */
public record Invocation(Map<String, String> environment, Path folder, Screen screen, Interruption interruption) {

    public static Invocation ofProcess() {
        return new Invocation(System.getenv(), Path.of(""), Screen.detect(System.getenv()), new Interruption());
    }
}
