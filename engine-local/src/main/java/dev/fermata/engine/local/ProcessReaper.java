package dev.fermata.engine.local;

import dev.fermata.live.attempt.SingleLine;
import dev.fermata.live.attempt.SteadyClock;
import java.util.List;
import java.util.stream.Collectors;

/** Kills the remaining processes of an attempt, repeatedly until none is left. Only then are its GPUs free. */
final class ProcessReaper {
    private static final long DRAIN_MILLIS = 2_000;

    /** The result: how many processes it killed, and which remain. */
    record ReapResult(int killedCount, List<Proc> stuck) {
        /** Both together, the other one being later. */
        ReapResult plus(ReapResult later) {
            return new ReapResult(killedCount + later.killedCount, later.stuck);
        }

        String describe() {
            if (!stuck.isEmpty()) {
                return "could not be ended: "
                        + stuck.stream()
                                .limit(5)
                                .map(proc -> SingleLine.of(proc.name(), 40) + " (pid " + proc.pid() + ", state "
                                        + proc.state() + ")")
                                .collect(Collectors.joining(", "));
            }
            return switch (killedCount) {
                case 0 -> "";
                case 1 -> "1 process that it left behind was killed";
                default -> killedCount + " processes that it left behind were killed";
            };
        }
    }

    private final AttemptMembers members;
    private final ControlGroup group;
    private final AttemptFolder folder;

    ProcessReaper(AttemptMembers members, ControlGroup group, AttemptFolder folder) {
        this.members = members;
        this.group = group;
        this.folder = folder;
    }

    /** @param timeoutMillis after that it gives up, having tried at least once; a negative value only checks */
    ReapResult reap(long timeoutMillis) throws InterruptedException {
        long until = SteadyClock.elapsed() + timeoutMillis;
        int max = 0;
        for (int round = 0; ; round++) {
            List<Proc> left = members.list();
            max = Math.max(max, left.size());
            boolean tried = round > 0 || timeoutMillis < 0;
            if (left.isEmpty() || (tried && SteadyClock.elapsed() > until)) {
                return new ReapResult(max, left);
            }
            group.kill();
            left.forEach(Proc::kill);
            Thread.sleep(Math.min(100, 1L << Math.min(round, 7)));
        }
    }

    /**
     * Kills what the shim of an attempt left behind when it was killed itself: its own processes too. Those may be starting a
     * rank, which is among them until it leads its own session, so that both kinds are killed in turn until none is left.
     */
    ReapResult reapWithShim(long timeoutMillis) throws InterruptedException {
        long until = SteadyClock.elapsed() + timeoutMillis;
        ReapResult killed = new ReapResult(0, List.of());
        while (true) {
            killShimProcesses();
            ReapResult result = reap(Math.max(0, until - SteadyClock.elapsed()));
            killed = killed.plus(result);
            boolean ended = result.killedCount() == 0 && members.shimProcesses().isEmpty();
            if (ended || !result.stuck().isEmpty() || SteadyClock.elapsed() > until) {
                return killed;
            }
            Thread.sleep(1);
        }
    }

    /** Lets the log writers drain their pipes, for a limited time. */
    void drainLogs() throws InterruptedException {
        long until = SteadyClock.elapsed() + DRAIN_MILLIS;
        for (int round = 0; SteadyClock.elapsed() < until; round++) {
            List<Proc> shimProcesses = members.shimProcesses();
            if (shimProcesses.stream().allMatch(Proc::hasNoInput)) {
                shimProcesses.forEach(Proc::kill);
                return;
            }
            Thread.sleep(Math.min(50, 1L << Math.min(round, 6)));
        }
        killShimProcesses();
    }

    /** Waits for the shim, which has no children left; one that does not exit is killed. */
    void awaitShimExit() throws InterruptedException {
        long until = SteadyClock.elapsed() + DRAIN_MILLIS;
        AttemptFolder.ProcessRef shim = folder.shim();
        while (shim != null && shim.alive()) {
            if (SteadyClock.elapsed() > until) {
                killShimProcesses();
                return;
            }
            Thread.sleep(5);
        }
    }

    void killShimProcesses() {
        members.shimProcesses().forEach(Proc::kill);
    }
}
