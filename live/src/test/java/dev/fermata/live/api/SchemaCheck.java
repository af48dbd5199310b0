package dev.fermata.live.api;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** The part of JSON Schema that the project's schemas use. {@code root} is where references are resolved. */
public record SchemaCheck(JsonNode root) {
    public List<String> problems(JsonNode schema, JsonNode value) {
        List<String> problems = new ArrayList<>();
        check("", schema, value, problems);
        return problems;
    }

    private void check(String path, JsonNode schema, JsonNode value, List<String> problems) {
        if (schema.has("$ref")) {
            check(path, root.at(schema.get("$ref").asText().substring(1)), value, problems);
        }
        if (schema.has("anyOf")) {
            boolean fits = false;
            for (JsonNode one : schema.get("anyOf")) {
                List<String> here = new ArrayList<>();
                check(path, one, value, here);
                fits |= here.isEmpty();
            }
            if (!fits) {
                problems.add(path + " is none of what is allowed");
            }
        }
        if (schema.has("type") && !typed(schema.get("type"), value)) {
            problems.add(path + " is no " + schema.get("type") + ": " + value);
            return;
        }
        if (schema.has("enum") && !contains(schema.get("enum"), value)) {
            problems.add(path + " is none of " + schema.get("enum"));
        }
        numbers(path, schema, value, problems);
        texts(path, schema, value, problems);
        if (value.isArray()) {
            if (schema.has("maxItems") && value.size() > schema.get("maxItems").asInt()) {
                problems.add(path + " is too long");
            }
            for (int i = 0; schema.has("items") && i < value.size(); i++) {
                check(path + "[" + i + "]", schema.get("items"), value.get(i), problems);
            }
        }
        if (value.isObject()) {
            object(path, schema, value, problems);
        }
    }

    private void object(String path, JsonNode schema, JsonNode value, List<String> problems) {
        schema.path("required").forEach(key -> {
            if (!value.has(key.asText())) {
                problems.add(path + "." + key.asText() + " is missing");
            }
        });
        value.properties().forEach(entry -> {
            JsonNode known = schema.path("properties").get(entry.getKey());
            String below = path + "." + entry.getKey();
            if (known != null) {
                check(below, known, entry.getValue(), problems);
            } else if (schema.path("additionalProperties").isObject()) {
                check(below, schema.get("additionalProperties"), entry.getValue(), problems);
            } else if (schema.has("properties")
                    && !schema.path("additionalProperties").asBoolean(false)) {
                problems.add(below + " is unknown");
            }
            JsonNode names = schema.path("propertyNames").path("pattern");
            if (names.isTextual()
                    && !Pattern.compile(names.asText()).matcher(entry.getKey()).find()) {
                problems.add(below + " is no allowed name");
            }
        });
    }

    private static void numbers(String path, JsonNode schema, JsonNode value, List<String> problems) {
        if (value.isNumber()
                && (value.asDouble() < schema.path("minimum").asDouble(Double.NEGATIVE_INFINITY)
                        || value.asDouble() > schema.path("maximum").asDouble(Double.POSITIVE_INFINITY))) {
            problems.add(path + " is out of range");
        }
    }

    private static void texts(String path, JsonNode schema, JsonNode value, List<String> problems) {
        if (!value.isTextual()) {
            return;
        }
        String text = value.asText();
        if (text.length() < schema.path("minLength").asInt(0)
                || text.length() > schema.path("maxLength").asInt(Integer.MAX_VALUE)) {
            problems.add(path + " has the wrong length");
        }
        if (schema.has("pattern")
                && !Pattern.compile(schema.get("pattern").asText())
                        .matcher(text)
                        .find()) {
            problems.add(path + " (" + text + ") does not match");
        }
    }

    private static boolean contains(JsonNode list, JsonNode value) {
        for (JsonNode one : list) {
            if (one.equals(value)) {
                return true;
            }
        }
        return false;
    }

    private static boolean typed(JsonNode type, JsonNode value) {
        if (type.isArray()) {
            for (JsonNode one : type) {
                if (typed(one, value)) {
                    return true;
                }
            }
            return false;
        }
        return switch (type.asText()) {
            case "object" -> value.isObject();
            case "array" -> value.isArray();
            case "string" -> value.isTextual();
            case "boolean" -> value.isBoolean();
            case "integer" -> value.isIntegralNumber();
            case "number" -> value.isNumber();
            default -> false;
        };
    }
}
