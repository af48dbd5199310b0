package dev.fermata.insight.input;

import dev.fermata.core.model.QueueRule;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Rules of queues: a list of {@code {path: research/nlp, guarantee: 8, limit: 16, weight: 2}}. A queue may hold a list
 * of its own under {@code queues}, whose names are then below it. Everything but the path (or {@code name}) may be left
 * out.
 */
public final class QueuesFile {
    static final String NONE = "none";
    private static final List<String> KEYS = List.of("path", "name", "guarantee", "limit", "weight", "queues");
    private static final int MAX_GPUS = 1_000_000_000;
    private static final double MAX_WEIGHT = 1e6;

    private final Set<String> seen = new HashSet<>();
    private final List<QueueRule> rules = new ArrayList<>();

    private QueuesFile() {}

    /** The rules in a file; none for the word {@code none}. */
    static List<QueueRule> parse(String text) {
        return text.equals(NONE) ? List.of() : read(Path.of(text));
    }

    public static List<QueueRule> read(Path file) {
        QueuesFile queues = new QueuesFile();
        YamlTree tree = YamlTree.read(file);
        queues.list(
                tree.isList() ? tree : tree.requireKnownKeys(List.of("queues")).required("queues"), "");
        return List.copyOf(queues.rules);
    }

    private void list(YamlTree list, String above) {
        for (YamlTree queue : list.items()) {
            queue.requireKnownKeys(KEYS);
            YamlTree name = queue.find("path").orElseGet(() -> queue.required("name"));
            String path = above + name.text();
            if (path.startsWith("/") || path.endsWith("/") || path.contains("//")) {
                throw name.error("must be names joined by single slashes, such as research/nlp");
            }
            if (!seen.add(path)) {
                throw name.error("is given twice");
            }
            rules.add(rule(queue, path));
            queue.find("queues").ifPresent(below -> list(below, path + "/"));
        }
    }

    private static QueueRule rule(YamlTree queue, String path) {
        int guarantee = queue.find("guarantee").map(g -> g.integer(0, MAX_GPUS)).orElse(0);
        int limit = queue.find("limit").map(l -> l.integer(0, MAX_GPUS)).orElse(QueueRule.NO_LIMIT);
        double weight =
                queue.find("weight").map(w -> w.number(1e-6, MAX_WEIGHT)).orElse(1.0);
        try {
            return new QueueRule(path, guarantee, limit, weight);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(queue.name() + ": " + e.getMessage(), e);
        }
    }
}
