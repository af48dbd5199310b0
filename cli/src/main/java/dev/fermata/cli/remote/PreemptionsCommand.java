package dev.fermata.cli.remote;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.cli.client.ApiQuery;
import dev.fermata.cli.client.DaemonClient;
import dev.fermata.cli.option.Invocation;
import dev.fermata.cli.option.Version;
import dev.fermata.core.policy.Suggestion;
import dev.fermata.insight.exit.ExitCode;
import dev.fermata.insight.exit.UserError;
import dev.fermata.insight.file.AtomicFile;
import dev.fermata.insight.format.HumanFormat;
import dev.fermata.report.html.ReportOrigin;
import dev.fermata.report.text.ShellCommand;
import dev.fermata.report.text.TextTable;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code fermata preemptions}: cost and gain of every preemption, and the declined ones. */
@Command(
        name = "preemptions",
        description =
                "The preemption log: which job was paused for which, with the expected and the actual cost and gain.",
        footer = {
            "",
            "Cost is the completion time that the paused jobs lost, gain the most that the other job saved (docs/operator/preemptions.md).",
            "An entry is OPEN until the paused jobs have ended.",
            "",
            "Examples:",
            "  fermata preemptions",
            "  fermata preemptions --declined --since 7d",
            "  fermata preemptions --by user -o json",
            "  fermata preemptions --since 30d --report preemptions.html"
        })
public final class PreemptionsCommand extends RemoteCommand {
    /** The outcomes of preemptions that were decided, as opposed to declined ones. */
    private static final String DECIDED = "open,paid,not_paid,moved";

    private static final List<String> GROUPS = List.of("day", "user", "policy", "queue");
    private static final int REPORT_LIMIT = 10_000;

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

    @Option(names = "--declined", description = "The pauses that were declined, instead of those that were made.")
    private boolean declined;

    /** Its name in 0.1.0. */
    @Option(names = "--refused", hidden = true)
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

    public PreemptionsCommand(Invocation invocation) {
        super(invocation);
    }

    @Override
    int run(DaemonClient api) {
        if (limit < 1) {
            throw UserError.invalid("--limit (" + limit + ") must be at least 1");
        }
        if (by != null && !GROUPS.contains(by)) {
            throw UserError.invalid("--by (" + by + ") is unknown." + Suggestion.didYouMean(by, GROUPS));
        }
        declined |= refused;
        if (by != null && declined) {
            throw UserError.invalid("--declined lists single pauses; sums (--by) count those that were declined too");
        }
        if (job != null) {
            api.get("jobs/" + JobId.parseJob(job)); // or says that there is none
        }
        if (report != null) {
            write(api, report);
        }
        return by != null ? printTotals(api, by) : printEntries(api);
    }

    private ApiQuery query(String path) {
        return ApiQuery.to(path)
                .and("since", EventsCommand.parseTime(since, Instant.now()))
                .and("user", user == null ? "" : user)
                .and("job", job == null ? "" : String.valueOf(JobId.parseJob(job)))
                .and("policy", policy == null ? "" : policy);
    }

    private int printEntries(DaemonClient api) {
        ApiQuery query = query("preemptions").and("outcome", declined ? "declined" : DECIDED);
        DaemonClient.Listing found = api.list(query.toString(), limit);
        if (!isHumanReadable()) {
            return write(found.items());
        }
        JsonNode total = api.get(query("preemptions/summary").toString()).path("total");
        if (found.items().isEmpty()) {
            printWrapped(declined ? "No pause was declined." : "No job was paused.", PreemptionText.summary(total));
            return ExitCode.OK;
        }
        printTable(declined ? PreemptionTables.declined(found.items()) : PreemptionTables.decided(found.items()));
        printWrapped("", PreemptionText.summary(total));
        if (found.more()) {
            printWrapped("There are more: --limit " + limit * 10 + " shows them.");
        }
        return ExitCode.OK;
    }

    private int printTotals(DaemonClient api, String group) {
        JsonNode summary = api.get(query("preemptions/summary").and("by", group).toString());
        if (!isHumanReadable()) {
            List<JsonNode> rows = new java.util.ArrayList<>();
            summary.path("items").forEach(rows::add);
            return write(rows);
        }
        TextTable table = PreemptionTables.totals(group, summary.path("items"));
        if (summary.path("items").isEmpty()) {
            printWrapped("No job was paused, and no pause was declined.");
            return ExitCode.OK;
        }
        printTable(table);
        printWrapped("", PreemptionText.summary(summary.path("total")));
        return ExitCode.OK;
    }

    private void write(DaemonClient api, String name) {
        try (AtomicFile file = AtomicFile.open(name)) {
            DaemonClient.Listing found = api.list(query("preemptions").toString(), REPORT_LIMIT);
            PreemptionReport page = new PreemptionReport(found.items());
            for (String group : GROUPS) {
                page.addTotals(
                        group,
                        api.get(query("preemptions/summary").and("by", group).toString()));
            }
            if (found.more()) {
                page.note("The latest " + HumanFormat.count(REPORT_LIMIT)
                        + " entries are drawn and listed; the sums are over all.");
            }
            ReportOrigin origin = new ReportOrigin(
                    ShellCommand.of(spec.root().commandLine().getParseResult().originalArgs()),
                    new Version().getVersion()[0],
                    "–");
            file.write(page.html(origin));
        }
        printRemark("the report is in " + name);
    }
}
