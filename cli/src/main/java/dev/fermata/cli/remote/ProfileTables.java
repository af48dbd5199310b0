package dev.fermata.cli.remote;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fermata.cli.client.DaemonClient;
import dev.fermata.insight.exit.UserError;
import dev.fermata.insight.format.HumanFormat;
import dev.fermata.report.text.TextTable;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Job profiles of the daemon, found by a word and shown in tables. */
final class ProfileTables {
    private static final int SHORTEST_ID = 4;

    private ProfileTables() {}

    /** The one that a word means: the beginning of its id, its command or model, or something in these that no other has. */
    static JsonNode find(DaemonClient api, String word) {
        List<JsonNode> all = api.listAll("profiles");
        List<JsonNode> found = Stream.<Predicate<JsonNode>>of(
                        profile -> word.length() >= SHORTEST_ID
                                && JobText.text(profile, "id").startsWith(word),
                        profile -> JobText.text(profile, "command").equals(word)
                                || JobText.text(profile, "model").equals(word),
                        profile -> JobText.text(profile, "command").contains(word)
                                || JobText.text(profile, "model").contains(word))
                .map(meant -> all.stream().filter(meant).toList())
                .filter(fits -> !fits.isEmpty())
                .findFirst()
                .orElse(List.of());
        if (found.isEmpty()) {
            throw UserError.invalid("there is no profile '" + word + "'. See them: fermata profile ls");
        }
        if (found.size() > 1) {
            throw UserError.invalid("'" + word + "' fits " + found.size()
                    + " profiles; name one by its id. See them: fermata profile ls");
        }
        return found.get(0);
    }

    /** A figure as it is exported: measured memory with the margin of the memory reservation. */
    static long exportValue(JsonNode profile, JsonNode figure) {
        boolean measured = JobText.text(figure, "source").equals("measured");
        return measured && JobText.text(figure, "metric").equals("peakMemoryMib")
                ? profile.path("memoryReservationMib").asLong()
                : figure.path("value").asLong();
    }

    /** One figure of a profile; 0 when it is not known. */
    static long value(JsonNode profile, String figure) {
        for (JsonNode known : profile.path("metrics")) {
            if (JobText.text(known, "metric").equals(figure)) {
                return known.path("value").asLong();
            }
        }
        return 0;
    }

    static TextTable table(List<JsonNode> profiles) {
        TextTable table = new TextTable()
                .textColumn("id")
                .textColumn("command")
                .textColumn("model", 3)
                .textColumn("GPU")
                .numberColumn("GPUs", 2)
                .numberColumn("iteration", TextTable.ALWAYS)
                .numberColumn("busy", TextTable.ALWAYS)
                .numberColumn("peak MiB", TextTable.ALWAYS)
                .numberColumn("reserved MiB", TextTable.ALWAYS);
        for (JsonNode profile : profiles) {
            long micros = value(profile, "iterationMicros");
            long busy = value(profile, "busyPermille");
            table.row(
                    JobText.text(profile, "id"),
                    JobText.text(profile, "command"),
                    JobText.text(profile, "model"),
                    JobText.text(profile, "gpuType"),
                    JobText.text(profile, "gpus"),
                    micros > 0 ? HumanFormat.number(micros / 1000.0) + " ms" : "–",
                    busy > 0 ? (busy + 5) / 10 + " %" : "–",
                    orDash(value(profile, "peakMemoryMib")),
                    orDash(profile.path("memoryReservationMib").asLong()));
        }
        return table;
    }

    /** Everything that is known of one profile, a row each. */
    static TextTable figures(JsonNode profile) {
        TextTable table = new TextTable()
                .textColumn("metric")
                .numberColumn("value", TextTable.ALWAYS)
                .textColumn("from")
                .numberColumn("measured", TextTable.ALWAYS)
                .numberColumn("p50", 3)
                .numberColumn("p90", 3)
                .numberColumn("max", 3);
        for (JsonNode figure : profile.path("metrics")) {
            boolean measured = figure.path("measurements").asInt() > 0;
            table.row(
                    JobText.text(figure, "metric"),
                    JobText.text(figure, "value"),
                    JobText.text(figure, "source"),
                    JobText.text(figure, "measurements"),
                    measured ? JobText.text(figure, "p50") : "–",
                    measured ? JobText.text(figure, "p90") : "–",
                    measured ? JobText.text(figure, "max") : "–");
        }
        return table;
    }

    /** The speed of a profile when co-located with others, a row each. */
    static TextTable coRuns(JsonNode profile) {
        TextTable table = new TextTable()
                .textColumn("with")
                .numberColumn("speed", TextTable.ALWAYS)
                .numberColumn("measured", TextTable.ALWAYS);
        for (JsonNode pair : profile.path("coRuns")) {
            table.row(
                    JobText.text(pair, "neighbour"),
                    HumanFormat.percent(pair.path("speed").asDouble()) + " of alone",
                    JobText.text(pair, "measurements"));
        }
        return table;
    }

    private static String orDash(long value) {
        return value > 0 ? Long.toString(value) : "–";
    }

    /** The profile key as it is sent to the daemon, with no values yet. */
    static ObjectNode requestEntry(JsonNode profile) {
        ObjectNode entry = JsonNodeFactory.instance.objectNode();
        for (String name : List.of("command", "model", "gpuType", "gpus")) {
            entry.set(name, profile.path(name));
        }
        entry.putObject("values");
        return entry;
    }
}
