package dev.fermata.insight.saved;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.fermata.insight.exit.UserError;
import dev.fermata.insight.experiment.InfeasibleJobs;
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
 * The format of a file of saved runs: a header line, then a JSON object on each line. A last line without its end was
 * cut off while it was written, and does not count.
 */
final class SavedRunFile {
    static final String HEADER = "{\"fermata\":\"runs\",\"format\":2}\n";

    private static final ObjectMapper JSON =
            new ObjectMapper().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

    /**
     * One finished run.
     *
     * @param setting what it was run on, in names and values, for people
     * @param jobs of the workload
     */
    record SavedRun(String key, Map<String, String> setting, int jobs, InfeasibleJobs infeasible, RunResult result) {}

    /** A line with only its key read: it may come from another version. */
    record UnparsedRun(String key, JsonNode tree, String where) {
        Map<String, String> setting() {
            Map<String, String> values = new TreeMap<>();
            tree.path("setting")
                    .properties()
                    .forEach(e -> values.put(e.getKey(), e.getValue().asText()));
            return values;
        }

        SavedRun read() {
            try {
                return JSON.treeToValue(tree, SavedRun.class);
            } catch (IOException e) {
                throw UserError.invalid(where + ": not a run that this version saved", e);
            }
        }
    }

    private SavedRunFile() {}

    static byte[] text(SavedRun line) {
        try {
            return (JSON.writeValueAsString(line) + "\n").getBytes(StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException(e); // records of numbers and texts can be written
        }
    }

    /** Passes line by line to the consumer; returns how many bytes are whole lines. */
    static long read(InputStream in, Path name, Consumer<UnparsedRun> lines) throws IOException {
        long whole = 0;
        int number = 0;
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int b = in.read(); b >= 0; b = in.read()) {
            line.write(b);
            if (b == '\n') {
                whole += line.size();
                number++;
                parseLine(line.toString(StandardCharsets.UTF_8), number, name, lines);
                line.reset();
            }
        }
        if (number == 0 && !HEADER.startsWith(line.toString(StandardCharsets.UTF_8))) {
            throw unknownFormat(name);
        }
        return whole;
    }

    private static void parseLine(String line, int number, Path name, Consumer<UnparsedRun> lines) {
        if (number == 1) {
            if (!line.equals(HEADER)) {
                throw unknownFormat(name);
            }
            return;
        }
        String where = name + ":" + number;
        try {
            JsonNode tree = JSON.readTree(line);
            lines.accept(new UnparsedRun(tree.required("key").asText(), tree, where));
        } catch (IOException | IllegalArgumentException e) {
            throw UserError.invalid(where + ": not a saved run", e);
        }
    }

    private static UserError unknownFormat(Path name) {
        return UserError.invalid("'" + name + "' is not a file of saved runs; it is left as it is");
    }
}
