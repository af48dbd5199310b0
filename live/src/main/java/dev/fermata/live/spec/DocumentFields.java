package dev.fermata.live.spec;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.fermata.core.policy.Suggestion;
import dev.fermata.core.text.Quantity;
import dev.fermata.live.spec.SpecException.SpecProblem;
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
 * The fields of one mapping in a job document. Every accessor marks its key as known. A mistake is collected, not thrown, and
 * the default takes its place, so that a user sees all mistakes at once.
 */
final class DocumentFields {
    private static final int MAX_SHOWN = 60;
    private static final String NONE = "none";
    private static final Pattern NUMERAL = Pattern.compile("[-+]?[0-9]+(\\.[0-9]+)?");
    private static final Pattern AFTER_NAME = Pattern.compile("(?s)[^A-Za-z0-9_.-].*");

    /** The form of a single value. No form is converted into another: {@code name: 007} would become another name. */
    enum ValueForm {
        TEXT("text; put it into quotes"),
        WHOLE("a whole number"),
        NUMBER("a number"),
        TEXT_OR_NUMBER("text or a number"),
        FLAG("true or false"),
        /** Text, a number or a flag whose value is never shown. */
        HIDDEN("");

        private final String description;

        ValueForm(String words) {
            this.description = words;
        }

        boolean accepts(JsonNode node) {
            return switch (this) {
                case TEXT -> node.isTextual();
                case WHOLE, NUMBER -> node.isNumber();
                case TEXT_OR_NUMBER -> node.isTextual() || node.isNumber();
                case FLAG -> node.isBoolean();
                case HIDDEN -> true;
            };
        }

        /** The expected form, with a hint where only quotes are wrong. */
        String describeExpected(JsonNode node) {
            boolean quoted = node.isTextual()
                    && switch (this) {
                        case WHOLE, NUMBER -> NUMERAL.matcher(node.asText()).matches();
                        case FLAG ->
                            node.asText().equals("true") || node.asText().equals("false");
                        default -> false;
                    };
            return description + (quoted ? ", without quotes" : "");
        }
    }

    private final String path;
    private final JsonNode object;
    private final List<SpecProblem> problems;
    private final Set<String> known = new LinkedHashSet<>();

    private DocumentFields(String path, JsonNode object, List<SpecProblem> problems) {
        this.path = path;
        this.object = object;
        this.problems = problems;
    }

    static DocumentFields of(String path, JsonNode node, List<SpecProblem> problems) {
        if (node.isObject()) {
            return new DocumentFields(path, node, problems);
        }
        problems.add(new SpecProblem(
                path, (path.isEmpty() ? "the job" : path + display(node)) + " must be a mapping (key: value)"));
        return new DocumentFields(path, JsonNodeFactory.instance.objectNode(), problems);
    }

