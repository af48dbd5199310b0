package dev.fermata.app.save;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.fermata.app.exit.Complaint;
import dev.fermata.app.run.Refusals;
import dev.fermata.sim.experiment.RunResult;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * What a file of saved runs looks like: a line that says what it is, then a JSON object on each line. A last line without its
 * end was cut off while it was written, and does not count.
 */
final class RunFile {
    static final String HEADER = "{\"fermata\":\"runs\",\"format\":1}\n";

    private static final ObjectMapper JSON =
            new ObjectMapper().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

    /**
     * One finished run.
     *
     * @param setting what it was run on, in names and values, for people
     * @param jobs of the workload
     */
    record Line(String key, Map<String, String> setting, int jobs, Refusals refusals, RunResult result) {}

    /** A line of which only the key was looked at: it may come from another version. */
    record Unread(String key, JsonNode tree, String where) {
        Map<String, String> setting() {
            Map<String, String> values = new TreeMap<>();
            tree.path("setting")
                    .properties()
                    .forEach(e -> values.put(e.getKey(), e.getValue().asText()));
            return values;
        }

        Line read() {
            try {
                return JSON.treeToValue(tree, Line.class);
            } catch (IOException e) {
                throw Complaint.invalid(where + ": not a run that this version saved", e);
            }
        }
    }

    private RunFile() {}

    static byte[] text(Line line) {
        try {
            return (JSON.writeValueAsString(line) + "\n").getBytes(StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException(e); // records of numbers and texts can be written
        }
    }

    /** Hands over line by line; answers how many bytes are whole lines. */
    static long read(InputStream in, Path name, Consumer<Unread> lines) throws IOException {
        long whole = 0;
        int number = 0;
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int b = in.read(); b >= 0; b = in.read()) {
            line.write(b);
            if (b == '\n') {
                whole += line.size();
                number++;
                take(line.toString(StandardCharsets.UTF_8), number, name, lines);
                line.reset();
            }
        }
        if (number == 0 && !HEADER.startsWith(line.toString(StandardCharsets.UTF_8))) {
            throw notOurs(name);
        }
        return whole;
    }

    private static void take(String line, int number, Path name, Consumer<Unread> lines) {
        if (number == 1) {
            if (!line.equals(HEADER)) {
                throw notOurs(name);
            }
            return;
        }
        String where = name + ":" + number;
        try {
            JsonNode tree = JSON.readTree(line);
            lines.accept(new Unread(tree.required("key").asText(), tree, where));
        } catch (IOException | IllegalArgumentException e) {
            throw Complaint.invalid(where + ": not a saved run", e);
        }
    }

    private static Complaint notOurs(Path name) {
        return Complaint.invalid("'" + name + "' is not a file of saved runs; it is left as it is");
    }
}
