package dev.fermata.engine.local;

import dev.fermata.core.model.SuspendCosts;
import dev.fermata.live.attempt.SingleLine;
import dev.fermata.live.engine.EngineScripts;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Suspends and resumes the processes of an attempt. On real GPUs a short-lived child calls the checkpoint functions of the
 * driver ({@code suspend.py}), since such a call may hang. On virtual GPUs they are only stopped, after a simulated time.
 */
final class Suspender {
    /** Where this file is, it answers for virtual GPUs as suspend.py does for real ones: to try what fails. */
    static final String VIRTUAL_DRIVER = "virtual-driver.py";

    /** What virtual GPUs simulate. */
    private static final SuspendCosts VIRTUAL = new SuspendCosts(100, 50, 256, SuspendCosts.Reach.SAME_NODE);

    /** Of a program whose memory is not known yet. */
    private static final long UNKNOWN_MIB = 2048;

    private static final long LOCK_MILLIS = 5_000;
    private static final long PROBE_MILLIS = 20_000;
    private static final int MAX_ROUNDS = 100;
    /** How the child begins a reason that will always hold. */
    private static final String NEVER = "never: ";

    private static final String ABLE = "able";
    private static final String LOCKED = "locked ";
    private static final int MAX_CAUSE = 240;

    private final @Nullable Path script;
    private final SuspendCosts costs;
    /** Why it cannot suspend; empty where it can. */
    private final String reason;

    private Suspender(@Nullable Path script, SuspendCosts costs, String reason) {
        this.script = script;
        this.costs = costs;
        this.reason = reason;
    }

    /** Virtual GPUs simulate it where they are asked to; real ones can where their driver can. */
    static Suspender of(String gpus, Path scripts) throws IOException, InterruptedException {
        if (gpus.startsWith("virtual")) {
            Path driver = scripts.resolve(VIRTUAL_DRIVER);
            if (gpus.endsWith("+suspend") && Files.exists(driver)) {
                return new Suspender(driver, VIRTUAL, "");
            }
            return gpus.endsWith("+suspend") ? ofVirtualGpus() : none("its virtual GPUs are not virtual:N+suspend");
        }
        return ofThisMachine(EngineScripts.install(scripts, Suspender.class, "suspend.py"));
    }

    static Suspender none(String reason) {
        return new Suspender(null, SuspendCosts.CANNOT, reason);
    }

    static Suspender ofVirtualGpus() {
        return new Suspender(null, VIRTUAL, "");
    }

    /** Asks the driver of this machine. */
    private static Suspender ofThisMachine(Path script) throws InterruptedException {
        String said = output(List.of("python3", script.toString(), "probe"), PROBE_MILLIS);
        return isAble(said)
                ? new Suspender(script, SuspendCosts.measured(UNKNOWN_MIB, SuspendCosts.Reach.SAME_GPUS), "")
                : none(SingleLine.of(said, MAX_CAUSE));
    }

    /** What it takes, before anything is learned; {@link SuspendCosts#CANNOT} where it cannot. */
    SuspendCosts costs() {
        return costs;
    }

    String reason() {
        return reason;
    }

    /**
     * What is to be suspended.
     *
     * @param maxCuda how many CUDA processes it may have: several are known to be safe only where a user says so
     * @param roomMib with so much free on each of its GPUs its memory stays there for now; -1 to move it in any case
     * @param gpus the numbers of its GPUs for the driver, empty for unknown
     */
    record Suspendable(Supplier<List<Proc>> members, int maxCuda, long roomMib, List<Integer> gpus, long limitMillis) {
        Suspendable withoutRoom() {
            return new Suspendable(members, maxCuda, -1, gpus, limitMillis);
        }
    }

    /** What came of it. */
    enum Result {
        SUSPENDED,
        /** It uses no GPU, and its memory is still there. */
        LOCKED,
        /** It runs on. */
        NOT_NOW,
        /** It runs on, and its program can never be suspended. */
        NEVER,
        /** It was locked, and could not be unlocked: {@link #resume} is to be repeated. */
        STUCK
    }

    /**
     * The result.
     *
     * @param cause why it was not suspended; empty where it was
     * @param freeMib what is free on its GPUs while it is only locked
     */
    record Answer(Result result, String cause, long freeMib) {
        boolean left() {
            return result == Result.SUSPENDED || result == Result.LOCKED;
        }
    }

    /** Suspends all of them, or none. */
    Answer suspend(Suspendable what) throws InterruptedException {
        String text;
        try {
            letContinue(what.members); // the driver cannot ask a stopped process
            List<Proc> asked = what.members.get();
            text = script == null ? simulate(what) : output(suspendCommand(what, asked), what.limitMillis);
            if (isAble(text) && script != null) {
                text = newCudaProcess(what, asked, text);
            }
            if (isAble(text) || text.startsWith(LOCKED)) {
                stop(what.members, text);
                return isAble(text)
                        ? new Answer(Result.SUSPENDED, "", 0)
                        : new Answer(Result.LOCKED, "", Long.parseLong(text.split(" ", -1)[1]));
            }
        } catch (IOException e) {
            text = e.toString();
        }
        return refused(SingleLine.of(text, MAX_CAUSE), resume(what.members, what.limitMillis));
    }

