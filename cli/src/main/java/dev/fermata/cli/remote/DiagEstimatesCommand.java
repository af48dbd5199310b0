package dev.fermata.cli.remote;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.cli.client.ApiQuery;
import dev.fermata.cli.client.DaemonClient;
import dev.fermata.cli.option.Invocation;
import dev.fermata.insight.exit.ExitCode;
import dev.fermata.insight.format.HumanFormat;
import dev.fermata.report.text.TextTable;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code fermata diag estimates}: the accuracy of estimates of remaining time. */
@Command(
        name = "estimates",
        description = "Compare estimates of remaining time with what jobs really took, by source of the estimate.",
        footer = {
            "",
            "The actual time should be at most p90 nine times of ten, and between p10 and p90 eight times of ten.",
            "",
            "Examples:",
            "  fermata diag estimates",
            "  fermata diag estimates --limit 100 -o json"
        })
public final class DiagEstimatesCommand extends RemoteCommand {
    @Option(
            names = "--limit",
            paramLabel = "N",
            description = "At most this many, the latest. Default: ${DEFAULT-VALUE}.")
    private int limit = 2000;

    public DiagEstimatesCommand(Invocation invocation) {
        super(invocation);
    }

    @Override
    int run(DaemonClient api) {
        JsonNode found = api.get(ApiQuery.to("diag/estimates")
                .and("limit", Integer.toString(limit))
                .toString());
        if (!isHumanReadable()) {
            return write(found);
        }
        if (found.path("sources").isEmpty()) {
            printWrapped("No job with an estimate has ended yet.");
            return ExitCode.OK;
        }
        TextTable sources = new TextTable()
                .textColumn("source")
                .numberColumn("estimates", TextTable.ALWAYS)
                .numberColumn("median error", TextTable.ALWAYS)
                .numberColumn("bias", TextTable.ALWAYS)
                .numberColumn("within p90", TextTable.ALWAYS)
                .numberColumn("within p10..p90", TextTable.ALWAYS);
        for (JsonNode source : found.path("sources")) {
            sources.row(
                    sourceLabel(source),
                    HumanFormat.count(source.path("count").asLong()),
                    HumanFormat.percent(source.path("medianError").asDouble()),
                    HumanFormat.change(source.path("bias").asDouble()),
                    HumanFormat.percent(source.path("withinP90").asDouble()),
                    HumanFormat.percent(source.path("withinBand").asDouble()));
        }
        printTable(sources);
        out().println();
        printWrapped("Furthest off, in work on the reference GPU:");
        TextTable worst = new TextTable()
                .numberColumn("job", TextTable.ALWAYS)
                .textColumn("estimated at")
                .textColumn("source")
                .numberColumn("p50", TextTable.ALWAYS)
                .numberColumn("p90", TextTable.ALWAYS)
                .numberColumn("truth", TextTable.ALWAYS);
        for (JsonNode one : found.path("worst")) {
            worst.row(
                    JobText.text(one, "job"),
                    JobText.text(one, "moment"),
                    sourceLabel(one),
                    HumanFormat.time(one.path("p50Seconds").asDouble()),
                    HumanFormat.time(one.path("p90Seconds").asDouble()),
                    HumanFormat.time(one.path("actualSeconds").asDouble()));
        }
        printTable(worst);
        return ExitCode.OK;
    }

    private static String sourceLabel(JsonNode of) {
        return JobText.text(of, "source").toLowerCase(Locale.ROOT);
    }
}
