package dev.fermata.research.report;

import dev.fermata.report.summary.RunFields;
import dev.fermata.research.Finding;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The fields of one finding, in the order that scripts rely on. What is not known is null. */
public final class FindingFields {
    private static final int DECIMALS = 6;

    private FindingFields() {}

    public static Map<String, Object> of(Finding finding) {
        return fields(finding, false);
    }

    /** For tables, where a cell holds one value: both ends of the interval have columns of their own. */
    public static Map<String, Object> flat(Finding finding) {
        return fields(finding, true);
    }

    private static Map<String, Object> fields(Finding finding, boolean flat) {
        double mean = finding.measured().mean();
        double half = finding.measured().halfWidth();
        FieldMap fields = new FieldMap();
        fields.put("paper", finding.paper());
        fields.put("metric", finding.metric());
        fields.put("policy", finding.policy());
        fields.put("baseline", finding.baseline());
        fields.put(
                "published",
                finding.published().isPresent() ? number(finding.published().getAsDouble()) : null);
        fields.put("measured", number(mean));
        if (flat) {
            fields.put("ci95Low", number(mean - half));
            fields.put("ci95High", number(mean + half));
        } else {
            fields.put("ci95", Arrays.asList(number(mean - half), number(mean + half)));
        }
        fields.put("comparison", finding.comparison().label());
        fields.put("samples", finding.measured().samples());
        fields.put("sampleUnit", finding.measured().unit());
        fields.put("setting", finding.setting());
        fields.put("note", finding.note());
        return fields.map;
    }

    /** A map whose values may be null. */
    private static final class FieldMap {
        private final Map<String, Object> map = new LinkedHashMap<>();

        @SuppressWarnings("NullAway") // absent values are written as null, which the map can hold
        void put(String key, @Nullable Object value) {
            map.put(key, value);
        }
    }

    private static @Nullable BigDecimal number(double value) {
        return Double.isFinite(value) ? RunFields.rounded(value, DECIMALS) : null;
    }
}
