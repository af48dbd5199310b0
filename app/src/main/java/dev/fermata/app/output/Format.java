package dev.fermata.app.output;

import dev.fermata.core.policy.Suggest;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** How an answer is written: for people (table, wide), or for programs. */
public enum Format {
    TABLE,
    WIDE,
    JSON,
    CSV,
    YAML;

    public static Format parse(String text) {
        for (Format format : values()) {
            if (format.label().equals(text)) {
                return format;
            }
        }
        throw new IllegalArgumentException("-o (" + text + ") is unknown." + Suggest.among(text, labels()));
    }

    public static List<String> labels() {
        return Arrays.stream(values()).map(Format::label).toList();
    }

    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    public boolean forPeople() {
        return this == TABLE || this == WIDE;
    }
}
