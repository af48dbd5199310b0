package dev.fermata.cli.input;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fermata.insight.input.YamlTree;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.Optional;

/** A job file in YAML or JSON, with the line of each field. Leaves checking to the daemon. */
public final class ParsedJobFile {
    private static final String VARIABLES = "env";

    private final Path file;
    private final YamlTree tree;

    private ParsedJobFile(Path file, YamlTree tree) {
        this.file = file;
        this.tree = tree;
    }

    /** @param name the name it goes by in messages */
    public static ParsedJobFile parse(String name, String text) {
        Path file = Path.of(name);
        try {
            YamlTree tree = YamlTree.parse(file, text);
            if (!tree.isMapping()) {
                throw new IllegalArgumentException(
                        file + ": a job file must be a mapping (key: value), such as 'run: python train.py'");
            }
            return new ParsedJobFile(file, tree);
        } catch (IOException e) {
            throw new IllegalArgumentException(file + " cannot be read: " + e.getMessage(), e);
        }
    }

    public ObjectNode json() {
        return (ObjectNode) json(tree, "");
    }

    /** File and line of a field such as {@code preempt.grace}, or of the nearest one around it; empty for none of the file. */
    public Optional<String> location(String field) {
        YamlTree at = tree;
        for (String key : field.split("[.\\[]", -1)) {
            Optional<YamlTree> below = at.isMapping() ? at.find(key) : Optional.empty();
            if (below.isEmpty()) {
                break;
            }
            at = below.get();
        }
        return at == tree ? Optional.empty() : Optional.of(file + ":" + at.line());
    }

    /** Variables are texts, however they are written: {@code LR: 1e-4} means these four letters. */
    private static JsonNode json(YamlTree from, String key) {
        JsonNodeFactory json = JsonNodeFactory.instance;
        if (from.isMapping()) {
            ObjectNode object = json.objectNode();
            from.entries()
                    .forEach((name, value) -> object.set(
                            name,
                            key.equals(VARIABLES) && !value.isMapping() && !value.isList()
                                    ? json.textNode(value.rawText())
                                    : json(value, name)));
            return object;
        }
        if (from.isList()) {
            ArrayNode array = json.arrayNode();
            from.items().forEach(item -> array.add(json(item, "")));
            return array;
        }
        String text = from.rawText();
        if (from.isText()) {
            return json.textNode(text);
        }
        return switch (text) {
            case "" -> json.nullNode();
            case "true", "True", "TRUE" -> json.booleanNode(true);
            case "false", "False", "FALSE" -> json.booleanNode(false);
            default -> number(text);
        };
    }

    private static JsonNode number(String text) {
        try {
            return JsonNodeFactory.instance.numberNode(new BigDecimal(text));
        } catch (NumberFormatException e) {
            return JsonNodeFactory.instance.textNode(text); // .inf and the like: the daemon says what it expects
        }
    }
}
