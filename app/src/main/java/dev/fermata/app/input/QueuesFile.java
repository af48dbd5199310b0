package dev.fermata.app.input;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fermata.core.model.QueueRule;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The rules of queues: {@code queues:}, then path and {@code {guarantee, limit, weight}}, each of them optional. */
public final class QueuesFile {
    private static final List<String> KEYS = List.of("guarantee", "limit", "weight");
    private static final int MOST_GPUS = 1_000_000;
    private static final double MOST_WEIGHT = 1e6;

    private QueuesFile() {}

    /** As the daemon takes it. */
    public static ObjectNode read(Path file) {
        ObjectNode answer = JsonNodeFactory.instance.objectNode();
        var list = answer.putArray("queues");
        for (QueueRule rule : rules(file)) {
            ObjectNode queue = list.addObject().put("path", rule.path()).put("guarantee", rule.guaranteeGpus());
            if (rule.limitGpus() != QueueRule.NO_LIMIT) {
                queue.put("limit", rule.limitGpus());
            }
            queue.put("weight", rule.weight());
        }
        return answer;
    }

    public static List<QueueRule> rules(Path file) {
        List<QueueRule> rules = new ArrayList<>();
        YamlTree all = YamlTree.read(file).only(List.of("queues")).required("queues");
        for (Map.Entry<String, YamlTree> entry : all.entries().entrySet()) {
            YamlTree queue = entry.getValue();
            boolean bare = !queue.isMapping() && queue.written().isEmpty();
            if (!bare) {
                queue.only(KEYS);
            }
            int guarantee = bare
                    ? 0
                    : queue.find("guarantee").map(v -> v.whole(0, MOST_GPUS)).orElse(0);
            int limit = bare
                    ? QueueRule.NO_LIMIT
                    : queue.find("limit").map(v -> v.whole(0, MOST_GPUS)).orElse(QueueRule.NO_LIMIT);
            double weight = bare
                    ? 1
                    : queue.find("weight").map(v -> v.number(1e-6, MOST_WEIGHT)).orElse(1.0);
            try {
                rules.add(new QueueRule(entry.getKey(), guarantee, limit, weight));
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(queue.name() + ": " + e.getMessage(), e);
            }
        }
        return rules;
    }
}
