package dev.fermata.live.spec;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.fermata.core.policy.Suggest;
import dev.fermata.core.text.Quantity;
import dev.fermata.live.spec.SpecException.Problem;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The fields of one mapping in a job document. Every question names a key and thereby makes it known; what is wrong is noted, not
 * thrown, and the default goes on in its place, so that a user hears of all mistakes at once.
 */
final class Fields {
    private static final int SHOWN = 60;

    private final String path;
    private final JsonNode object;
    private final List<Problem> problems;
    private final Set<String> known = new LinkedHashSet<>();

    private Fields(String path, JsonNode object, List<Problem> problems) {
        this.path = path;
        this.object = object;
        this.problems = problems;
    }

    static Fields of(String path, JsonNode node, List<Problem> problems) {
        if (node.isObject()) {
            return new Fields(path, node, problems);
        }
        problems.add(new Problem(
                path, (path.isEmpty() ? "the job" : path + shown(node)) + " must be a mapping (key: value)"));
        return new Fields(path, JsonNodeFactory.instance.objectNode(), problems);
    }

    /** The mapping below this key, empty when there is none. */
    Fields below(String key) {
        JsonNode node = find(key);
        return of(path(key), node == null ? JsonNodeFactory.instance.objectNode() : node, problems);
    }

    boolean has(String key) {
        return find(key) != null;
    }

    boolean isText(String key, String text) {
        JsonNode node = find(key);
        return node != null && node.isTextual() && node.textValue().strip().equalsIgnoreCase(text);
    }

    boolean isMapping(String key) {
        JsonNode node = find(key);
        return node != null && node.isObject();
    }

    String text(String key, String absent) {
        return scalar(key, absent, text -> text);
    }

    int whole(String key, int absent, int min, int max) {
        return scalar(key, absent, text -> (int) Quantity.whole(path(key), text, min, max));
    }

    double number(String key, double absent, double min, double max) {
        return scalar(key, absent, text -> Quantity.number(path(key), text, min, max));
    }

    long millis(String key, long absent) {
        return scalar(key, absent, text -> Quantity.millis(path(key), text));
    }

    long mebibytes(String key, long absent, long max) {
        return scalar(key, absent, text -> {
            long mebibytes = Quantity.mebibytes(path(key), text);
            if (mebibytes > max) {
                throw Quantity.wrong(path(key), text, "must be at most " + max + "MiB");
            }
            return mebibytes;
        });
    }

    boolean flag(String key, boolean absent) {
        return scalar(key, absent, text -> {
            if (!text.equals("true") && !text.equals("false")) {
                throw Quantity.wrong(path(key), text, "must be true or false");
            }
            return text.equals("true");
        });
    }

    /** One of these words, in any case. */
    String word(String key, String absent, List<String> words) {
        return scalar(key, absent, text -> {
            for (String word : words) {
                if (word.equalsIgnoreCase(text.strip())) {
                    return word;
                }
            }
            throw Quantity.wrong(path(key), cut(text), "must be one of " + String.join(", ", words));
        });
    }

    /** What {@code reading} makes of a single value; what it throws is noted. */
    <T> T scalar(String key, T absent, Function<String, T> reading) {
        JsonNode node = find(key);
        return node == null ? absent : scalar(path(key), node, absent, reading);
    }

    /** Each single value of a list, or the one value that stands alone. */
    <T> List<T> list(String key, int most, Function<String, T> reading) {
        JsonNode node = find(key);
        if (node == null) {
            return List.of();
        }
        Iterable<JsonNode> items = node.isArray() ? node : List.of(node);
        if (node.size() > most) {
            wrong(key, "has " + node.size() + " entries; at most " + most + " are allowed");
            return List.of();
        }
        List<T> read = new ArrayList<>();
        for (JsonNode item : items) {
            String where = node.isArray() ? path(key) + "[" + read.size() + "]" : path(key);
            Optional<T> value = scalar(where, item, Optional.empty(), text -> Optional.of(reading.apply(text)));
            if (value.isEmpty()) {
                return List.of();
            }
            read.add(value.get());
        }
        return read;
    }

    /** Every entry of the mapping below this key, whatever it is called. */
    void entries(String key, BiConsumer<String, String> entry) {
        JsonNode node = find(key);
        if (node == null) {
            return;
        }
        if (!node.isObject()) {
            wrong(key, "must be a mapping (NAME: value)");
            return;
        }
        node.properties()
                .forEach(e -> scalar(path(key) + "." + cut(e.getKey()), e.getValue(), true, text -> {
                    entry.accept(e.getKey(), text);
                    return true;
                }));
    }

    void wrong(String key, String rule) {
        JsonNode node = find(key);
        problems.add(new Problem(path(key), path(key) + (node == null ? "" : shown(node)) + " " + rule));
    }

    /** Notes every key that nobody asked about. */
    void refuseOthers() {
        object.fieldNames().forEachRemaining(key -> {
            if (!known.contains(key)) {
                problems.add(new Problem(
                        path(key),
                        "unknown key '" + cut(key) + "'" + (path.isEmpty() ? "" : " in " + path) + "."
                                + Suggest.among(cut(key), known)));
            }
        });
    }

    String path(String key) {
        return path.isEmpty() ? key : path + "." + key;
    }

    private @Nullable JsonNode find(String key) {
        known.add(key);
        JsonNode node = object.get(key);
        return node == null || node.isNull() ? null : node;
    }

    private <T> T scalar(String where, JsonNode node, T absent, Function<String, T> reading) {
        if (!node.isValueNode() || node.isNull()) {
            problems.add(new Problem(where, where + shown(node) + " must be a single value"));
            return absent;
        }
        try {
            return reading.apply(node.asText());
        } catch (IllegalArgumentException e) {
            problems.add(new Problem(where, String.valueOf(e.getMessage())));
            return absent;
        }
    }

    private static String shown(JsonNode node) {
        return node.isValueNode() && !node.isNull() ? " (" + cut(node.asText()) + ")" : "";
    }

    /** A value as messages show it: without what could spoil a terminal, and not longer than a line. */
    static String cut(String text) {
        String plain = text.replaceAll("\\p{Cntrl}", "?");
        return plain.length() <= SHOWN ? plain : plain.substring(0, SHOWN) + "…";
    }
}
