package dev.fermata.app.cli.daemon;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fermata.app.cli.Surroundings;
import dev.fermata.app.cli.Version;
import dev.fermata.app.client.Door;
import dev.fermata.app.exit.Complaint;
import dev.fermata.app.exit.ExitCode;
import dev.fermata.app.exit.Interruption;
import dev.fermata.app.output.Screen;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code fermata top}: GPUs, jobs and reasons, live. */
@Command(
        name = "top",
        description =
                "Watch GPUs, running jobs with their progress, and waiting ones with their expected start and their reasons. q or Ctrl-C leaves.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        footer = {
            "",
            "In a pipe it prints once.",
            "",
            "Examples:",
            "  fermata top",
            "  fermata top | head",
            "  fermata top -o json"
        })
final class Top extends Verb {
    private static final int MOST_JOBS = 1000;
    private static final long AWAY_MILLIS = 120_000;
    private static final long REFRESH_MILLIS = 1000;
    /** Each time the daemon simulates what is to come; the answer is a time of day, which serves for a while. */
    private static final long STARTS_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final String EXPECTED = "expectedStart";

    @Option(names = "--once", description = "Print once and leave, on a terminal too.")
    private boolean once;

    /** By job, as last told. */
    private final Map<Long, JsonNode> starts = new HashMap<>();

    private long askedNanos = System.nanoTime() - STARTS_NANOS;

    Top(Surroundings surroundings) {
        super(surroundings);
    }

    @Override
    int run(Door door) {
        if (!forPeople()) {
            return write(document(look(door)));
        }
        if (once || !surroundings.screen().terminal()) {
            look(door).lines(screen(), Integer.MAX_VALUE / 2, Instant.now()).forEach(out()::println);
            return ExitCode.FINE;
        }
        return watch(door);
    }

    private TopView look(Door door) {
        boolean ask = System.nanoTime() - askedNanos >= STARTS_NANOS;
        List<JsonNode> jobs = door.list("jobs?state=live&reasons=true" + (ask ? "&starts=true" : ""), MOST_JOBS)
                .items();
        if (ask) {
            askedNanos = System.nanoTime();
            starts.clear();
        }
        for (JsonNode job : jobs) {
            long id = job.path("id").asLong();
            if (job.has(EXPECTED)) {
                starts.put(id, job.path(EXPECTED));
            } else if (starts.containsKey(id) && job.path("state").asText().equals("PENDING")) {
                ((ObjectNode) job).set(EXPECTED, starts.get(id));
            }
        }
        return new TopView(door.address().toString(), door.get("diag"), door.all("nodes"), jobs);
    }

    private static JsonNode document(TopView view) {
        ObjectNode all = JsonNodeFactory.instance.objectNode();
        all.set("diag", view.diag());
        ArrayNode nodes = all.putArray("nodes");
        view.nodes().forEach(nodes::add);
        ArrayNode jobs = all.putArray("jobs");
        view.jobs().forEach(jobs::add);
        return all;
    }

    private int watch(Door door) {
        AtomicBoolean quit = new AtomicBoolean();
        Semaphore wake = new Semaphore(0);
        TopView last = look(door);
        long away = 0;
        Interruption.Hearing hearing = surroundings.interruption().hear(wake::release);
        try (Terminal terminal = Terminal.take(out(), key -> {
            quit.set(quit.get() || key == 'q' || key == 'Q');
            wake.release();
        })) {
            while (!quit.get() && !surroundings.interruption().asked()) {
                Terminal.Size size = terminal.size();
                Screen now = new Screen(true, surroundings.screen().colour(), size.columns());
                List<String> lines = last.lines(now, size.rows(), Instant.now());
                if (away > 0) {
                    lines.add(0, now.strong("The daemon is away; waiting for it to come back (q leaves)."));
                }
                terminal.draw(lines);
                if (wake.tryAcquire(REFRESH_MILLIS, TimeUnit.MILLISECONDS)) {
                    wake.drainPermits();
                }
                try {
                    last = look(door);
                    away = 0;
                } catch (Complaint gone) {
                    away += REFRESH_MILLIS;
                    if (gone.exitCode() != ExitCode.UNREACHABLE || away > AWAY_MILLIS) {
                        throw gone;
                    }
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            hearing.close();
        }
        return quit.get() ? ExitCode.FINE : ExitCode.INTERRUPTED;
    }
}
