package dev.fermata.cli.remote;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fermata.cli.client.DaemonClient;
import dev.fermata.cli.option.Invocation;
import dev.fermata.insight.exit.ExitCode;
import dev.fermata.insight.exit.Interruption;
import dev.fermata.insight.exit.UserError;
import dev.fermata.report.text.Screen;
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
                "Watch GPUs, running jobs with their progress, and pending ones with their predicted start and reason. q or Ctrl-C leaves.",
        footer = {
            "",
            "In a pipe it prints once.",
            "",
            "Examples:",
            "  fermata top",
            "  fermata top | head",
            "  fermata top -o json"
        })
public final class TopCommand extends RemoteCommand {
    private static final int MAX_JOBS = 1000;
    private static final long OUTAGE_TIMEOUT_MILLIS = 120_000;
    private static final long REFRESH_MILLIS = 1000;
    /** The daemon simulates for each prediction; a prediction is a time of day and stays useful for a while. */
    private static final long STARTS_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final String EXPECTED = "predictedStart";

    @Option(names = "--once", description = "Print once and exit, on a terminal too.")
    private boolean once;

    /** By job, as last reported. */
    private final Map<Long, JsonNode> starts = new HashMap<>();

    private long requestedNanos = System.nanoTime() - STARTS_NANOS;

    public TopCommand(Invocation invocation) {
        super(invocation);
    }

    @Override
    int run(DaemonClient api) {
        if (!isHumanReadable()) {
            return write(document(poll(api)));
        }
        if (once || !invocation.screen().terminal()) {
            poll(api).lines(screen(), Integer.MAX_VALUE / 2, Instant.now()).forEach(out()::println);
            return ExitCode.OK;
        }
        return watch(api);
    }

    private TopView poll(DaemonClient api) {
        boolean ask = System.nanoTime() - requestedNanos >= STARTS_NANOS;
        List<JsonNode> jobs = api.list("jobs?state=live&reasons=true" + (ask ? "&starts=true" : ""), MAX_JOBS)
                .items();
        if (ask) {
            requestedNanos = System.nanoTime();
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
        return new TopView(api.address().toString(), api.get("diag"), api.listAll("nodes"), jobs);
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

    private int watch(DaemonClient api) {
        AtomicBoolean quit = new AtomicBoolean();
        Semaphore wake = new Semaphore(0);
        TopView last = poll(api);
        long outageMillis = 0;
        Interruption.Registration hearing = invocation.interruption().onRequest(wake::release);
        try (FullScreenTerminal terminal = FullScreenTerminal.open(out(), key -> {
            quit.set(quit.get() || key == 'q' || key == 'Q');
            wake.release();
        })) {
            while (!quit.get() && !invocation.interruption().isRequested()) {
                FullScreenTerminal.TerminalSize size = terminal.size();
                Screen now = new Screen(true, invocation.screen().colour(), size.columns());
                List<String> lines = last.lines(now, size.rows(), Instant.now());
                if (outageMillis > 0) {
                    lines.add(0, now.bold("No connection to the daemon; trying again (q leaves)."));
                }
                terminal.draw(lines);
                if (wake.tryAcquire(REFRESH_MILLIS, TimeUnit.MILLISECONDS)) {
                    wake.drainPermits();
                }
                try {
                    last = poll(api);
                    outageMillis = 0;
                } catch (UserError unreachable) {
                    outageMillis += REFRESH_MILLIS;
                    if (unreachable.exitCode() != ExitCode.UNREACHABLE || outageMillis > OUTAGE_TIMEOUT_MILLIS) {
                        throw unreachable;
                    }
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            hearing.close();
        }
        return quit.get() ? ExitCode.OK : ExitCode.INTERRUPTED;
    }
}
