package dev.fermata.app.cli.daemon;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.app.cli.Surroundings;
import dev.fermata.app.cli.Version;
import dev.fermata.app.client.Door;
import dev.fermata.app.client.Query;
import dev.fermata.app.exit.Complaint;
import dev.fermata.app.exit.ExitCode;
import dev.fermata.app.output.Humane;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code fermata diag starts}: how right expected starts were. */
@Command(
        name = "starts",
        description = "Say how right expected starts were: how many jobs had started by their p50 and their p90.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        footer = {"", "Examples:", "  fermata diag starts", "  fermata diag starts --days 30 -o json"})
final class DiagStarts extends Verb {
    @Option(
            names = "--days",
            paramLabel = "N",
            defaultValue = "7",
            description = "How far to look back (default: ${DEFAULT-VALUE}).")
    private int days;

    DiagStarts(Surroundings surroundings) {
        super(surroundings);
    }

    @Override
    int run(Door door) {
        if (days < 1) {
            throw Complaint.invalid("--days (" + days + ") must be at least 1");
        }
        JsonNode answer = door.get(
                Query.to("diag/starts").and("days", String.valueOf(days)).toString());
        if (!forPeople()) {
            return write(answer);
        }
        long predictions = answer.path("predictions").asLong();
        if (predictions == 0) {
            say("No start was predicted in the last " + Humane.amount(days, "day")
                    + ": only jobs that have to wait are.");
            return ExitCode.FINE;
        }
        out().println(screen().strong(
                        Humane.count(predictions) + " predicted starts in the last " + Humane.amount(days, "day")));
        share(answer, "startedByP50", "judged50", "p50", 50);
        share(answer, "startedByP90", "judged90", "p90", 90);
        if (answer.path("medianErrorSeconds").isNumber()) {
            say("  median error "
                    + Humane.time(answer.path("medianErrorSeconds").asDouble())
                    + ", where the median wait was "
                    + Humane.time(answer.path("medianWaitSeconds").asDouble()));
        }
        return ExitCode.FINE;
    }

    private void share(JsonNode answer, String key, String judged, String name, int right) {
        if (answer.path(key).isNumber()) {
            say(String.format(
                    Locale.ROOT,
                    "  by %s       %.0f %% had started (%d %% would be right), of %s whose time has come",
                    name,
                    100 * answer.path(key).asDouble(),
                    right,
                    Humane.count(answer.path(judged).asLong())));
        }
    }
}
