package dev.fermata.history;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/** Small readers and writers that the codecs share. A missing field reads as empty or zero. */
final class JsonFields {
    static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private JsonFields() {}

    static <T> ArrayNode array(List<T> values, Function<T, JsonNode> write) {
        ArrayNode array = NODES.arrayNode(values.size());
        values.forEach(value -> array.add(write.apply(value)));
        return array;
    }

    static <T> List<T> list(JsonNode array, Function<JsonNode, T> read) {
        List<T> values = new ArrayList<>(array.size());
        array.forEach(element -> values.add(read.apply(element)));
        return values;
    }

    /** Sorted by key: the same values give the same bytes. */
    static ObjectNode numbers(Map<String, Double> values) {
        ObjectNode node = NODES.objectNode();
        new TreeMap<>(values).forEach(node::put);
        return node;
    }

    static Map<String, Double> numbers(JsonNode node) {
        Map<String, Double> values = new LinkedHashMap<>();
        node.properties()
                .forEach(field -> values.put(field.getKey(), field.getValue().asDouble()));
        return values;
    }

    /** Removes what reads the same when it is missing: zeros, false, null, and empty texts, lists and objects. */
    static ObjectNode withoutZeros(ObjectNode node) {
        node.properties().removeIf(field -> isZero(field.getValue()));
        return node;
    }

    private static boolean isZero(JsonNode value) {
        return switch (value.getNodeType()) {
            case NUMBER -> value.isIntegralNumber() && value.asLong() == 0;
            case BOOLEAN -> !value.asBoolean();
            case STRING -> value.asText().isEmpty();
            case NULL -> true;
            case ARRAY -> value.isEmpty();
            case OBJECT -> withoutZeros((ObjectNode) value).isEmpty();
            default -> false;
        };
    }
}
