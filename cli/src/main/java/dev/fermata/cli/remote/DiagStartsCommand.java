package dev.fermata.cli.remote;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.cli.client.ApiQuery;
import dev.fermata.cli.client.DaemonClient;
import dev.fermata.cli.option.Invocation;
import dev.fermata.insight.exit.ExitCode;
import dev.fermata.insight.exit.UserError;
import dev.fermata.insight.format.HumanFormat;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code fermata diag starts}: the accuracy of predicted starts. */
@Command(
        name = "starts",
        description = "Show how accurate predicted starts were: how many jobs had started by their p50 and their p90.",
        footer = {"", "Examples:", "  fermata diag starts", "  fermata diag starts --days 30 -o json"})
public final class DiagStartsCommand extends RemoteCommand {
    @Option(
            names = "--days",
            paramLabel = "N",
            defaultValue = "7",
            description = "How far to look back (default: ${DEFAULT-VALUE}).")
    private int days;

    public DiagStartsCommand(Invocation invocation) {
        super(invocation);
    }

    @Override
    int run(DaemonClient api) {
        if (days < 1) {
            throw UserError.invalid("--days (" + days + ") must be at least 1");
        }
        JsonNode answer = api.get(
                ApiQuery.to("diag/starts").and("days", String.valueOf(days)).toString());
        if (!isHumanReadable()) {
            return write(answer);
        }
        long predictions = answer.path("predictions").asLong();
        if (predictions == 0) {
            printWrapped("No start was predicted in the last " + HumanFormat.amount(days, "day")
                    + ": only the starts of pending jobs are predicted.");
            return ExitCode.OK;
        }
        out().println(screen().bold(HumanFormat.amount(predictions, "predicted start") + " in the last "
                + HumanFormat.amount(days, "day")));
        printShare(answer, "startedByP50", "evaluatedP50", "p50", 50);
        printShare(answer, "startedByP90", "evaluatedP90", "p90", 90);
        if (answer.path("medianErrorSeconds").isNumber()) {
            printWrapped("  median error "
                    + HumanFormat.time(answer.path("medianErrorSeconds").asDouble())
                    + ", where the median wait was "
                    + HumanFormat.time(answer.path("medianWaitSeconds").asDouble()));
        }
        return ExitCode.OK;
    }

    private void printShare(JsonNode answer, String key, String judged, String name, int right) {
        if (answer.path(key).isNumber()) {
            printWrapped(String.format(
                    Locale.ROOT,
                    "  by %s       %.0f %% had started (%d %% would be right), of %s that are due",
                    name,
                    100 * answer.path(key).asDouble(),
                    right,
                    HumanFormat.count(answer.path(judged).asLong())));
        }
    }
}