    /** The mapping below this key, empty for none. */
    DocumentFields child(String key) {
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

    /** Text as parsed by {@code parser}; its exceptions are collected. */
    <T> T text(String key, T defaultValue, Function<String, T> parser) {
        return scalar(key, defaultValue, ValueForm.TEXT, parser);
    }

    /** Text or a number as parsed by {@code parser}. */
    <T> T textOrNumber(String key, T defaultValue, Function<String, T> parser) {
        return scalar(key, defaultValue, ValueForm.TEXT_OR_NUMBER, parser);
    }

    int whole(String key, int defaultValue, int min, int max) {
        return scalar(key, defaultValue, ValueForm.WHOLE, text -> (int) Quantity.integer(path(key), text, min, max));
    }

    double number(String key, double defaultValue, double min, double max) {
        return scalar(key, defaultValue, ValueForm.NUMBER, text -> Quantity.number(path(key), text, min, max));
    }

    /** A time with its unit, or a number of seconds. */
    long millis(String key, long defaultValue) {
        return textOrNumber(key, defaultValue, text -> Quantity.millis(path(key), abbreviate(text)));
    }

    /** A time; 0 when it is absent or {@code none}. A literal 0 is rejected as ambiguous. */
    long millisOrNone(String key) {
        return textOrNumber(key, 0L, text -> {
            long millis = text.strip().equalsIgnoreCase(NONE) ? -1 : Quantity.millis(path(key), abbreviate(text));
            if (millis == 0) {
                throw Quantity.invalid(path(key), abbreviate(text), "must be longer than 0, or none");
            }
            return Math.max(0, millis);
        });
    }

    long mebibytes(String key, long defaultValue, long max) {
        return textOrNumber(key, defaultValue, text -> {
            long mebibytes = Quantity.mebibytes(path(key), abbreviate(text));
            if (mebibytes > max) {
                throw Quantity.invalid(path(key), abbreviate(text), "must be at most " + max + "MiB");
            }
            return mebibytes;
        });
    }

    boolean flag(String key, boolean defaultValue) {
        return scalar(key, defaultValue, ValueForm.FLAG, text -> text.equals("true"));
    }

    /** One of these words, in any case. */
    String oneOf(String key, String defaultValue, List<String> words) {
        return text(key, defaultValue, text -> {
            for (String word : words) {
                if (word.equalsIgnoreCase(text.strip())) {
                    return word;
                }
            }
            throw Quantity.invalid(path(key), abbreviate(text), "must be one of " + String.join(", ", words));
        });
    }

    private <T> T scalar(String key, T defaultValue, ValueForm form, Function<String, T> parser) {
        JsonNode node = find(key);
        return node == null ? defaultValue : scalar(path(key), node, defaultValue, form, parser);
    }

    /** Each value of a list, or a single value. */
    <T> List<T> list(String key, int max, ValueForm form, Function<String, T> parser) {
        JsonNode node = find(key);
        if (node == null) {
            return List.of();
        }
        Iterable<JsonNode> items = node.isArray() ? node : List.of(node);
        if (node.size() > max) {
            reject(key, "has " + node.size() + " entries; at most " + max + " are allowed");
            return List.of();
        }
        List<T> read = new ArrayList<>();
        for (JsonNode item : items) {
            String where = node.isArray() ? path(key) + "[" + read.size() + "]" : path(key);
            Optional<T> value = scalar(where, item, Optional.empty(), form, text -> Optional.of(parser.apply(text)));
            if (value.isEmpty()) {
                return List.of();
            }
            read.add(value.get());
        }
        return read;
    }

    /** Every entry of the mapping below this key. Values are never shown: each may be a secret. */
    void entries(String key, BiConsumer<String, String> entry) {
        JsonNode node = find(key);
        if (node == null) {
            return;
        }
        if (!node.isObject()) {
            problems.add(new SpecProblem(path(key), path(key) + " must be a mapping (NAME: value)"));
            return;
        }
        node.properties().forEach(e -> {
            String where = path(key) + "." + displayName(e.getKey());
            scalar(where, e.getValue(), true, ValueForm.HIDDEN, text -> {
                entry.accept(e.getKey(), text);
                return true;
            });
        });
    }

    /** The name of a variable for messages: a key of the form {@code NAME=value} is cut before its value. */
    static String displayName(String key) {
        String name = AFTER_NAME.matcher(key).replaceFirst("…");
        return name.length() <= MAX_SHOWN ? name : name.substring(0, MAX_SHOWN) + "…";
    }

    void reject(String key, String rule) {
        JsonNode node = find(key);
        problems.add(new SpecProblem(path(key), path(key) + (node == null ? "" : display(node)) + " " + rule));
    }

    /** Collects every key that no accessor has read. */
    void rejectUnknown() {
        object.fieldNames().forEachRemaining(key -> {
            if (!known.contains(key)) {
                problems.add(new SpecProblem(
                        path(key),
                        "unknown key '" + abbreviate(key) + "'" + (path.isEmpty() ? "" : " in " + path) + "."
                                + Suggestion.didYouMean(abbreviate(key), known)));
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

    private <T> T scalar(String where, JsonNode node, T defaultValue, ValueForm form, Function<String, T> parser) {
        String display = form == ValueForm.HIDDEN ? "" : display(node);
        if (!node.isValueNode() || node.isNull()) {
            problems.add(new SpecProblem(where, where + display + " must be a single value"));
            return defaultValue;
        }
        if (!form.accepts(node)) {
            problems.add(new SpecProblem(where, where + display + " must be " + form.describeExpected(node)));
            return defaultValue;
        }
        try {
            return parser.apply(node.asText());
        } catch (IllegalArgumentException e) {
            problems.add(new SpecProblem(where, String.valueOf(e.getMessage())));
            return defaultValue;
        }
    }

    private static String display(JsonNode node) {
        return node.isValueNode() && !node.isNull() ? " (" + abbreviate(node.asText()) + ")" : "";
    }

    /** A value for messages: without control characters, and not longer than a line. */
    static String abbreviate(String text) {
        String plain = PlainText.withoutControls(text);
        return plain.length() <= MAX_SHOWN ? plain : plain.substring(0, MAX_SHOWN) + "…";
    }
}
