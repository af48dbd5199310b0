package dev.fermata.engine.local;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Stops processes and lets them go on. */
final class Signals {
    private static final long WAIT_SECONDS = 5;

    private Signals() {}

    static void stop(List<Proc> targets) throws IOException, InterruptedException {
        send("STOP", targets);
    }

    static void resume(List<Proc> targets) throws IOException, InterruptedException {
        send("CONT", targets);
    }

    /** Sends it through a shell: Java itself can send only TERM and KILL. */
    static void send(String signal, List<Proc> targets) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("/bin/sh", "-c", "kill -s \"$@\" 2>/dev/null", "sh", signal));
        int words = command.size();
        for (Proc target : targets) {
            if (Proc.alive(target.pid(), target.start())) {
                command.add(Integer.toString(target.pid()));
            }
        }
        if (command.size() > words) {
            Process kill = new ProcessBuilder(command)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            kill.waitFor(WAIT_SECONDS, TimeUnit.SECONDS);
        }
    }
}
