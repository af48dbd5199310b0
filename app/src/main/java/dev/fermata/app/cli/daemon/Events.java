package dev.fermata.app.cli.daemon;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.app.cli.Surroundings;
import dev.fermata.app.cli.Version;
import dev.fermata.app.client.Door;
import dev.fermata.app.client.EventStream;
import dev.fermata.app.client.Query;
import dev.fermata.app.exit.Complaint;
import dev.fermata.app.exit.ExitCode;
import dev.fermata.app.output.Format;
import dev.fermata.core.text.Quantity;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code fermata events}: what happens, as it happens. */
@Command(
        name = "events",
        description =
                "What happened, oldest first, with who caused it: every submission, start, pause and end; -f goes on.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        footer = {
            "",
            "With -f and -o json there is a document on each line.",
            "",
            "Examples:",
            "  fermata events 12 --since 7d",
            "  fermata events --since 2h --kind Started,Left",
            "  fermata events -f",
            "  fermata events 12 -f -o json"
        })
final class Events extends Verb {
    @Parameters(arity = "0..1", paramLabel = "JOB", description = "Only of this job.")
    private @Nullable String id;

    @Option(
            names = {"-f", "--follow"},
            description = "Go on until Ctrl-C.")
    private boolean follow;

    @Option(
            names = "--since",
            paramLabel = "TIME",
            defaultValue = "10m",
            description = "How far back to begin (default: ${DEFAULT-VALUE}).")
    private String since;

    @Option(
            names = "--kind",
            paramLabel = "KIND",
            description = "Only these kinds, joined by commas, such as Started,Left.")
    private @Nullable String kind;

    @Option(
            names = "--limit",
            paramLabel = "N",
            defaultValue = "1000",
            description = "At most this many of the past (default: ${DEFAULT-VALUE}).")
    private int limit;

    Events(Surroundings surroundings) {
        super(surroundings);
    }

    @Override
    int run(Door door) {
        Format format = output.format();
        String job = id == null ? "" : String.valueOf(JobId.whole(id));
        String past = Query.to("events")
                .and("job", job)
                .and("kind", kind == null ? "" : kind)
                .and("since", moment(since, Instant.now()))
                .toString();
        List<JsonNode> events = door.list(past, limit).items();
        if (!follow) {
            if (!format.forPeople()) {
                return write(events);
            }
            events.forEach(event -> out().println(EventLine.whole(event)));
            if (events.isEmpty()) {
                say("Nothing has happened lately. Further back: fermata events --since 7d");
            }
            return ExitCode.FINE;
        }
        events.forEach(event -> print(event, format));
        long last = events.isEmpty()
                ? -1
                : events.get(events.size() - 1).path("seq").asLong();
        new EventStream(door, surroundings.interruption())
                .follow(job, kind == null ? "" : kind, last, event -> print(event, format));
        out().flush();
        return ExitCode.INTERRUPTED;
    }

    /** A moment in RFC 3339, from a time before now or a moment. */
    static String moment(String text, Instant now) {
        if (text.contains("T")) {
            return text;
        }
        long millis = Complaint.ifInvalid(() -> Quantity.millis("--since", text));
        return now.minusMillis(millis).truncatedTo(ChronoUnit.MILLIS).toString();
    }

    private void print(JsonNode event, Format format) {
        out().println(format.forPeople() ? EventLine.whole(event) : event.toString());
        out().flush();
    }
}
