package dev.fermata.app.cli;

import dev.fermata.app.exit.Interruption;
import dev.fermata.app.output.Screen;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** What one command line came to, run inside this JVM with its streams caught. */
public record CommandRun(int code, String out, String err) {

    public static CommandRun of(String... args) {
        return in(new Surroundings(Map.of(), Path.of("no-such-folder"), Screen.PIPE, new Interruption()), args);
    }

    public static CommandRun in(Surroundings surroundings, String... args) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int code = Fermata.execute(surroundings, new PrintWriter(out), new PrintWriter(err), args);
        return new CommandRun(code, out.toString(), err.toString());
    }

    public List<String> lines() {
        return out.lines().toList();
    }

    /** The output without the figures that depend on the machine. */
    String withoutWallFigures() {
        return out.replaceAll("\"(wallSeconds|eventsPerSecond|peakHeapMib)\": [0-9.]+", "\"$1\": _");
    }
}
