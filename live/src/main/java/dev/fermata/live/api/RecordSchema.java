package dev.fermata.live.api;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** JSON Schemas of records, by looking at them: what is not {@code @Nullable} is required. Records met on the way are remembered. */
final class RecordSchema {
    private final Map<String, ObjectNode> schemas = new TreeMap<>();

    /** The schemas of all records met so far, by name. */
    Map<String, ObjectNode> all() {
        return schemas;
    }

    ObjectNode of(Type type) {
        ObjectNode node = JsonNodeFactory.instance.objectNode();
        if (type instanceof ParameterizedType generic) {
            Type[] parts = generic.getActualTypeArguments();
            if (generic.getRawType() == List.class) {
                node.put("type", "array").set("items", of(parts[0]));
            } else {
                node.put("type", "object").set("additionalProperties", of(parts[1]));
            }
            return node;
        }
        Class<?> kind = (Class<?>) type;
        if (kind.isRecord()) {
            return node.put("$ref", "#/components/schemas/" + add(kind));
        }
        if (kind.isEnum()) {
            ArrayNode names = node.put("type", "string").putArray("enum");
            for (Object constant : kind.getEnumConstants()) {
                names.add(constant.toString());
            }
            return node;
        }
        if (kind == JsonNode.class || kind == Object.class) {
            return node;
        }
        if (kind == Instant.class) {
            return node.put("type", "string").put("format", "date-time");
        }
        return node.put("type", plain(kind));
    }

    private String add(Class<?> kind) {
        String name = kind.isMemberClass()
                ? kind.getEnclosingClass().getSimpleName() + kind.getSimpleName()
                : kind.getSimpleName();
        if (schemas.containsKey(name)) {
            return name;
        }
        ObjectNode schema = JsonNodeFactory.instance.objectNode().put("type", "object");
        schemas.put(name, schema);
        ObjectNode properties = schema.putObject("properties");
        ArrayNode required = schema.putArray("required");
        for (RecordComponent part : kind.getRecordComponents()) {
            String key = key(kind, part);
            properties.set(key, of(part.getGenericType()));
            if (!part.getAnnotatedType().isAnnotationPresent(Nullable.class)) {
                required.add(key);
            }
        }
        return name;
    }

    /** The annotation of a component is kept on its field. */
    private static String key(Class<?> kind, RecordComponent part) {
        try {
            JsonProperty given = kind.getDeclaredField(part.getName()).getAnnotation(JsonProperty.class);
            return given == null ? part.getName() : given.value();
        } catch (NoSuchFieldException e) {
            throw new IllegalStateException("a record has a field for each component", e);
        }
    }

    private static String plain(Class<?> kind) {
        if (kind == String.class) {
            return "string";
        }
        if (kind == boolean.class || kind == Boolean.class) {
            return "boolean";
        }
        if (kind == double.class || kind == Double.class) {
            return "number";
        }
        if (kind == int.class || kind == long.class || kind == Integer.class || kind == Long.class) {
            return "integer";
        }
        throw new IllegalArgumentException("no schema for " + kind);
    }
}
