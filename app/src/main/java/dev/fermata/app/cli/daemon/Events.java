package dev.fermata.app.cli.daemon;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.app.cli.Surroundings;
import dev.fermata.app.cli.Version;
import dev.fermata.app.client.Door;
import dev.fermata.app.client.EventStream;
import dev.fermata.app.client.Query;
import dev.fermata.app.exit.ExitCode;
import dev.fermata.app.output.Format;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code fermata events}: what happens, as it happens. */
@Command(
        name = "events",
        description = "What happened in the last minutes, and with -f everything as it happens.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        footer = {
            "",
            "With -f and -o json there is a document on each line.",
            "",
            "Examples:",
            "  fermata events -f",
            "  fermata events 12 -f -o json"
        })
final class Events extends Verb {
    private static final int MOST = 1000;

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

    Events(Surroundings surroundings) {
        super(surroundings);
    }

    @Override
    int run(Door door) {
        Format format = output.format();
        String job = id == null ? "" : String.valueOf(JobId.whole(id));
        String past = Query.to("history")
                .and("job", job)
                .and("since", History.moment(since, Instant.now()))
                .toString();
        List<JsonNode> events = door.list(past, MOST).items();
        if (!follow) {
            if (!format.forPeople()) {
                return write(events);
            }
            events.forEach(event -> out().println(EventLine.whole(event)));
            if (events.isEmpty()) {
                say("Nothing has happened lately. Further back: fermata history --since 7d");
            }
            return ExitCode.FINE;
        }
        events.forEach(event -> print(event, format));
        long last = events.isEmpty()
                ? -1
                : events.get(events.size() - 1).path("seq").asLong();
        new EventStream(door, surroundings.interruption()).follow(job, last, event -> print(event, format));
        out().flush();
        return ExitCode.INTERRUPTED;
    }

    private void print(JsonNode event, Format format) {
        out().println(format.forPeople() ? EventLine.whole(event) : event.toString());
        out().flush();
    }
}
