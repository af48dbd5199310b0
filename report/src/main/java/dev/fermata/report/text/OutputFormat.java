package dev.fermata.report.text;

import dev.fermata.core.policy.Suggestion;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** The format of the output: for people (table, wide), or for programs. */
public enum OutputFormat {
    TABLE,
    WIDE,
    JSON,
    CSV,
    YAML;

    public static OutputFormat parse(String text) {
        for (OutputFormat format : values()) {
            if (format.label().equals(text)) {
                return format;
            }
        }
        throw new IllegalArgumentException("-o (" + text + ") is unknown." + Suggestion.didYouMean(text, labels()));
    }

    public static List<String> labels() {
        return Arrays.stream(values()).map(OutputFormat::label).toList();
    }

    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    public boolean isHumanReadable() {
        return this == TABLE || this == WIDE;
    }
}
