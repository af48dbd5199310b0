package dev.fermata.live.api;

import com.fasterxml.jackson.annotation.JsonInclude;
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
import dev.fermata.core.policy.Suggest;
import java.io.IOException;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * JSON as this door reads and writes it: strict about what comes in (no key twice, nothing behind the end, no deep nesting), and
 * without what is absent on the way out.
 */
public final class ApiJson {
    private static final int DEEPEST = 32;
    private static final int LONGEST_TEXT = 4 << 20;

    /** Reads and writes the records of {@code api.view}. */
    public static final JsonMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(DEEPEST)
                            .maxStringLength(LONGEST_TEXT)
                            .maxNameLength(1024)
                            .maxNumberLength(64)
                            .build())
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    // Otherwise parts of the text that is refused would stand in the refusal, secrets included.
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
            .enable(MapperFeature.ACCEPT_CASE_INSENSITIVE_ENUMS)
            .defaultPropertyInclusion(
                    JsonInclude.Value.construct(JsonInclude.Include.NON_NULL, JsonInclude.Include.ALWAYS))
            .addModule(new SimpleModule()
                    .addSerializer(Instant.class, ToStringSerializer.instance)
                    .addDeserializer(Instant.class, new InstantReader()))
            .build();

    private ApiJson() {}

    /** A document; what is wrong with it is said without quoting it. */
    public static JsonNode tree(byte[] text) {
        try {
            JsonNode tree = MAPPER.readTree(text);
            if (tree == null || tree.isMissingNode()) {
                throw Refused.badRequest("the body is empty; a JSON document was expected");
            }
            return tree;
        } catch (JsonProcessingException e) {
            throw Refused.badRequest("the body is not JSON" + place(e) + kind(e));
        } catch (IOException e) {
            throw Refused.badRequest("the body could not be read as JSON");
        }
    }

    static <T> T read(byte[] text, Class<T> type) {
        JsonNode tree = tree(text);
        if (!tree.isObject()) {
            throw Refused.badRequest("the body must be a mapping {…}");
        }
        try {
            return MAPPER.treeToValue(tree, type);
        } catch (UnrecognizedPropertyException e) {
            String key = Call.plain(e.getPropertyName());
            throw Refused.badRequest("unknown key '" + key + "'."
                    + Suggest.among(
                            key,
                            e.getKnownPropertyIds().stream()
                                    .map(String::valueOf)
                                    .toList()));
        } catch (MismatchedInputException e) {
            throw Refused.badRequest(where(e) + " must be " + expected(e.getTargetType()));
        } catch (JsonProcessingException e) {
            throw Refused.badRequest("the body does not fit" + place(e));
        }
    }

    static byte[] write(Object value) {
        try {
            return MAPPER.writeValueAsBytes(value);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a document of ours cannot be written: " + value.getClass(), e);
        }
    }

    private static String place(JsonProcessingException e) {
        return e.getLocation() == null
                ? ""
                : " (line " + e.getLocation().getLineNr() + ", column "
                        + e.getLocation().getColumnNr() + ")";
    }

    /** What is wrong, never in the parser's words: those quote what they refuse, and that may be a secret. */
    private static String kind(JsonProcessingException e) {
        if (e instanceof StreamConstraintsException) {
            return ": it is nested too deeply, or a part of it is too long";
        }
        return e.getOriginalMessage().startsWith("Duplicate field") ? ": a key stands there twice" : "";
    }

    /** The field that does not fit, such as {@code queues[2].weight}. */
    private static String where(JsonMappingException e) {
        StringBuilder path = new StringBuilder();
        for (JsonMappingException.Reference step : e.getPath()) {
            if (step.getFieldName() == null) {
                path.append('[').append(step.getIndex()).append(']');
            } else {
                path.append(path.isEmpty() ? "" : ".").append(Call.plain(step.getFieldName()));
            }
        }
        return path.isEmpty() ? "the body" : path.toString();
    }

    /** What belongs there, in words: names of classes are nobody's business. */
    private static String expected(@Nullable Class<?> type) {
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
