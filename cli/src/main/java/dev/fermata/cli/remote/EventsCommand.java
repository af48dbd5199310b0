package dev.fermata.cli.remote;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.cli.client.ApiQuery;
import dev.fermata.cli.client.DaemonClient;
import dev.fermata.cli.client.EventStream;
import dev.fermata.cli.option.Invocation;
import dev.fermata.core.text.Quantity;
import dev.fermata.insight.exit.ExitCode;
import dev.fermata.insight.exit.UserError;
import dev.fermata.report.text.OutputFormat;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code fermata events}: the history, past and as it is written. */
@Command(
        name = "events",
        description =
                "The history, oldest first, with the user of each action: every submission, start, pause and end; -f follows it.",
        footer = {
            "",
            "With -f and -o json there is a document on each line.",
            "",
            "Examples:",
            "  fermata events 12 --since 7d",
            "  fermata events --since 2h --type Started,AttemptEnded",
            "  fermata events -f",
            "  fermata events 12 -f -o json"
        })
public final class EventsCommand extends RemoteCommand {
    @Parameters(arity = "0..1", paramLabel = "JOB", description = "Only of this job.")
    private @Nullable String id;

    @Option(
            names = {"-f", "--follow"},
            description = "Follow until Ctrl-C.")
    private boolean follow;

    @Option(
            names = "--since",
            paramLabel = "TIME",
            defaultValue = "10m",
            description = "How far back to begin (default: ${DEFAULT-VALUE}).")
    private String since;

    @Option(
            names = "--type",
            paramLabel = "TYPE",
            description = "Only these types, joined by commas, such as Started,AttemptEnded.")
    private @Nullable String type;

    @Option(
            names = "--limit",
            paramLabel = "N",
            defaultValue = "1000",
            description = "At most this many of the past (default: ${DEFAULT-VALUE}).")
    private int limit;

    public EventsCommand(Invocation invocation) {
        super(invocation);
    }

    @Override
    int run(DaemonClient api) {
        OutputFormat format = output.format();
        String job = id == null ? "" : String.valueOf(JobId.parseJob(id));
        String past = ApiQuery.to("events")
                .and("job", job)
                .and("type", type == null ? "" : type)
                .and("since", parseTime(since, Instant.now()))
                .toString();
        List<JsonNode> events = api.list(past, limit).items();
        if (!follow) {
            if (!format.isHumanReadable()) {
                return write(events);
            }
            events.forEach(event -> out().println(EventText.line(event)));
            if (events.isEmpty()) {
                printWrapped("No recent events. Further back: fermata events --since 7d");
            }
            return ExitCode.OK;
        }
        events.forEach(event -> print(event, format));
        long last = events.isEmpty()
                ? -1
                : events.get(events.size() - 1).path("seq").asLong();
        new EventStream(api, invocation.interruption())
                .follow(job, type == null ? "" : type, last, event -> print(event, format));
        out().flush();
        return ExitCode.INTERRUPTED;
    }

    /** A moment in RFC 3339, from a time before now or a moment. */
    static String parseTime(String text, Instant now) {
        if (text.contains("T")) {
            return text;
        }
        long millis = UserError.wrapInvalid(() -> Quantity.millis("--since", text));
        return now.minusMillis(millis).truncatedTo(ChronoUnit.MILLIS).toString();
    }

    private void print(JsonNode event, OutputFormat format) {
        out().println(format.isHumanReadable() ? EventText.line(event) : event.toString());
        out().flush();
    }
}
