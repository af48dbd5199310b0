package dev.fermata.engine.local;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
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
 * stopped, after a pretended time.
 */
final class Suspender {
    /** What virtual GPUs pretend. */
    private static final SuspendCosts VIRTUAL = new SuspendCosts(100, 50, 256, SuspendCosts.Reach.SAME_NODE);

    /** Of a program whose memory is not known yet. */
    private static final long UNKNOWN_MIB = 2048;

    private static final long LOCK_MILLIS = 5_000;
    private static final int MAX_ROUNDS = 100;
    private static final ObjectMapper JSON = new ObjectMapper();

    private final @Nullable Path script;
    private final SuspendCosts costs;
    /** Why it cannot suspend; empty where it can. */
    private final String reason;

    private Suspender(@Nullable Path script, SuspendCosts costs, String reason) {
        this.script = script;
        this.costs = costs;
        this.reason = reason;
    }

    /** Virtual GPUs pretend it where they are asked to; real ones can where their driver can. */
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
    static Suspender ofThisMachine(Path script) throws InterruptedException {
        JsonNode answer = run(List.of("python3", script.toString(), "probe"), 20_000);
        return answer.path("able").asBoolean()
                ? new Suspender(script, SuspendCosts.measured(UNKNOWN_MIB, SuspendCosts.Reach.SAME_GPUS), "")
                : none(answer.path("reason").asText("the driver refuses"));
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
                    ? pretend(costs.outMillis())
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
            return script == null ? pretend(costs.inMillis()) : call(List.of("resume"), members.get(), limitMillis);
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

    private static String pretend(long millis) throws InterruptedException {
        Thread.sleep(millis);
        return "";
    }

    private String call(List<String> words, List<Proc> members, long limitMillis) throws InterruptedException {
        List<String> command = new ArrayList<>(List.of("python3", String.valueOf(script)));
        command.addAll(words);
        members.forEach(proc -> command.add(Integer.toString(proc.pid())));
        JsonNode answer = run(command, limitMillis);
        if (answer.path("able").asBoolean()) {
            return "";
        }
        return answer.has("step")
                ? "the driver answers " + answer.path("result").asInt() + " to "
                        + answer.path("step").asText() + " of pid "
                        + answer.path("pid").asInt()
                : answer.path("reason").asText("no answer");
    }

    /** Runs a child for a limited time; its line of JSON, or an object with the reason. */
    private static JsonNode run(List<String> command, long limitMillis) throws InterruptedException {
        Process child;
        try {
            child = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectInput(
                            ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                    .start();
        } catch (IOException e) {
            return failure("python3 could not be started: " + e.getMessage());
        }
        try (InputStream out = child.getInputStream()) {
            if (!child.waitFor(limitMillis, TimeUnit.MILLISECONDS)) {
                child.destroyForcibly();
                return failure("no answer within " + limitMillis + " ms");
            }
            String text = new String(out.readAllBytes(), StandardCharsets.UTF_8).strip();
            return text.startsWith("{") ? JSON.readTree(text) : failure(SingleLine.of(text, 200));
        } catch (JsonProcessingException e) {
            return failure("no JSON: " + SingleLine.of(String.valueOf(e.getMessage()), 200));
        } catch (IOException e) {
            return failure(e.toString());
        }
    }

    private static JsonNode failure(String reason) {
        return JSON.createObjectNode().put("able", false).put("reason", reason);
    }
}
