package dev.fermata.live.conductor;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.deser.std.StdDeserializer;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.ser.std.StdSerializer;
import dev.fermata.core.contract.Fact;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Topology;
import dev.fermata.live.json.RecordJson;
import dev.fermata.live.store.Line;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Facts as lines of the history, and facts again. A line's kind is the name of the fact, its body the fact's own components beside
 * {@code v}, the version of this format. What is added for people ({@code exit}, {@code progress}) is skipped when a fact is read.
 */
public final class FactLines {
    /** Grows when a body of an older version must be read in another way. */
    static final int VERSION = 1;

    private static final Map<String, Class<? extends Fact>> KINDS = kinds();

    private final RecordJson json;

    public FactLines(Topology topology) {
        SimpleModule module = new SimpleModule();
        module.addSerializer(Allocation.class, new WriteAllocation());
        module.addDeserializer(Allocation.class, new ReadAllocation(topology));
        json = new RecordJson(module);
    }

    /** JSON of anything that may hold allocations of this cluster. */
    RecordJson json() {
        return json;
    }

    static String kind(Fact fact) {
        return fact.getClass().getSimpleName();
    }

    /** The body of a line, with what else people may want to know about it. */
    String body(Fact fact, Map<String, Object> remarks) {
        ObjectNode body = json.mapper().createObjectNode();
        body.put("v", VERSION);
        body.setAll((ObjectNode) json.mapper().valueToTree(fact));
        remarks.forEach((name, value) -> body.set(name, json.mapper().valueToTree(value)));
        return body.toString();
    }

    /** The fact that a line tells; empty for lines that tell of something else. */
    public Optional<Fact> fact(Line line) {
        Class<? extends Fact> kind = KINDS.get(line.kind());
        return kind == null ? Optional.empty() : Optional.of(json.read(line.body(), kind));
    }

    private static Map<String, Class<? extends Fact>> kinds() {
        Map<String, Class<? extends Fact>> kinds = new LinkedHashMap<>();
        for (Class<?> permitted : Fact.class.getPermittedSubclasses()) {
            kinds.put(permitted.getSimpleName(), permitted.asSubclass(Fact.class));
        }
        return kinds;
    }

    private static final class WriteAllocation extends StdSerializer<Allocation> {
        private static final long serialVersionUID = 1;

        WriteAllocation() {
            super(Allocation.class);
        }

        @Override
        public void serialize(Allocation value, JsonGenerator out, SerializerProvider provider) throws IOException {
            out.writeStartObject();
            out.writeFieldName("gpus");
            int[] gpus = value.toArray();
            out.writeArray(gpus, 0, gpus.length);
            if (value.shared()) {
                out.writeBooleanField("shared", true);
            }
            out.writeEndObject();
        }
    }

    private static final class ReadAllocation extends StdDeserializer<Allocation> {
        private static final long serialVersionUID = 1;

        private final transient Topology topology;

        ReadAllocation(Topology topology) {
            super(Allocation.class);
            this.topology = topology;
        }

        @Override
        public Allocation deserialize(JsonParser in, DeserializationContext context) throws IOException {
            JsonNode tree = in.readValueAsTree();
            JsonNode gpus = tree.path("gpus");
            int[] numbers = new int[gpus.size()];
            for (int i = 0; i < numbers.length; i++) {
                numbers[i] = gpus.get(i).asInt();
                if (numbers[i] < 0 || numbers[i] >= topology.gpuCount()) {
                    throw new IllegalArgumentException("gpu " + numbers[i]
                            + " of the history is not part of this cluster, which has " + topology.gpuCount());
                }
            }
            return Allocation.of(topology, numbers, tree.path("shared").asBoolean(false));
        }
    }
}
