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
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The fields of one mapping in a job document. Every question names a key and thereby makes it known; what is wrong is noted, not
 * thrown, and the default goes on in its place, so that a user hears of all mistakes at once.
 */
final class Fields {
    private static final int SHOWN = 60;
    private static final String NONE = "none";
    private static final Pattern NUMERAL = Pattern.compile("[-+]?[0-9]+(\\.[0-9]+)?");
    private static final Pattern NO_NAME = Pattern.compile("(?s)[^A-Za-z0-9_.-].*");

    /** What a single value may be. Nothing is taken for something else: {@code name: 007} would become another name. */
    enum Form {
        TEXT("text; put it into quotes"),
        WHOLE("a whole number"),
        NUMBER("a number"),
        TEXT_OR_NUMBER("text or a number"),
        FLAG("true or false"),
        /** Text, a number or a flag, of which nothing is shown. */
        HIDDEN("");

        private final String words;

        Form(String words) {
            this.words = words;
        }

        boolean fits(JsonNode node) {
            return switch (this) {
                case TEXT -> node.isTextual();
                case WHOLE, NUMBER -> node.isNumber();
                case TEXT_OR_NUMBER -> node.isTextual() || node.isNumber();
                case FLAG -> node.isBoolean();
                case HIDDEN -> true;
            };
        }

        /** What the value must be; and that it is written as text, where that is all that is wrong with it. */
        String wanted(JsonNode node) {
            boolean quoted = node.isTextual()
                    && switch (this) {
                        case WHOLE, NUMBER -> NUMERAL.matcher(node.asText()).matches();
                        case FLAG ->
                            node.asText().equals("true") || node.asText().equals("false");
                        default -> false;
                    };
            return words + (quoted ? ", without quotes" : "");
        }
    }

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

    boolean isNumber(String key) {
        JsonNode node = find(key);
        return node != null && node.isNumber();
    }

    boolean isMapping(String key) {
        JsonNode node = find(key);
        return node != null && node.isObject();
    }

    /** Text, and what {@code reading} makes of it; what it throws is noted. */
    <T> T text(String key, T absent, Function<String, T> reading) {
        return scalar(key, absent, Form.TEXT, reading);
    }

    /** Text or a number, and what {@code reading} makes of it. */
    <T> T plain(String key, T absent, Function<String, T> reading) {
        return scalar(key, absent, Form.TEXT_OR_NUMBER, reading);
    }

    int whole(String key, int absent, int min, int max) {
        return scalar(key, absent, Form.WHOLE, text -> (int) Quantity.whole(path(key), text, min, max));
    }

    double number(String key, double absent, double min, double max) {
        return scalar(key, absent, Form.NUMBER, text -> Quantity.number(path(key), text, min, max));
    }

    /** A time with its unit, or a number of seconds. */
    long millis(String key, long absent) {
        return plain(key, absent, text -> Quantity.millis(path(key), cut(text)));
    }

    /** A time that is none when it is not given, or given as {@code none}; 0 would say neither. */
    long millisOrNone(String key) {
        return plain(key, 0L, text -> {
            long millis = text.strip().equalsIgnoreCase(NONE) ? -1 : Quantity.millis(path(key), cut(text));
            if (millis == 0) {
                throw Quantity.wrong(path(key), cut(text), "must be longer than 0, or none");
            }
            return Math.max(0, millis);
        });
    }

    long mebibytes(String key, long absent, long max) {
        return plain(key, absent, text -> {
            long mebibytes = Quantity.mebibytes(path(key), cut(text));
            if (mebibytes > max) {
                throw Quantity.wrong(path(key), cut(text), "must be at most " + max + "MiB");
            }
            return mebibytes;
        });
    }

    boolean flag(String key, boolean absent) {
        return scalar(key, absent, Form.FLAG, text -> text.equals("true"));
    }

    /** One of these words, in any case. */
    String word(String key, String absent, List<String> words) {
        return text(key, absent, text -> {
            for (String word : words) {
                if (word.equalsIgnoreCase(text.strip())) {
                    return word;
                }
            }
            throw Quantity.wrong(path(key), cut(text), "must be one of " + String.join(", ", words));
        });
    }

    private <T> T scalar(String key, T absent, Form form, Function<String, T> reading) {
        JsonNode node = find(key);
        return node == null ? absent : scalar(path(key), node, absent, form, reading);
    }

    /** Each single value of a list, or the one value that stands alone. */
    <T> List<T> list(String key, int most, Form form, Function<String, T> reading) {
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
            Optional<T> value = scalar(where, item, Optional.empty(), form, text -> Optional.of(reading.apply(text)));
            if (value.isEmpty()) {
                return List.of();
            }
            read.add(value.get());
        }
        return read;
    }

    /** Every entry of the mapping below this key, whatever it is called. No value is ever shown: each may be a secret. */
    void entries(String key, BiConsumer<String, String> entry) {
        JsonNode node = find(key);
        if (node == null) {
            return;
        }
        if (!node.isObject()) {
            problems.add(new Problem(path(key), path(key) + " must be a mapping (NAME: value)"));
            return;
        }
        node.properties().forEach(e -> {
            String where = path(key) + "." + name(e.getKey());
            scalar(where, e.getValue(), true, Form.HIDDEN, text -> {
                entry.accept(e.getKey(), text);
                return true;
            });
        });
    }

    /** The name of a variable as messages show it: whoever writes {@code NAME=value} there has not meant to show the value. */
    static String name(String key) {
        String name = NO_NAME.matcher(key).replaceFirst("…");
        return name.length() <= SHOWN ? name : name.substring(0, SHOWN) + "…";
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

    private <T> T scalar(String where, JsonNode node, T absent, Form form, Function<String, T> reading) {
        String shown = form == Form.HIDDEN ? "" : shown(node);
        if (!node.isValueNode() || node.isNull()) {
            problems.add(new Problem(where, where + shown + " must be a single value"));
            return absent;
        }
        if (!form.fits(node)) {
            problems.add(new Problem(where, where + shown + " must be " + form.wanted(node)));
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
