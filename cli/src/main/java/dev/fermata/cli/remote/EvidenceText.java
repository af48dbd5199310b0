package dev.fermata.cli.remote;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.insight.format.HumanFormat;
import dev.fermata.report.text.TerminalText;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;

/** A number with its unit in its name ({@code costSeconds}: 80), as people say it ({@code cost 1m20s}). */
final class EvidenceText {
    private static final List<String> UNITS = List.of("Seconds", "Millis", "Mib");

    /** Nothing takes as long, in milliseconds: it is a moment (after 2001). */
    private static final long MIN_EPOCH_MILLIS = 1_000_000_000_000L;

    private EvidenceText() {}

    static String of(String key, JsonNode value) {
        return label(key) + " " + amount(key, value);
    }

    /** The name without its unit. */
    static String label(String key) {
        String unit = unit(key);
        return spacedWords(key.substring(0, key.length() - unit.length()));
    }

    static String amount(String key, JsonNode value) {
        if (!value.isNumber()) {
            return TerminalText.escape(value.isTextual() ? value.asText() : value.toString());
        }
        return switch (unit(key)) {
            case "Seconds" -> HumanFormat.time(value.asDouble());
            case "Millis" ->
                value.asLong() > MIN_EPOCH_MILLIS
                        ? Instant.ofEpochMilli(value.asLong())
                                .truncatedTo(ChronoUnit.SECONDS)
                                .toString()
                        : HumanFormat.time(value.asDouble() / 1000);
            case "Mib" -> HumanFormat.count(value.asLong()) + " MiB";
            default ->
                value.isIntegralNumber() ? HumanFormat.count(value.asLong()) : HumanFormat.number(value.asDouble());
        };
    }

    private static String unit(String key) {
        for (String unit : UNITS) {
            if (key.endsWith(unit) && key.length() > unit.length()) {
                return unit;
            }
        }
        return "";
    }

    /** {@code freeGpus} is read as {@code free GPUs}. */
    static String spacedWords(String key) {
        String spaced = key.replaceAll("(?<=[a-z0-9])(?=[A-Z])", " ").toLowerCase(Locale.ROOT);
        return TerminalText.escape(spaced.replaceAll("\\bgpus\\b", "GPUs").replaceAll("\\bgpu\\b", "GPU"));
    }
}
