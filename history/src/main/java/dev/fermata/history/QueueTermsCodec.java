package dev.fermata.history;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fermata.core.model.QueueTerms;
import java.util.ArrayList;
import java.util.List;

/** The JSON of a queue's terms; a history without them has {@link QueueTerms#NONE}. */
final class QueueTermsCodec {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private QueueTermsCodec() {}

    static ObjectNode encode(QueueTerms terms) {
        ObjectNode node = submitters(terms.submitters());
        node.put("userGpus", terms.perUser().gpus());
        node.put("userJobs", terms.perUser().jobs());
        node.put("fairUsers", terms.perUser().fair());
        node.put("maxGraceMillis", terms.ceilings().graceMillis());
        node.put("maxMinRuntimeMillis", terms.ceilings().minRuntimeMillis());
        ObjectNode trials = submitters(terms.trials().submitters());
        trials.put("gpus", terms.trials().gpus());
        trials.put("millis", terms.trials().millis());
        trials.put("totalGpus", terms.trials().totalGpus());
        node.set("trials", trials);
        return node;
    }

    private static ObjectNode submitters(QueueTerms.Submitters submitters) {
        ObjectNode node = NODES.objectNode();
        ArrayNode users = node.putArray("users");
        submitters.users().forEach(users::add);
        ArrayNode groups = node.putArray("groups");
        submitters.groups().forEach(groups::add);
        return node;
    }

    static QueueTerms decode(JsonNode node) {
        if (!node.isObject()) {
            return QueueTerms.NONE;
        }
        JsonNode trials = node.path("trials");
        return new QueueTerms(
                submitters(node),
                new QueueTerms.PerUser(
                        node.path("userGpus").asInt(),
                        node.path("userJobs").asInt(),
                        node.path("fairUsers").asBoolean()),
                new QueueTerms.Ceilings(
                        node.path("maxGraceMillis").asLong(),
                        node.path("maxMinRuntimeMillis").asLong()),
                new QueueTerms.Trials(
                        submitters(trials),
                        trials.path("gpus").asInt(),
                        trials.path("millis").asLong(),
                        trials.path("totalGpus").asInt()));
    }

    private static QueueTerms.Submitters submitters(JsonNode node) {
        return new QueueTerms.Submitters(texts(node.path("users")), texts(node.path("groups")));
    }

    private static List<String> texts(JsonNode array) {
        List<String> found = new ArrayList<>();
        array.forEach(text -> found.add(text.asText()));
        return found;
    }
}
