package dev.fermata.app.cli.daemon;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fermata.app.client.Door;
import dev.fermata.app.exit.Complaint;
import dev.fermata.app.output.Humane;
import dev.fermata.app.output.Table;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Kinds of jobs as the daemon tells of them, found by a word and put into tables. */
final class KnownKinds {
    private static final int SHORTEST_ID = 4;

    private KnownKinds() {}

    /** The one that a word means: the beginning of its id, its command or model, or something in these that no other has. */
    static JsonNode find(Door door, String word) {
        List<JsonNode> all = door.all("profiles");
        List<JsonNode> found = Stream.<Predicate<JsonNode>>of(
                        kind -> word.length() >= SHORTEST_ID
                                && JobView.text(kind, "id").startsWith(word),
                        kind -> JobView.text(kind, "command").equals(word)
                                || JobView.text(kind, "model").equals(word),
                        kind -> JobView.text(kind, "command").contains(word)
                                || JobView.text(kind, "model").contains(word))
                .map(meant -> all.stream().filter(meant).toList())
                .filter(fits -> !fits.isEmpty())
                .findFirst()
                .orElse(List.of());
        if (found.isEmpty()) {
            throw Complaint.invalid("there is no profile '" + word + "'. See them: fermata profile ls");
        }
        if (found.size() > 1) {
            throw Complaint.invalid("'" + word + "' fits " + found.size()
                    + " profiles; name one by its id. See them: fermata profile ls");
        }
        return found.get(0);
    }

    /** A figure as somebody else is told: what was measured of memory with the margin that it is promised with. */
    static long worth(JsonNode kind, JsonNode figure) {
        boolean measured = JobView.text(figure, "source").equals("measured");
        return measured && JobView.text(figure, "figure").equals("peakMemoryMib")
                ? kind.path("promiseMib").asLong()
                : figure.path("value").asLong();
    }

    /** One figure of a kind; 0 when it is not known. */
    static long value(JsonNode kind, String figure) {
        for (JsonNode known : kind.path("figures")) {
            if (JobView.text(known, "figure").equals(figure)) {
                return known.path("value").asLong();
            }
        }
        return 0;
    }

    static Table table(List<JsonNode> kinds) {
        Table table = new Table()
                .words("id")
                .words("command")
                .words("model", 3)
                .words("GPU")
                .numbers("GPUs", 2)
                .numbers("iteration", Table.ALWAYS)
                .numbers("busy", Table.ALWAYS)
                .numbers("peak MiB", Table.ALWAYS)
                .numbers("promise MiB", Table.ALWAYS);
        for (JsonNode kind : kinds) {
            long micros = value(kind, "iterationMicros");
            long busy = value(kind, "busyPermille");
            table.row(
                    JobView.text(kind, "id"),
                    JobView.text(kind, "command"),
                    JobView.text(kind, "model"),
                    JobView.text(kind, "gpuType"),
                    JobView.text(kind, "gpus"),
                    micros > 0 ? Humane.number(micros / 1000.0) + " ms" : "–",
                    busy > 0 ? (busy + 5) / 10 + " %" : "–",
                    known(value(kind, "peakMemoryMib")),
                    known(kind.path("promiseMib").asLong()));
        }
        return table;
    }

    /** Everything that is known of one kind, a line each. */
    static Table figures(JsonNode kind) {
        Table table = new Table()
                .words("figure")
                .numbers("value", Table.ALWAYS)
                .words("from")
                .numbers("measured", Table.ALWAYS)
                .numbers("p50", 3)
                .numbers("p90", 3)
                .numbers("most", 3);
        for (JsonNode figure : kind.path("figures")) {
            boolean measured = figure.path("measurements").asInt() > 0;
            table.row(
                    JobView.text(figure, "figure"),
                    JobView.text(figure, "value"),
                    JobView.text(figure, "source"),
                    JobView.text(figure, "measurements"),
                    measured ? JobView.text(figure, "p50") : "–",
                    measured ? JobView.text(figure, "p90") : "–",
                    measured ? JobView.text(figure, "most") : "–");
        }
        return table;
    }

    /** How fast a kind was beside others, a line each. */
    static Table neighbours(JsonNode kind) {
        Table table = new Table().words("beside").numbers("speed", Table.ALWAYS).numbers("measured", Table.ALWAYS);
        for (JsonNode pair : kind.path("beside")) {
            table.row(
                    JobView.text(pair, "neighbour"),
                    Humane.percent(pair.path("speed").asDouble()) + " of alone",
                    JobView.text(pair, "measurements"));
        }
        return table;
    }

    private static String known(long value) {
        return value > 0 ? Long.toString(value) : "–";
    }

    /** The kind as it is said to the daemon, with no values yet. */
    static ObjectNode entry(JsonNode kind) {
        ObjectNode entry = JsonNodeFactory.instance.objectNode();
        for (String name : List.of("command", "model", "gpuType", "gpus")) {
            entry.set(name, kind.path(name));
        }
        entry.putObject("values");
        return entry;
    }
}
