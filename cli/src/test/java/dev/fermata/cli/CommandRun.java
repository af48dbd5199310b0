package dev.fermata.cli;

import dev.fermata.cli.option.Invocation;
import dev.fermata.insight.exit.Interruption;
import dev.fermata.report.text.Screen;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** What one command line came to, run inside this JVM with its streams caught. */
public record CommandRun(int code, String out, String err) {

    public static CommandRun of(String... args) {
        return in(new Invocation(Map.of(), Path.of("no-such-folder"), Screen.PIPE, new Interruption()), args);
    }

    public static CommandRun in(Invocation invocation, String... args) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int code = Fermata.execute(invocation, new PrintWriter(out), new PrintWriter(err), args);
        return new CommandRun(code, out.toString(), err.toString());
    }

    /** With these commands of plugins and no others. */
    public static CommandRun in(Invocation invocation, List<CommandPlugin> plugins, String... args) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int code = Fermata.execute(invocation, plugins, new PrintWriter(out), new PrintWriter(err), args);
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
