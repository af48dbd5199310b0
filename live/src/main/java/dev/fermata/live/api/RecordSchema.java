package dev.fermata.live.api;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.lang.reflect.Field;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Derives JSON Schemas from records: what is not {@code @Nullable} is required. It collects the schemas of nested records. */
final class RecordSchema {
    private final Map<String, ObjectNode> schemas = new TreeMap<>();

    /** The schemas collected so far, by name. */
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
        Class<?> raw = (Class<?>) type;
        if (raw.isRecord()) {
            return node.put("$ref", "#/components/schemas/" + add(raw));
        }
        if (raw.isEnum()) {
            ArrayNode names = node.put("type", "string").putArray("enum");
            for (Object constant : raw.getEnumConstants()) {
                names.add(constant.toString());
            }
            return node;
        }
        if (raw == JsonNode.class || raw == Object.class) {
            return node;
        }
        if (raw == Instant.class) {
            return node.put("type", "string").put("format", "date-time");
        }
        return node.put("type", plain(raw));
    }

    private String add(Class<?> type) {
        String name = type.isMemberClass()
                ? type.getEnclosingClass().getSimpleName() + type.getSimpleName()
                : type.getSimpleName();
        if (schemas.containsKey(name)) {
            return name;
        }
        ObjectNode schema = JsonNodeFactory.instance.objectNode().put("type", "object");
        schemas.put(name, schema);
        addProperties(type, schema.putObject("properties"), schema.putArray("required"));
        return name;
    }

    /** The components of an unwrapped component stand in its place. */
    private void addProperties(Class<?> type, ObjectNode properties, ArrayNode required) {
        for (RecordComponent component : type.getRecordComponents()) {
            Field field = field(type, component);
            if (field.isAnnotationPresent(JsonUnwrapped.class)) {
                addProperties(component.getType(), properties, required);
                continue;
            }
            JsonProperty given = field.getAnnotation(JsonProperty.class);
            String key = given == null ? component.getName() : given.value();
            properties.set(key, of(component.getGenericType()));
            if (!component.getAnnotatedType().isAnnotationPresent(Nullable.class)) {
                required.add(key);
            }
        }
    }

    /** The field of a component holds its annotations. */
    private static Field field(Class<?> type, RecordComponent component) {
        try {
            return type.getDeclaredField(component.getName());
        } catch (NoSuchFieldException e) {
            throw new IllegalStateException("a record has a field for each component", e);
        }
    }

    private static String plain(Class<?> type) {
        if (type == String.class) {
            return "string";
        }
        if (type == boolean.class || type == Boolean.class) {
            return "boolean";
        }
        if (type == double.class || type == Double.class) {
            return "number";
        }
        if (type == int.class || type == long.class || type == Integer.class || type == Long.class) {
            return "integer";
        }
        throw new IllegalArgumentException("no schema for " + type);
    }
}
