package dev.fermata.live.spec;

import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** Hides the values of a job's secret variables in what is said about the job. Short values hide nothing: they are in every text. */
public final class Mask {
    private static final int SHORTEST = 4;

    private final List<String> values;

    private Mask(List<String> values) {
        this.values = values;
    }

    public static Mask of(JobSpec job) {
        // The longest first: one value may be a part of another.
        return new Mask(job.env().entrySet().stream()
                .filter(e -> Secrets.hides(e.getKey(), e.getValue(), job.secrets()))
                .map(Map.Entry::getValue)
                .filter(value -> value.length() >= SHORTEST)
                .sorted(Comparator.comparingInt(String::length).reversed())
                .toList());
    }

    public String over(String text) {
        String masked = text;
        for (String value : values) {
            masked = masked.replace(value, Secrets.HIDDEN);
        }
        return masked;
    }
}
