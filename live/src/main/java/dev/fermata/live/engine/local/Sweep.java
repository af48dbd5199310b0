package dev.fermata.live.engine.local;

import java.util.List;
import java.util.stream.Collectors;

/** Ends what is left of an attempt, again and again until nothing is. Only then are its GPUs free. */
final class Sweep {
    private static final long SETTLE_MILLIS = 2_000;

    /** What came of it: how many it had to end, and who is still there after all that time. */
    record Rest(int ended, List<Proc> stuck) {
        String words() {
            if (!stuck.isEmpty()) {
                return "could not be ended: "
                        + stuck.stream()
                                .limit(5)
                                .map(proc -> OneLine.of(proc.name(), 40) + " (pid " + proc.pid() + ", state "
                                        + proc.state() + ")")
                                .collect(Collectors.joining(", "));
            }
            return switch (ended) {
                case 0 -> "";
                case 1 -> "1 process that it left behind was ended";
                default -> ended + " processes that it left behind were ended";
            };
        }
    }

    private final Members members;
    private final ControlGroup group;
    private final RunFolder folder;

    Sweep(Members members, ControlGroup group, RunFolder folder) {
        this.members = members;
        this.group = group;
        this.folder = folder;
    }

    /** @param patienceMillis after that it gives up, but not without having tried once; negative ones only look */
    Rest run(long patienceMillis) throws InterruptedException {
        long until = System.currentTimeMillis() + patienceMillis;
        int most = 0;
        for (int round = 0; ; round++) {
            List<Proc> left = members.now();
            most = Math.max(most, left.size());
            boolean tried = round > 0 || patienceMillis < 0;
            if (left.isEmpty() || (tried && System.currentTimeMillis() > until)) {
                return new Rest(most, left);
            }
            group.kill();
            left.forEach(Proc::kill);
            Thread.sleep(Math.min(100, 1L << Math.min(round, 7)));
        }
    }

    /** Lets those who write the logs read what is left in their pipes, but not for ever. */
    void settle() throws InterruptedException {
        long until = System.currentTimeMillis() + SETTLE_MILLIS;
        for (int round = 0; System.currentTimeMillis() < until; round++) {
            List<Proc> attendants = members.attendants();
            if (attendants.stream().allMatch(Proc::readsNothing)) {
                attendants.forEach(Proc::kill);
                return;
            }
            Thread.sleep(Math.min(50, 1L << Math.min(round, 6)));
        }
        killAttendants();
    }

    /** Waits for the shim, which has nothing left to wait for; one that does not go is ended, too. */
    void dismissShim() throws InterruptedException {
        long until = System.currentTimeMillis() + SETTLE_MILLIS;
        RunFolder.Known shim = folder.shim();
        while (shim != null && shim.alive()) {
            if (System.currentTimeMillis() > until) {
                killAttendants();
                return;
            }
            Thread.sleep(5);
        }
    }

    void killAttendants() {
        members.attendants().forEach(Proc::kill);
    }
}
