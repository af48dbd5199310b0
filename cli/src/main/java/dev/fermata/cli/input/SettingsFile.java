package dev.fermata.cli.input;

import dev.fermata.insight.input.YamlTree;
import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The file {@code fermata.yaml}: long names of flags and their values. A list stands for values joined by commas. */
public final class SettingsFile {
    private SettingsFile() {}

    public static Map<String, String> read(Path file, Collection<String> flags) {
        Map<String, String> values = new LinkedHashMap<>();
        YamlTree.read(file).requireKnownKeys(flags).entries().forEach((key, value) -> {
            List<YamlTree> parts = value.isList() ? value.items() : List.of(value);
            values.put(key, String.join(",", parts.stream().map(YamlTree::text).toList()));
        });
        return values;
    }
}
