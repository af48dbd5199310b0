package dev.fermata.live.spec;

import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** Masks the values of a job's secret variables in texts about the job. It ignores short values, which occur in every text. */
public final class SecretMask {
    private static final int MIN_LENGTH = 4;

    private final List<String> values;

    private SecretMask(List<String> values) {
        this.values = values;
    }

    public static SecretMask of(JobSpec job) {
        // The longest first: one value may contain another.
        return new SecretMask(job.env().entrySet().stream()
                .filter(e -> SecretRules.isSecret(e.getKey(), e.getValue(), job.secrets()))
                .map(Map.Entry::getValue)
                .filter(value -> value.length() >= MIN_LENGTH)
                .sorted(Comparator.comparingInt(String::length).reversed())
                .toList());
    }

    public String apply(String text) {
        String masked = text;
        for (String value : values) {
            masked = masked.replace(value, SecretRules.MASK);
        }
        return masked;
    }
}
