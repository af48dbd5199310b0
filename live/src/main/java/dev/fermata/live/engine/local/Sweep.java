package dev.fermata.live.engine.local;

import java.util.List;
import java.util.stream.Collectors;

/** Ends what is left of an attempt, again and again until nothing is. Only then are its GPUs free. */
final class Sweep {
    private static final long SETTLE_MILLIS = 2_000;

    private final Members members;
    private final ControlGroup group;
    private final RunFolder folder;
    private final long patienceMillis;

    Sweep(Members members, ControlGroup group, RunFolder folder, long patienceMillis) {
        this.members = members;
        this.group = group;
        this.folder = folder;
        this.patienceMillis = patienceMillis;
    }

    /** What to tell people about it: empty when all left by themselves. */
    String run() {
        long until = System.currentTimeMillis() + patienceMillis;
        int most = 0;
        for (int round = 0; ; round++) {
            List<Proc> left = members.now();
            if (left.isEmpty()) {
                return most == 0
                        ? ""
                        : most == 1
                                ? "a process it left behind was ended"
                                : most + " processes it left behind were ended";
            }
            most = Math.max(most, left.size());
            if (System.currentTimeMillis() > until) {
                return "cannot be ended: "
                        + left.stream()
                                .limit(5)
                                .map(proc -> proc.name() + " (" + proc.pid() + ", state " + proc.state() + ")")
                                .collect(Collectors.joining(", "));
            }
            group.kill();
            left.forEach(Proc::kill);
            pause(Math.min(100, 1L << Math.min(round, 7)));
        }
    }

    /** Lets those who write the logs finish, but not for ever. */
    void settle() {
        long until = System.currentTimeMillis() + SETTLE_MILLIS;
        for (int round = 0; System.currentTimeMillis() < until; round++) {
            if (members.attendants().isEmpty()) {
                return;
            }
            pause(Math.min(50, 1L << Math.min(round, 6)));
        }
        killAttendants();
    }

    boolean awaitShim(long millis) {
        long until = System.currentTimeMillis() + millis;
        RunFolder.Known shim = folder.shim();
        while (shim != null && shim.alive()) {
            if (System.currentTimeMillis() > until) {
                return false;
            }
            pause(5);
        }
        return true;
    }

    void killAttendants() {
        members.attendants().forEach(Proc::kill);
    }

    private static void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
