package dev.fermata.live.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.cfg.CoercionAction;
import com.fasterxml.jackson.databind.cfg.CoercionInputShape;
import com.fasterxml.jackson.databind.deser.std.FromStringDeserializer;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializer;
import com.fasterxml.jackson.databind.type.LogicalType;
import dev.fermata.core.policy.Suggestion;
import java.io.IOException;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** JSON of the API: strict input (no duplicate key, no trailing text, no deep nesting), output without absent values. */
public final class ApiJson {
    private static final int MAX_DEPTH = 32;
    private static final int MAX_TEXT = 4 << 20;

    /** Reads and writes the records of {@code api.view}. */
    public static final JsonMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(MAX_DEPTH)
                            .maxStringLength(MAX_TEXT)
                            .maxNameLength(1024)
                            .maxNumberLength(64)
                            .build())
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    // Otherwise an error message would contain parts of the rejected text, secrets included.
                    .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
                    .build())
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
            .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
            .withCoercionConfig(LogicalType.Textual, text -> {
                for (CoercionInputShape other :
                        List.of(CoercionInputShape.Integer, CoercionInputShape.Float, CoercionInputShape.Boolean)) {
                    text.setCoercion(other, CoercionAction.Fail);
                }
            })
            // A list of a request has no null elements: no handler expects them.
            .defaultSetterInfo(JsonSetter.Value.forContentNulls(Nulls.FAIL))
            .enable(MapperFeature.ACCEPT_CASE_INSENSITIVE_ENUMS)
            .defaultPropertyInclusion(
                    JsonInclude.Value.construct(JsonInclude.Include.NON_NULL, JsonInclude.Include.ALWAYS))
            .addModule(new SimpleModule()
                    .addSerializer(Instant.class, ToStringSerializer.instance)
                    .addDeserializer(Instant.class, new InstantReader()))
            .build();

    private ApiJson() {}

    /** Parses a document; an error never quotes it. */
    public static JsonNode tree(byte[] text) {
        try {
            JsonNode tree = MAPPER.readTree(text);
            if (tree == null || tree.isMissingNode()) {
                throw ApiProblemException.badRequest("the body is empty; a JSON document was expected");
            }
            return tree;
        } catch (JsonProcessingException e) {
            throw ApiProblemException.badRequest("the body is not JSON" + position(e) + problemOf(e));
        } catch (IOException e) {
            throw ApiProblemException.badRequest("the body could not be read as JSON");
        }
    }

    static <T> T read(byte[] text, Class<T> type) {
        JsonNode tree = tree(text);
        if (!tree.isObject()) {
            throw ApiProblemException.badRequest("the body must be a mapping {…}");
        }
        try {
            return MAPPER.treeToValue(tree, type);
        } catch (UnrecognizedPropertyException e) {
            String key = ApiCall.sanitize(e.getPropertyName());
            throw ApiProblemException.badRequest("unknown key '" + key + "'."
                    + Suggestion.didYouMean(
                            key,
                            e.getKnownPropertyIds().stream()
                                    .map(String::valueOf)
                                    .toList()));
        } catch (MismatchedInputException e) {
            throw ApiProblemException.badRequest(fieldPath(e) + " must be " + describeType(e.getTargetType()));
        } catch (JsonProcessingException e) {
            throw ApiProblemException.badRequest("the body does not fit" + position(e));
        }
    }

    static byte[] write(Object value) {
        try {
            return MAPPER.writeValueAsBytes(value);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("cannot write a response of " + value.getClass(), e);
        }
    }

    private static String position(JsonProcessingException e) {
        return e.getLocation() == null
                ? ""
                : " (line " + e.getLocation().getLineNr() + ", column "
                        + e.getLocation().getColumnNr() + ")";
    }

    /** The cause, never in the parser's words: those quote the input, which may be a secret. */
    private static String problemOf(JsonProcessingException e) {
        if (e instanceof StreamConstraintsException) {
            return ": it is nested too deeply, or a part of it is too long";
        }
        return e.getOriginalMessage().startsWith("Duplicate field") ? ": duplicate key" : "";
    }

    /** The invalid field, such as {@code queues[2].weight}. */
    private static String fieldPath(JsonMappingException e) {
        StringBuilder path = new StringBuilder();
        for (JsonMappingException.Reference step : e.getPath()) {
            if (step.getFieldName() == null) {
                path.append('[').append(step.getIndex()).append(']');
            } else {
                path.append(path.isEmpty() ? "" : ".").append(ApiCall.sanitize(step.getFieldName()));
            }
        }
        return path.isEmpty() ? "the body" : path.toString();
    }

    /** The expected type, without class names. */
    private static String describeType(@Nullable Class<?> type) {
        if (type == null) {
            return "something else";
        } else if (type.isEnum()) {
            return "one of "
                    + Arrays.stream(type.getEnumConstants())
                            .map(constant -> constant.toString().toLowerCase(Locale.ROOT))
                            .collect(Collectors.joining(", "));
        } else if (type == Integer.class || type == Long.class || type == int.class || type == long.class) {
            return "a whole number, without quotes";
        } else if (Number.class.isAssignableFrom(type) || type == double.class) {
            return "a number, without quotes";
        } else if (type == Boolean.class || type == boolean.class) {
            return "true or false";
        } else if (type == String.class) {
            return "text; put it into quotes";
        }
        return Collection.class.isAssignableFrom(type) ? "a list […]" : "a mapping {…}";
    }

    private static final class InstantReader extends FromStringDeserializer<Instant> {
        private static final long serialVersionUID = 1;

        InstantReader() {
            super(Instant.class);
        }

        @Override
        protected Instant _deserialize(String value, DeserializationContext context) {
            return Instant.parse(value);
        }
    }
}
