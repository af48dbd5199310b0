package dev.fermata.report.summary;

import dev.fermata.core.model.Profile;
import dev.fermata.sim.profile.IterationMeasurement;
import dev.fermata.sim.profile.ModelProfile;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/** The fields of one model of the catalogue, in base units; what was not measured is 0. */
public final class ProfileFields {
    private static final double MILLIS = 1000;
    private static final int DECIMALS = 6;

    private ProfileFields() {}

    public static Map<String, Object> of(ModelProfile model) {
        Profile profile = model.reference();
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("name", model.name());
        fields.put("aliases", model.aliases());
        fields.put("relatives", model.relatedModels());
        fields.put("batch", model.batch());
        fields.put("iterationSeconds", RunFields.rounded(profile.iterationMillis() / MILLIS, DECIMALS));
        fields.put("busyShare", RunFields.rounded(profile.busyShare(), DECIMALS));
        fields.put("memoryMib", profile.peakMemoryMib());
        fields.put("gradientMib", RunFields.rounded(profile.gradientMib(), DECIMALS));
        fields.put("layers", profile.layers());
        fields.put("speeds", new TreeMap<>(profile.speedByType()));
        fields.put("preemptSeconds", RunFields.rounded(model.costs().preemptMillis() / MILLIS, DECIMALS));
        fields.put("buildSeconds", RunFields.rounded(model.costs().buildMillis() / MILLIS, DECIMALS));
        fields.put("restoreSeconds", RunFields.rounded(model.costs().restoreMillis() / MILLIS, DECIMALS));
        fields.put("warmupSeconds", RunFields.rounded(model.costs().warmupMillis() / MILLIS, DECIMALS));
        Map<String, Object> sources = new LinkedHashMap<>();
        sources.put("time", model.sources().time());
        sources.put("exchange", model.sources().exchange());
        sources.put("costs", model.sources().costs());
        fields.put("sources", sources);
        fields.put(
                "measurements",
                model.measurements().stream().map(ProfileFields::of).toList());
        return fields;
    }

    private static Map<String, Object> of(IterationMeasurement measurement) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("gpu", measurement.gpu());
        fields.put("batch", measurement.batch());
        fields.put("iterationSeconds", RunFields.rounded(measurement.iterationMillis() / MILLIS, DECIMALS));
        fields.put("busyShare", RunFields.rounded(measurement.busyShare(), DECIMALS));
        fields.put("memoryMib", measurement.memoryMib());
        fields.put("source", measurement.source());
        return fields;
    }
}
