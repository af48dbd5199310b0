package dev.fermata.live.learning;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.GpuType;
import dev.fermata.core.model.Topology;
import dev.fermata.history.HistoryCodec;
import dev.fermata.history.HistoryFormat;
import dev.fermata.history.ObservedJob;
import dev.fermata.history.RecordJson;
import dev.fermata.live.engine.EngineEvent;
import dev.fermata.live.engine.ExhaustedResource;
import dev.fermata.live.prediction.StartPredicted;
import dev.fermata.live.profile.AttemptMeasurements;
import dev.fermata.live.profile.CoRunSample;
import dev.fermata.live.profile.CoRunStore;
import dev.fermata.live.profile.ProfileKey;
import dev.fermata.live.profile.ProfileMetric;
import dev.fermata.live.profile.ProfileSamples;
import dev.fermata.live.profile.ProfileStore;
import dev.fermata.live.profile.ProfileUpdate;
import java.io.IOException;
import java.io.InputStream;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Stored texts that follow the names of Java records, against a golden file: a rename that changes it needs a new format, an upgrade
 * step and golden files of its own.
 */
class StoredLayoutsTest {
    private static final RecordJson JSON = new RecordJson();
    private static final ProfileKey KEY = new ProfileKey("train.py", "bert", "H100", 2);
    private static final AttemptMeasurements MEASURED = new AttemptMeasurements(
            new AttemptMeasurements.LoadTimes(1, 2, 3, 4, 5),
            new AttemptMeasurements.PreemptionTimes(6, 7, 1),
            new AttemptMeasurements.ResourceUse(9, 10, 11),
            new AttemptMeasurements.Checkpoints(12, 13, 14, 1),
            new AttemptMeasurements.Steps(15, 16, 17),
            new AttemptMeasurements.Suspensions(26, 27, 1),
            List.of(new CoRunSample("vgg", 18, 19)));
    private static final ObservedJob OBSERVED = new ObservedJob(
            "17_3",
            "ann",
            "train",
            new ObservedJob.ObservedRequest(2, "H100", 500, 1_024, 3_600_000, true),
            new ObservedJob.ObservedRun(1, 2, 3, ObservedJob.Result.TIMEOUT, List.of("g1/0", "g1/1")));
    private static final ProfileUpdate UPDATE =
            new ProfileUpdate(KEY, Set.of(ProfileMetric.ITERATION_MICROS), 20, MEASURED);

    @Test
    void storedTextsAreThoseOfTheGoldenFile() throws IOException {
        String written = texts().entrySet().stream()
                .map(text -> text.getKey() + " " + text.getValue())
                .collect(Collectors.joining("\n"));
        assertThat(written).isEqualTo(golden());
    }

    @Test
    void storedTextsAreReadBack() {
        Map<String, String> texts = texts();
        assertThat(JSON.readStored(Objects.requireNonNull(texts.get("measurements")), AttemptMeasurements.class))
                .isEqualTo(MEASURED);
        assertThat(JSON.readStored(
                        Objects.requireNonNull(texts.get("AttemptMeasured")), ProfilingRuns.AttemptMeasured.class))
                .isEqualTo(new ProfilingRuns.AttemptMeasured(3, MEASURED, UPDATE));
        assertThat(JSON.readStored(Objects.requireNonNull(texts.get("profile")), ProfileSamples.class))
                .isEqualTo(samples());
        assertThat(JSON.readStored(Objects.requireNonNull(texts.get("StartPredicted")), StartPredicted.class))
                .isEqualTo(new StartPredicted(1, 2, 3, 4));
        assertThat(JSON.readStored(Objects.requireNonNull(texts.get(ObservedJob.TYPE)), ObservedJob.class))
                .isEqualTo(OBSERVED);
    }

    @Test
    void aStoredTextOfANewerFormatIsRefused() {
        assertThatThrownBy(() -> JSON.readStored("{\"v\":99}", ProfileSamples.class))
                .isInstanceOf(HistoryFormat.NewerFormatException.class)
                .hasMessageContaining("ProfileSamples")
                .hasMessageContaining("format 99");
    }

    private static ProfileSamples samples() {
        Map<ProfileMetric, List<Long>> samples = new EnumMap<>(ProfileMetric.class);
        Map<ProfileMetric, Long> overrides = new EnumMap<>(ProfileMetric.class);
        long value = 1;
        for (ProfileMetric metric : ProfileMetric.values()) {
            samples.put(metric, List.of(value));
            overrides.put(metric, value + 100);
            value++;
        }
        return new ProfileSamples(samples, overrides);
    }

    private static Map<String, String> texts() {
        Map<String, String> texts = new LinkedHashMap<>();
        ProfileStore profiles = new ProfileStore(Costs.NONE);
        profiles.replace(KEY, samples(), 5);
        texts.put("profile", profiles.row(KEY, 6).body());
        texts.put(
                "coRun",
                new CoRunStore()
                        .learn(KEY, List.of(new CoRunSample("vgg", 2_000, 1_000)), 5)
                        .get(0)
                        .body());
        texts.put("measurements", JSON.writeStored(MEASURED));
        texts.put(StartPredicted.TYPE, JSON.writeStored(new StartPredicted(1, 2, 3, 4)));
        texts.put(
                ProfileStore.ATTEMPT_MEASURED,
                JSON.writeStored(new ProfilingRuns.AttemptMeasured(3, MEASURED, UPDATE)));
        for (ExhaustedResource exhausted : ExhaustedResource.values()) {
            texts.put("AttemptEnded." + texts.size(), attemptEnded(exhausted));
        }
        texts.put(ObservedJob.TYPE, JSON.writeStored(OBSERVED));
        return texts;
    }

    private static String attemptEnded(ExhaustedResource exhausted) {
        Map<String, Object> annotations = new LinkedHashMap<>();
        annotations.put("exit", new EngineEvent.AttemptExit(1, 9, "broke", exhausted, 21));
        annotations.put("measured", MEASURED);
        annotations.put("profileUpdate", UPDATE);
        annotations.put(
                "progress",
                new AttemptProgress(
                        3,
                        22,
                        "saved",
                        23,
                        24,
                        new AttemptProgress.LatestMetric("loss", 0.5),
                        25,
                        EngineEvent.ProgressOrigin.REPORTED));
        return new HistoryCodec(
                        Topology.builder().node(new GpuType("T", 1000, 1.0), 1).build())
                .encode(
                        new HistoryRecord.AttemptEnded(
                                7, 3, Outcome.OOM, new Usage(1, 2, 3, 4, 5, 6), JobState.PENDING),
                        annotations);
    }

    private static String golden() throws IOException {
        try (InputStream in = Objects.requireNonNull(StoredLayoutsTest.class.getResourceAsStream("v3/stored.txt"))) {
            return new String(in.readAllBytes(), UTF_8).strip();
        }
    }
}
