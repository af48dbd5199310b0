package dev.fermata.app;

import dev.fermata.app.cli.Fermata;
import dev.fermata.app.cli.Surroundings;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;

/** Starts the program and ends it with the exit code of the command that ran. */
public final class Main {
    private Main() {}

    public static void main(String[] args) {
        Surroundings surroundings = Surroundings.ofProcess();
        surroundings.interruption().listen();
        int code = Fermata.execute(surroundings, writer(System.out), writer(System.err), args);
        surroundings.interruption().finished();
        System.exit(code);
    }

    /** UTF-8 whatever the locale: pipes and files must not depend on it. */
    private static PrintWriter writer(PrintStream stream) {
        return new PrintWriter(new OutputStreamWriter(stream, StandardCharsets.UTF_8), true);
    }
}
