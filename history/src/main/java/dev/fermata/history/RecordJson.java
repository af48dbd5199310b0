package dev.fermata.history;

import com.fasterxml.jackson.annotation.JsonAutoDetect.Visibility;
import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import com.fasterxml.jackson.annotation.PropertyAccessor;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.Module;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;

/**
 * JSON of records by their components: their names are the keys. Computed values are never written. Within one format an unknown key
 * is skipped and a missing one is empty or zero. A body of a newer format is not read: {@link HistoryFormat} refuses it.
 */
public final class RecordJson {
    private final JsonMapper mapper;

    public RecordJson(Module... modules) {
        JsonMapper.Builder builder = JsonMapper.builder()
                .visibility(PropertyAccessor.ALL, Visibility.NONE)
                .visibility(PropertyAccessor.FIELD, Visibility.ANY)
                .visibility(PropertyAccessor.CREATOR, Visibility.ANY)
                .disable(MapperFeature.AUTO_DETECT_IS_GETTERS)
                .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
                .addModules(modules);
        builder.withConfigOverride(List.class, o -> o.setSetterInfo(JsonSetter.Value.forValueNulls(Nulls.AS_EMPTY)));
        builder.withConfigOverride(Map.class, o -> o.setSetterInfo(JsonSetter.Value.forValueNulls(Nulls.AS_EMPTY)));
        builder.withConfigOverride(String.class, o -> o.setSetterInfo(JsonSetter.Value.forValueNulls(Nulls.AS_EMPTY)));
        mapper = builder.build();
    }

    public JsonMapper mapper() {
        return mapper;
    }

    public String write(Object value) {
        try {
            return mapper.writeValueAsString(value);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("value cannot be written as JSON: " + value, e);
        }
    }

    /** For texts that a store keeps: with the format, which {@link #readStored} checks. */
    public String writeStored(Object value) {
        ObjectNode body = mapper.createObjectNode().put(HistoryFormat.VERSION_KEY, HistoryFormat.VERSION);
        return body.setAll((ObjectNode) mapper.valueToTree(value)).toString();
    }

    /** A text of {@link #writeStored}, or one without a format, which a store of format 1 had. */
    public <T> T readStored(String text, Class<T> type) {
        HistoryFormat.requireReadable(
                HistoryFormat.versionOf(read(text, JsonNode.class)), "a stored " + type.getSimpleName());
        return read(text, type);
    }

    public <T> T read(String text, Class<T> type) {
        try {
            return mapper.readValue(text, type);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(
                    "not a " + type.getSimpleName() + " as this version writes it (" + e.getOriginalMessage() + "): "
                            + text,
                    e);
        }
    }
}
