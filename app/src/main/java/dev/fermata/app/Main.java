package dev.fermata.app;

import dev.fermata.app.cli.Fermata;
import dev.fermata.app.cli.Surroundings;
import dev.fermata.app.output.StandardOutput;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;

/** Starts the program and ends it with the exit code of the command that ran. */
public final class Main {
    private Main() {}

    public static void main(String[] args) {
        Surroundings surroundings = Surroundings.ofProcess();
        surroundings.interruption().listen();
        PrintWriter err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
        int code = Fermata.execute(surroundings, StandardOutput.ofProcess(), err, args);
        surroundings.interruption().finished();
        System.exit(code);
    }
}
