package dev.fermata.cli;

import dev.fermata.cli.option.Invocation;
import dev.fermata.cli.output.StandardOutput;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;

/** Starts the program and ends it with the exit code of the command that ran. */
public final class Main {
    private Main() {}

    public static void main(String[] args) {
        Invocation invocation = Invocation.ofProcess();
        invocation.interruption().installShutdownHook();
        PrintWriter err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
        int code = Fermata.execute(invocation, StandardOutput.ofProcess(), err, args);
        invocation.interruption().markFinished();
        System.exit(code);
    }
}
