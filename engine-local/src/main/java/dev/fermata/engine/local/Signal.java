package dev.fermata.engine.local;

import java.io.IOException;
import java.util.Collection;
import java.util.List;

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

    void send(Collection<Proc> targets) throws IOException, InterruptedException {
        Signals.send(name(), List.copyOf(targets));
    }
}
