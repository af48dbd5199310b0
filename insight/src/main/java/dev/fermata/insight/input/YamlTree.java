package dev.fermata.insight.input;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import dev.fermata.core.policy.Suggestion;
import dev.fermata.core.text.Quantity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A YAML (or JSON) file with the position of every node, so that an error names file, line and path. Reading a part
 * checks it: unknown keys, missing values and wrong types are rejected.
 */
public final class YamlTree {
    private final Path file;
    private final int line;
    private final String path;
    private final @Nullable Map<String, YamlTree> entries;
    private final @Nullable List<YamlTree> items;
    private final @Nullable String scalar;
    private final boolean isText;

    private YamlTree(
            Path file,
            int line,
            String path,
            @Nullable Map<String, YamlTree> entries,
            @Nullable List<YamlTree> items,
            @Nullable String scalar,
            boolean isText) {
        this.file = file;
        this.line = line;
        this.path = path;
        this.entries = entries;
        this.items = items;
        this.scalar = scalar;
        this.isText = isText;
    }

    public static YamlTree read(Path file) {
        try {
            return parse(file, Files.readString(file));
        } catch (NoSuchFileException e) {
            throw new IllegalArgumentException("file '" + file + "' does not exist", e);
        } catch (IOException e) {
            throw new IllegalArgumentException("file '" + file + "' cannot be read: " + e.getMessage(), e);
        }
    }

    /** @param file its name in messages */
    public static YamlTree parse(Path file, String text) throws IOException {
        try (JsonParser parser = new YAMLFactory().createParser(text)) {
            if (parser.nextToken() == null) {
                throw new IllegalArgumentException(file + ": the file is empty");
            }
            return read(file, parser, "");
        } catch (JacksonException e) {
            int line = e.getLocation() == null ? 1 : e.getLocation().getLineNr();
            throw new IllegalArgumentException(file + ":" + line + ": not readable as YAML: " + problemOf(e), e);
        }
    }

    /** The parser's first line, without the names of its classes. */
    private static String problemOf(JacksonException e) {
        String first = e.getOriginalMessage().lines().findFirst().orElse("");
        int event = first.indexOf(", got this instead: <");
        return event < 0 ? first : first.substring(0, event);
    }

    private static YamlTree read(Path file, JsonParser parser, String path) throws IOException {
        int line = parser.currentTokenLocation().getLineNr();
        if (parser.currentToken() == JsonToken.START_OBJECT) {
            Map<String, YamlTree> entries = new LinkedHashMap<>();
            while (parser.nextToken() != JsonToken.END_OBJECT) {
                String key = parser.currentName();
                int keyLine = parser.currentTokenLocation().getLineNr();
                parser.nextToken();
                String below = path.isEmpty() ? key : path + "." + key;
                if (entries.put(key, read(file, parser, below)) != null) {
                    throw new IllegalArgumentException(file + ":" + keyLine + ": key '" + key + "' is given twice");
                }
            }
            return new YamlTree(file, line, path, entries, null, null, false);
        }
        if (parser.currentToken() == JsonToken.START_ARRAY) {
            List<YamlTree> items = new ArrayList<>();
            while (parser.nextToken() != JsonToken.END_ARRAY) {
                items.add(read(file, parser, path + "[" + items.size() + "]"));
            }
            return new YamlTree(file, line, path, null, items, null, false);
        }
        boolean absent = parser.currentToken() == JsonToken.VALUE_NULL;
        boolean text = parser.currentToken() == JsonToken.VALUE_STRING;
        return new YamlTree(file, line, path, null, null, absent ? "" : parser.getText(), text);
    }

    /** The entries, whatever their keys. */
    public Map<String, YamlTree> entries() {
        if (entries == null) {
            throw error("must be a mapping (key: value)");
        }
        return entries;
    }

    /** Refuses keys that are not among these. */
    public YamlTree requireKnownKeys(Collection<String> known) {
        entries().forEach((key, value) -> {
            if (!known.contains(key)) {
                throw new IllegalArgumentException(file + ":" + value.line + ": unknown key '" + key + "'"
                        + (path.isEmpty() ? "" : " in " + path) + "." + Suggestion.didYouMean(key, known));
            }
        });
        return this;
    }

    public Optional<YamlTree> find(String key) {
        return Optional.ofNullable(entries().get(key));
    }

    YamlTree required(String key) {
        return find(key)
                .orElseThrow(() -> new IllegalArgumentException(
                        file + ":" + line + ": key '" + key + "' is missing" + (path.isEmpty() ? "" : " in " + path)));
    }

    public List<YamlTree> items() {
        if (items == null) {
            throw error("must be a list");
        }
        return items;
    }

    public boolean isMapping() {
        return entries != null;
    }

    /** Whether a single value is a text; otherwise it is a number, true, false or nothing. */
    public boolean isText() {
        return isText;
    }

    public boolean isList() {
        return items != null;
    }

    public String text() {
        if (scalar == null || scalar.isBlank()) {
            throw error("must be a single value");
        }
        return scalar;
    }

    /** A single value as it is written; it may be empty. */
    public String rawText() {
        return scalar == null ? "" : scalar;
    }

    public int line() {
        return line;
    }

    int integer(int min, int max) {
        return (int) Quantity.integer(name(), text(), min, max);
    }

    double number(double min, double max) {
        return Quantity.number(name(), text(), min, max);
    }

    long mebibytes() {
        return Quantity.mebibytes(name(), text());
    }

    /** File, line and path, as messages begin. */
    String name() {
        return file + ":" + line + ": " + (path.isEmpty() ? "the file" : path);
    }

    IllegalArgumentException error(String rule) {
        return new IllegalArgumentException(name() + (scalar == null ? " " : " (" + scalar + ") ") + rule);
    }
}
