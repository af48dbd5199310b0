package dev.fermata.app.cli.daemon;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.app.cli.Surroundings;
import dev.fermata.app.cli.Version;
import dev.fermata.app.client.Door;
import dev.fermata.app.client.Query;
import dev.fermata.app.exit.Complaint;
import dev.fermata.app.exit.ExitCode;
import dev.fermata.app.output.Humane;
import dev.fermata.app.output.ShellCommand;
import dev.fermata.app.output.Table;
import dev.fermata.app.output.WholeFile;
import dev.fermata.app.report.html.Origin;
import dev.fermata.core.policy.Suggest;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code fermata preemptions}: what every pause cost and gained, and which were not worth it. */
@Command(
        name = "preemptions",
        description =
                "The preemption ledger: who was paused for whom, what that was expected to cost and to gain, and what it did cost and gain.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        footer = {
            "",
            "Cost is completion time that the paused jobs lost, gain what the other saved at most (docs/preemptions.md).",
            "An entry is OPEN until those who were paused have ended.",
            "",
            "Examples:",
            "  fermata preemptions",
            "  fermata preemptions --refused --since 7d",
            "  fermata preemptions --by user -o json",
            "  fermata preemptions --since 30d --report ledger.html"
        })
final class Preemptions extends Verb {
    /** What was done, as opposed to what was only thought of. */
    private static final String DONE = "open,paid,not_paid,moved";

    private static final List<String> GROUPS = List.of("day", "user", "policy", "queue");
    private static final int IN_A_REPORT = 10_000;

    @Option(
            names = "--since",
            paramLabel = "TIME",
            defaultValue = "30d",
            description = "How far back to begin, or a moment (default: ${DEFAULT-VALUE}).")
    private String since;

    @Option(names = "--user", paramLabel = "NAME", description = "Only what concerns jobs of this user.")
    private @Nullable String user;

    @Option(names = "--job", paramLabel = "JOB", description = "Only what concerns this job.")
    private @Nullable String job;

    @Option(names = "--policy", paramLabel = "NAME", description = "Only what this policy decided.")
    private @Nullable String policy;

    @Option(names = "--refused", description = "The pauses that were weighed and not done, instead of those that were.")
    private boolean refused;

    @Option(
            names = "--by",
            paramLabel = "WHAT",
            description = "Sums by day (UTC), user, policy or queue instead of single decisions.")
    private @Nullable String by;

    @Option(
            names = "--limit",
            paramLabel = "N",
            defaultValue = "50",
            description = "At most this many (default: ${DEFAULT-VALUE}).")
    private int limit;

    @Option(
            names = "--report",
            paramLabel = "FILE.html",
            description = "Write sums, entries and pictures as one HTML page.")
    private @Nullable String report;

    Preemptions(Surroundings surroundings) {
        super(surroundings);
    }

    @Override
    int run(Door door) {
        if (limit < 1) {
            throw Complaint.invalid("--limit (" + limit + ") must be at least 1");
        }
        if (by != null && !GROUPS.contains(by)) {
            throw Complaint.invalid("--by (" + by + ") is unknown." + Suggest.among(by, GROUPS));
        }
        if (by != null && refused) {
            throw Complaint.invalid("--refused lists single pauses; sums (--by) count those that were declined too");
        }
        if (job != null) {
            door.get("jobs/" + JobId.whole(job)); // or says that there is none
        }
        if (report != null) {
            write(door, report);
        }
        return by != null ? sums(door, by) : entries(door);
    }

    private Query asked(String path) {
        return Query.to(path)
                .and("since", Events.moment(since, Instant.now()))
                .and("user", user == null ? "" : user)
                .and("job", job == null ? "" : String.valueOf(JobId.whole(job)))
                .and("policy", policy == null ? "" : policy);
    }

    private int entries(Door door) {
        Query query = asked("preemptions").and("outcome", refused ? "declined" : DONE);
        Door.Listing found = door.list(query.toString(), limit);
        if (!forPeople()) {
            return write(found.items());
        }
        JsonNode total = door.get(asked("preemptions/summary").toString()).path("total");
        if (found.items().isEmpty()) {
            say(refused ? "No pause was refused." : "Nobody was paused.", PreemptionWords.summary(total));
            return ExitCode.FINE;
        }
        show(refused ? PreemptionTables.declined(found.items()) : PreemptionTables.done(found.items()));
        say("", PreemptionWords.summary(total));
        if (found.more()) {
            say("There are more: --limit " + limit * 10 + " shows them.");
        }
        return ExitCode.FINE;
    }

    private int sums(Door door, String group) {
        JsonNode summary =
                door.get(asked("preemptions/summary").and("by", group).toString());
        if (!forPeople()) {
            List<JsonNode> rows = new java.util.ArrayList<>();
            summary.path("items").forEach(rows::add);
            return write(rows);
        }
        Table table = PreemptionTables.sums(group, summary.path("items"));
        if (summary.path("items").isEmpty()) {
            say("Nobody was paused, and no pause was refused.");
            return ExitCode.FINE;
        }
        show(table);
        say("", PreemptionWords.summary(summary.path("total")));
        return ExitCode.FINE;
    }

    private void write(Door door, String name) {
        try (WholeFile file = WholeFile.open(name)) {
            Door.Listing found = door.list(asked("preemptions").toString(), IN_A_REPORT);
            PreemptionReport page = new PreemptionReport(found.items());
            for (String group : GROUPS) {
                page.sums(
                        group,
                        door.get(asked("preemptions/summary").and("by", group).toString()));
            }
            if (found.more()) {
                page.note("The latest " + Humane.count(IN_A_REPORT)
                        + " entries are drawn and listed; the sums are over all.");
            }
            Origin origin = new Origin(
                    ShellCommand.of(spec.root().commandLine().getParseResult().originalArgs()),
                    new Version().getVersion()[0],
                    "–");
            file.write(page.html(origin));
        }
        remark("the report is in " + name);
    }
}
