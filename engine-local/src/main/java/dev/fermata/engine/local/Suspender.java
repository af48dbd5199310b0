package dev.fermata.engine.local;

import dev.fermata.core.model.SuspendCosts;
import dev.fermata.live.attempt.SingleLine;
import dev.fermata.live.engine.EngineScripts;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Suspends and resumes the processes of an attempt. On real GPUs a short-lived child calls the checkpoint functions of the
 * driver ({@code suspend.py}), since such a call may hang; then all processes are stopped. On virtual GPUs they are only
 * stopped, after a simulated time.
 */
final class Suspender {
    /** What virtual GPUs simulate. */
    private static final SuspendCosts VIRTUAL = new SuspendCosts(100, 50, 256, SuspendCosts.Reach.SAME_NODE);

    /** Of a program whose memory is not known yet. */
    private static final long UNKNOWN_MIB = 2048;

    private static final long LOCK_MILLIS = 5_000;
    private static final long PROBE_MILLIS = 20_000;
    private static final int MAX_ROUNDS = 100;

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
        String broken = run(List.of("python3", script.toString(), "probe"), PROBE_MILLIS);
        return broken.isEmpty()
                ? new Suspender(script, SuspendCosts.measured(UNKNOWN_MIB, SuspendCosts.Reach.SAME_GPUS), "")
                : none(broken);
    }

    /** What it takes, before anything is learned; {@link SuspendCosts#CANNOT} where it cannot. */
    SuspendCosts costs() {
        return costs;
    }

    String reason() {
        return reason;
    }

    /** Suspends all of them, or none: returns why not, or an empty text. */
    String suspend(Supplier<List<Proc>> members, long limitMillis) throws InterruptedException {
        String broken;
        try {
            Signals.resume(members.get()); // the driver cannot ask a stopped process
            broken = script == null
                    ? simulate(costs.outMillis())
                    : call(List.of("suspend", Long.toString(LOCK_MILLIS), "1"), members.get(), limitMillis);
            if (broken.isEmpty()) {
                stop(members);
                return "";
            }
        } catch (IOException e) {
            broken = e.toString();
        }
        String alsoBroken = resume(members, limitMillis);
        return alsoBroken.isEmpty() ? broken : broken + "; and it could not be resumed: " + alsoBroken;
    }

    /** Resumes all of them; safe to repeat. Returns why not, or an empty text. */
    String resume(Supplier<List<Proc>> members, long limitMillis) throws InterruptedException {
        try {
            Signals.resume(members.get());
            return script == null ? simulate(costs.inMillis()) : call(List.of("resume"), members.get(), limitMillis);
        } catch (IOException e) {
            return e.toString();
        }
    }

    /** Stops them without the driver: they are suspended already. */
    void stop(Supplier<List<Proc>> members) throws IOException, InterruptedException {
        Set<AttemptFolder.ProcessRef> stopped = new HashSet<>();
        for (int i = 0; i < MAX_ROUNDS; i++) {
            List<Proc> forked = members.get().stream()
                    .filter(proc -> stopped.add(new AttemptFolder.ProcessRef(proc.pid(), proc.start())))
                    .toList();
            if (forked.isEmpty()) {
                return;
            }
            Signals.stop(forked);
        }
    }

    private static String simulate(long millis) throws InterruptedException {
        Thread.sleep(millis);
        return "";
    }

    private String call(List<String> words, List<Proc> members, long limitMillis) throws InterruptedException {
        List<String> command = new ArrayList<>(List.of("python3", String.valueOf(script)));
        command.addAll(words);
        members.forEach(proc -> command.add(Integer.toString(proc.pid())));
        return run(command, limitMillis);
    }

    /** Runs a child for a limited time; why it failed, or an empty text. */
    private static String run(List<String> command, long limitMillis) throws InterruptedException {
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
            String text = new String(out.readAllBytes(), StandardCharsets.UTF_8).strip();
            return text.equals("able") ? "" : SingleLine.of("cannot: " + text, 200);
        } catch (IOException e) {
            return e.toString();
        }
    }
}
