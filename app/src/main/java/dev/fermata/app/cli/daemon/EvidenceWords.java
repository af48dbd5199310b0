package dev.fermata.app.cli.daemon;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.app.output.Harmless;
import dev.fermata.app.output.Humane;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;

/** A number with its unit in its name ({@code costSeconds}: 80), as people say it ({@code cost 1m20s}). */
final class EvidenceWords {
    private static final List<String> UNITS = List.of("Seconds", "Millis", "Mib");

    /** Nothing takes as long, in milliseconds: it is a moment (after 2001). */
    private static final long A_MOMENT = 1_000_000_000_000L;

    private EvidenceWords() {}

    static String of(String key, JsonNode value) {
        return label(key) + " " + amount(key, value);
    }

    /** The name without its unit. */
    static String label(String key) {
        String unit = unit(key);
        return words(key.substring(0, key.length() - unit.length()));
    }

    static String amount(String key, JsonNode value) {
        if (!value.isNumber()) {
            return Harmless.line(value.isTextual() ? value.asText() : value.toString());
        }
        return switch (unit(key)) {
            case "Seconds" -> Humane.time(value.asDouble());
            case "Millis" ->
                value.asLong() > A_MOMENT
                        ? Instant.ofEpochMilli(value.asLong())
                                .truncatedTo(ChronoUnit.SECONDS)
                                .toString()
                        : Humane.time(value.asDouble() / 1000);
            case "Mib" -> Humane.count(value.asLong()) + " MiB";
            default -> value.isIntegralNumber() ? Humane.count(value.asLong()) : Humane.number(value.asDouble());
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
    static String words(String key) {
        String spaced = key.replaceAll("(?<=[a-z0-9])(?=[A-Z])", " ").toLowerCase(Locale.ROOT);
        return Harmless.line(spaced.replaceAll("\\bgpus\\b", "GPUs").replaceAll("\\bgpu\\b", "GPU"));
    }
}
