package dev.fermata.live.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.deser.std.FromStringDeserializer;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializer;
import dev.fermata.core.policy.Suggest;
import java.io.IOException;
import java.time.Instant;

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
            throw Refused.badRequest("unknown key '" + e.getPropertyName() + "'."
                    + Suggest.among(
                            e.getPropertyName(),
                            e.getKnownPropertyIds().stream()
                                    .map(String::valueOf)
                                    .toList()));
        } catch (JsonProcessingException e) {
            throw Refused.badRequest("the body does not fit: " + firstLine(e));
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

    private static String firstLine(JsonProcessingException e) {
        String line = e.getOriginalMessage().lines().findFirst().orElse("").replaceAll("\\p{Cntrl}", "?");
        return line.length() > 200 ? line.substring(0, 200) + "…" : line;
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
