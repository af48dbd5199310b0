package dev.fermata.insight.input;

import dev.fermata.core.model.QueueRule;
import dev.fermata.core.model.QueueTerms;
import dev.fermata.core.text.Quantity;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Rules of queues: a list of {@code {path: research/nlp, guarantee: 8, limit: 16, weight: 2}}. A queue may hold a list
 * of its own under {@code queues}, whose names are then below it. Further keys say what its users may do: {@code users},
 * {@code groups}, {@code userGpus}, {@code userJobs}, {@code maxGrace}, {@code maxMinRuntime}, {@code trials}. Everything but the path (or {@code name}) may be left
 * out.
 */
public final class QueuesFile {
    static final String NONE = "none";
    private static final List<String> KEYS = List.of(
            "path",
            "name",
            "guarantee",
            "limit",
            "weight",
            "queues",
            "users",
            "groups",
            "userGpus",
            "userJobs",
            "fairUsers",
            "maxGrace",
            "maxMinRuntime",
            "trials");
    private static final List<String> TRIAL_KEYS = List.of("users", "groups", "gpus", "time", "totalGpus");
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
            return new QueueRule(path, guarantee, limit, weight, terms(queue));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(queue.name() + ": " + e.getMessage(), e);
        }
    }

    private static QueueTerms terms(YamlTree queue) {
        QueueTerms.Ceilings usual = QueueTerms.Ceilings.DEFAULT;
        return new QueueTerms(
                submitters(queue),
                new QueueTerms.PerUser(
                        number(queue, "userGpus", 1),
                        number(queue, "userJobs", 1),
                        queue.find("fairUsers").map(QueuesFile::isTrue).orElse(false)),
                new QueueTerms.Ceilings(
                        millis(queue, "maxGrace", usual.graceMillis()),
                        millis(queue, "maxMinRuntime", usual.minRuntimeMillis())),
                queue.find("trials").map(QueuesFile::trials).orElse(QueueTerms.Trials.UNLIMITED));
    }

    private static boolean isTrue(YamlTree node) {
        return switch (node.text()) {
            case "true" -> true;
            case "false" -> false;
            default -> throw node.error("must be true or false");
        };
    }

    private static QueueTerms.Trials trials(YamlTree trials) {
        if (!trials.isMapping()) {
            if (trials.text().equals(NONE)) {
                return QueueTerms.Trials.NONE;
            }
            throw trials.error("must be none, or a mapping of " + String.join(", ", TRIAL_KEYS));
        }
        trials.requireKnownKeys(TRIAL_KEYS);
        return new QueueTerms.Trials(
                submitters(trials),
                number(trials, "gpus", 0),
                millis(trials, "time", QueueTerms.Trials.NO_TIME_LIMIT),
                number(trials, "totalGpus", 1));
    }

    private static QueueTerms.Submitters submitters(YamlTree node) {
        return new QueueTerms.Submitters(names(node, "users"), names(node, "groups"));
    }

    private static List<String> names(YamlTree node, String key) {
        return node.find(key)
                .map(list -> list.items().stream().map(YamlTree::text).toList())
                .orElse(List.of());
    }

    private static int number(YamlTree node, String key, int min) {
        return node.find(key).map(n -> n.integer(min, MAX_GPUS)).orElse(QueueTerms.NO_LIMIT);
    }

    private static long millis(YamlTree node, String key, long byDefault) {
        return node.find(key)
                .map(time -> Quantity.millis(time.name(), time.text()))
                .orElse(byDefault);
    }
}
