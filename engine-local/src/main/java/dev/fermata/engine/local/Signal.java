package dev.fermata.engine.local;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The signals that request a job to exit. */
enum Signal {
    INT(2),
    USR1(10),
    USR2(12),
    TERM(15);

    private final int number;

    Signal(int number) {
        this.number = number;
    }

    int number() {
        return number;
    }

    static Signal byName(String name) {
        for (Signal signal : values()) {
            if (signal.name().equals(name)) {
                return signal;
            }
        }
        return TERM;
    }

    /** Sends it through a shell: Java itself can send only TERM and KILL. */
    void send(Collection<Proc> targets) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("/bin/sh", "-c", "kill -s \"$@\" 2>/dev/null", "sh", name()));
        for (Proc target : targets) {
            if (Proc.alive(target.pid(), target.start())) {
                command.add(Integer.toString(target.pid()));
            }
        }
        if (command.size() > 5) {
            Process kill = new ProcessBuilder(command)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            kill.waitFor(5, TimeUnit.SECONDS);
        }
    }
}
