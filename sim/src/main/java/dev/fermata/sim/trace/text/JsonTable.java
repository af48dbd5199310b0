package dev.fermata.sim.trace.text;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import dev.fermata.sim.trace.TraceCollector;
import dev.fermata.sim.trace.TraceException;
import dev.fermata.sim.trace.TraceFile;
import java.io.IOException;
import java.io.Reader;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** A JSON list of objects, one at a time. */
public final class JsonTable {
    /** Reads one object, whose beginning was just read, to its end; returns what to do with it. */
    @FunctionalInterface
    public interface ObjectReader {
        Runnable read(JsonParser json, TraceRow row) throws IOException;
    }

    /** Reads one of the objects inside another. */
    @FunctionalInterface
    public interface PartReader {
        void read() throws IOException;
    }

    private JsonTable() {}

    /** Every object of the list that the parser stands at; anything else in it, or instead of it, is passed over. */
    public static void eachObject(JsonParser json, PartReader reader) throws IOException {
        if (json.currentToken() != JsonToken.START_ARRAY) {
            json.skipChildren();
            return;
        }
        JsonToken next = json.nextToken();
        while (next != JsonToken.END_ARRAY) {
            if (next == JsonToken.START_OBJECT) {
                reader.read();
            } else {
                json.skipChildren();
            }
            next = json.nextToken();
        }
    }

    /** Objects of any shape. A problem with one of them is for the {@link Runnable} to find, after it was read. */
    public static void read(TraceFile file, TraceCollector collector, ObjectReader reader) throws IOException {
        TraceRow row = new TraceRow(file.path());
        try (Reader text = file.open();
                JsonParser json = new JsonFactory().createParser(text)) {
            if (json.nextToken() != JsonToken.START_ARRAY) {
                throw new TraceException(file.path(), 1, "must be a JSON list of jobs");
            }
            JsonToken next = json.nextToken();
            while (next != JsonToken.END_ARRAY) {
                row.begin(json.currentTokenLocation().getLineNr());
                if (next != JsonToken.START_OBJECT) {
                    throw row.error("the list must hold objects only");
                }
                Runnable job = reader.read(json, row);
                try {
                    job.run();
                } catch (TraceException e) {
                    collector.reject(e);
                }
                next = json.nextToken();
            }
        } catch (JsonProcessingException e) {
            long line = e.getLocation() == null ? 1 : e.getLocation().getLineNr();
            throw new TraceException(file.path(), line, "not readable as JSON: " + e.getOriginalMessage());
        }
    }

    /** Objects whose fields are texts and numbers, as rows with these columns; other fields are passed over. */
    public static void read(
            TraceFile file, List<String> names, TraceCollector collector, Function<TraceHeader, RowReader> columns)
            throws IOException {
        TraceHeader header = new TraceHeader(file.path(), 1, names);
        RowReader reader = columns.apply(header);
        Map<String, Integer> indexes = new HashMap<>();
        names.forEach(name -> indexes.put(name, indexes.size()));
        String[] values = new String[names.size()];
        read(file, collector, (json, row) -> {
            Arrays.fill(values, "");
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                Integer at = indexes.get(json.currentName());
                if (json.nextToken().isStructStart()) {
                    json.skipChildren();
                } else if (at != null && json.currentToken() != JsonToken.VALUE_NULL) {
                    values[at] = json.getText();
                }
            }
            return () -> {
                for (String value : values) {
                    row.add(value);
                }
                reader.read(row);
            };
        });
    }
}
