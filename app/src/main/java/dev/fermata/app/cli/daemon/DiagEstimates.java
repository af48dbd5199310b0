package dev.fermata.app.cli.daemon;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.app.cli.Surroundings;
import dev.fermata.app.cli.Version;
import dev.fermata.app.client.Door;
import dev.fermata.app.client.Query;
import dev.fermata.app.exit.ExitCode;
import dev.fermata.app.output.Humane;
import dev.fermata.app.output.Table;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code fermata diag estimates}: how good the estimates of remaining time were. */
@Command(
        name = "estimates",
        description = "Say how estimates of remaining time compare with what jobs really took, by what they rested on.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        footer = {
            "",
            "Truth should be at most p90 nine times of ten, and between p10 and p90 eight times of ten.",
            "",
            "Examples:",
            "  fermata diag estimates",
            "  fermata diag estimates --limit 100 -o json"
        })
final class DiagEstimates extends Verb {
    @Option(names = "--limit", paramLabel = "N", description = "Only the latest so many. Default: ${DEFAULT-VALUE}.")
    private int limit = 2000;

    DiagEstimates(Surroundings surroundings) {
        super(surroundings);
    }

    @Override
    int run(Door door) {
        JsonNode found = door.get(
                Query.to("diag/estimates").and("limit", Integer.toString(limit)).toString());
        if (!forPeople()) {
            return write(found);
        }
        if (found.path("sources").isEmpty()) {
            say("No job has ended yet of which anything was expected.");
            return ExitCode.FINE;
        }
        Table sources = new Table()
                .words("source")
                .numbers("estimates", Table.ALWAYS)
                .numbers("median error", Table.ALWAYS)
                .numbers("bias", Table.ALWAYS)
                .numbers("within p90", Table.ALWAYS)
                .numbers("within p10..p90", Table.ALWAYS);
        for (JsonNode source : found.path("sources")) {
            sources.row(
                    word(source),
                    Humane.count(source.path("count").asLong()),
                    Humane.percent(source.path("medianError").asDouble()),
                    Humane.change(source.path("bias").asDouble()),
                    Humane.percent(source.path("withinP90").asDouble()),
                    Humane.percent(source.path("withinBand").asDouble()));
        }
        show(sources);
        out().println();
        say("Furthest off, in work on the reference GPU:");
        Table worst = new Table()
                .numbers("job", Table.ALWAYS)
                .words("asked at")
                .words("source")
                .numbers("p50", Table.ALWAYS)
                .numbers("p90", Table.ALWAYS)
                .numbers("truth", Table.ALWAYS);
        for (JsonNode one : found.path("worst")) {
            worst.row(
                    JobView.text(one, "job"),
                    JobView.text(one, "moment"),
                    word(one),
                    Humane.time(one.path("p50Seconds").asDouble()),
                    Humane.time(one.path("p90Seconds").asDouble()),
                    Humane.time(one.path("truthSeconds").asDouble()));
        }
        show(worst);
        return ExitCode.FINE;
    }

    private static String word(JsonNode of) {
        return JobView.text(of, "source").toLowerCase(Locale.ROOT);
    }
}
