package dev.fermata.app.cli.daemon;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.app.cli.Surroundings;
import dev.fermata.app.cli.Version;
import dev.fermata.app.client.Door;
import dev.fermata.app.client.Query;
import dev.fermata.app.exit.Complaint;
import dev.fermata.app.exit.ExitCode;
import dev.fermata.app.output.Table;
import dev.fermata.core.text.Quantity;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code fermata history}: what happened, from the durable record. */
@Command(
        name = "history",
        description = "What happened, oldest first: every submission, start, pause and end, with who caused it.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        footer = {
            "",
            "Examples:",
            "  fermata history 12",
            "  fermata history --since 2h --kind Preempted,Left",
            "  fermata history --since 7d --limit 100000 -o json"
        })
final class History extends Verb {
    @Parameters(arity = "0..1", paramLabel = "JOB", description = "Only of this job.")
    private @Nullable String id;

    @Option(
            names = "--since",
            paramLabel = "TIME",
            description = "How far back, such as 2h or 7d, or a moment as RFC 3339 (default: 1d; all for one job).")
    private @Nullable String since;

    @Option(names = "--user", paramLabel = "NAME", description = "Only of this user's jobs.")
    private @Nullable String user;

    @Option(
            names = "--kind",
            paramLabel = "KIND",
            description = "Only these kinds, joined by commas, such as Started,Left.")
    private @Nullable String kind;

    @Option(
            names = "--limit",
            paramLabel = "N",
            defaultValue = "1000",
            description = "At most this many (default: ${DEFAULT-VALUE}).")
    private int limit;

    History(Surroundings surroundings) {
        super(surroundings);
    }

    @Override
    int run(Door door) {
        if (limit < 1) {
            throw Complaint.invalid("--limit (" + limit + ") must be at least 1");
        }
        Query query = Query.to("history")
                .and("job", id == null ? "" : String.valueOf(JobId.whole(id)))
                .and("user", user == null ? "" : user)
                .and("kind", kind == null ? "" : kind)
                .and("since", since == null && id != null ? "" : moment(since == null ? "1d" : since, Instant.now()));
        Door.Listing found = door.list(query.toString(), limit);
        if (!forPeople()) {
            return write(found.items());
        }
        if (found.items().isEmpty()) {
            say("Nothing is recorded"
                    + (since == null && id == null
                            ? " for the last day; go further back with --since 30d."
                            : " like that."));
            return ExitCode.FINE;
        }
        table(found.items());
        if (found.more()) {
            say("", "There is more: --limit " + limit * 10 + " shows it.");
        }
        return ExitCode.FINE;
    }

    private void table(List<JsonNode> events) {
        Table table =
                new Table().words("when").words("job").words("what").words("by").words("details", 6);
        for (JsonNode event : events) {
            table.row(
                    EventLine.when(event),
                    EventLine.job(event),
                    JobView.text(event, "kind"),
                    JobView.text(event, "actor"),
                    EventLine.details(event));
        }
        show(table);
    }

    /** A moment in RFC 3339, from a time before now or a moment. */
    static String moment(String text, Instant now) {
        if (text.contains("T")) {
            return text;
        }
        long millis = Complaint.ifInvalid(() -> Quantity.millis("--since", text));
        return now.minusMillis(millis).truncatedTo(ChronoUnit.MILLIS).toString();
    }
}