    private static Answer refused(String cause, String notResumed) {
        if (!notResumed.isEmpty()) {
            return new Answer(Result.STUCK, cause + "; and it could not be resumed: " + notResumed, 0);
        }
        return cause.startsWith(NEVER)
                ? new Answer(Result.NEVER, cause.substring(NEVER.length()), 0)
                : new Answer(Result.NOT_NOW, cause, 0);
    }

    /** Moves the memory of locked processes; those that cannot be moved stay locked. Returns why not, or an empty text. */
    String move(Suspendable what) throws InterruptedException {
        try {
            letContinue(what.members);
            String text = script == null
                    ? simulate(what.withoutRoom())
                    : output(suspendCommand(what.withoutRoom(), what.members.get()), what.limitMillis);
            if (isAble(text)) {
                stop(what.members, text);
            }
            return isAble(text) ? "" : SingleLine.of(text, MAX_CAUSE);
        } catch (IOException e) {
            return e.toString();
        }
    }

    /** The answers that say so may name the CUDA processes. */
    private static boolean isAble(String text) {
        return text.equals(ABLE) || text.startsWith(ABLE + " ");
    }

    private List<String> suspendCommand(Suspendable what, List<Proc> members) {
        String gpus = what.gpus.isEmpty()
                ? "-"
                : what.gpus.stream().map(String::valueOf).collect(Collectors.joining(","));
        return command(
                List.of(
                        "suspend",
                        Long.toString(LOCK_MILLIS),
                        Integer.toString(what.maxCuda),
                        Long.toString(what.roomMib),
                        gpus),
                members);
    }

    /** A process that began to use CUDA meanwhile is not suspended: then none is. */
    private String newCudaProcess(Suspendable what, List<Proc> asked, String able) throws InterruptedException {
        Set<Integer> known = asked.stream().map(Proc::pid).collect(Collectors.toSet());
        List<Proc> others = what.members.get().stream()
                .filter(proc -> !known.contains(proc.pid()))
                .toList();
        String states = others.isEmpty() ? "" : output(command(List.of("state"), others), PROBE_MILLIS);
        return states.contains("running") || states.contains("locked")
                ? "a process of it began to use CUDA meanwhile"
                : able;
    }

    /** Resumes all of them; safe to repeat. Returns why not, or an empty text. */
    String resume(Supplier<List<Proc>> members, long limitMillis) throws InterruptedException {
        try {
            letContinue(members);
            if (script == null) {
                Thread.sleep(costs.inMillis());
                return "";
            }
            String text = output(command(List.of("resume"), members.get()), limitMillis);
            return isAble(text) ? "" : SingleLine.of(text, MAX_CAUSE);
        } catch (IOException e) {
            return e.toString();
        }
    }

    /**
     * Stops all but the CUDA processes, which the answer names. Those stop by themselves at their next use of CUDA, and their memory
     * of the host remains valid; one that got a signal while its GPU memory was away has died.
     */
    private static void stop(Supplier<List<Proc>> members, String answer) throws IOException, InterruptedException {
        String[] words = answer.split(" ", -1);
        Set<String> cuda = new HashSet<>();
        for (int i = answer.startsWith(LOCKED) ? 2 : 1; i < words.length; i++) {
            cuda.add(words[i]);
        }
        Set<AttemptFolder.ProcessRef> stopped = new HashSet<>();
        for (int i = 0; i < MAX_ROUNDS; i++) {
            List<Proc> forked = members.get().stream()
                    .filter(proc -> !cuda.contains(Integer.toString(proc.pid())))
                    .filter(proc -> stopped.add(new AttemptFolder.ProcessRef(proc.pid(), proc.start())))
                    .toList();
            if (forked.isEmpty()) {
                return;
            }
            Signals.stop(forked);
        }
    }

    /** A process that is not stopped does not notice; one may be about to stop. */
    private static void letContinue(Supplier<List<Proc>> members) throws IOException, InterruptedException {
        Signals.resume(members.get());
    }

    /** Virtual GPUs have room for any job. */
    private String simulate(Suspendable what) throws InterruptedException {
        if (what.roomMib >= 0) {
            return LOCKED + Integer.MAX_VALUE;
        }
        Thread.sleep(costs.outMillis());
        return ABLE;
    }

    private List<String> command(List<String> words, List<Proc> members) {
        List<String> command = new ArrayList<>(List.of("python3", String.valueOf(script)));
        command.addAll(words);
        members.forEach(proc -> command.add(Integer.toString(proc.pid())));
        return command;
    }

    /** Runs a child for a limited time: what it says, or why it failed. */
    private static String output(List<String> command, long limitMillis) throws InterruptedException {
        Process child;
        try {
            child = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectInput(
                            ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                    .start();
        } catch (IOException e) {
            return "python3 could not be started: " + e.getMessage();
        }
        try (InputStream out = child.getInputStream()) {
            if (!child.waitFor(limitMillis, TimeUnit.MILLISECONDS)) {
                child.destroyForcibly();
                return "no answer within " + limitMillis + " ms";
            }
            return new String(out.readAllBytes(), StandardCharsets.UTF_8).strip();
        } catch (IOException e) {
            return e.toString();
        }
    }
}
