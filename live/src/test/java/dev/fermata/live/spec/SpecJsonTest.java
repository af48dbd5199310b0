package dev.fermata.live.spec;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fermata.core.model.Costs;
import dev.fermata.core.model.Dependency;
import dev.fermata.core.model.JobClass;
import dev.fermata.core.model.Locality;
import dev.fermata.core.model.Tier;
import dev.fermata.history.HistoryFormat;
import dev.fermata.live.learning.JobFactory;
import dev.fermata.live.profile.ProfileEstimate;
import dev.fermata.live.profile.ProfileKey;
import dev.fermata.live.profile.ProfileStore;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Stored specs against a golden file: a change of the file is a change of the format. */
class SpecJsonTest {
    private static final JobSpec SPEC = new JobSpec(
            new JobSpec.JobLabels("bert", "research/nlp", JobClass.TRIAL),
            new JobSpec.ResourceSpec(2, 8, List.of("H100", "A100"), 40_960, 4_500, 65_536, true),
            new JobSpec.SchedulingSpec(7_200_000, 43_200_000, -5, true, new JobSpec.LocalitySpec("rack", 600_000)),
            new JobSpec.PreemptSpec(90_000, 300_000, 3, "hold"),
            new JobSpec.CheckpointSpec("USR1", "ckpt", 600_000),
            List.of(
                    new Dependency(12, Dependency.Condition.SUCCESS),
                    new Dependency(13, Dependency.Condition.ANY),
                    new Dependency(14, Dependency.Condition.FAILURE)),
            new JobSpec.ArraySpec(3, 4, 2),
            new JobSpec.CommandSpec(
                    2,
                    Map.of("TOKEN", "x", "A", "1"),
                    List.of("TOKEN"),
                    "/srv/train",
                    "python3 train.py",
                    new EngineSpec(
                            "registry/train:2",
                            new EngineSpec.SlurmSpec("gpu", "nlp", "high", "nvlink&ib", "maint"),
                            new EngineSpec.KubernetesSpec(
                                    "ml",
                                    "trainer",
                                    Map.of("zone", "a"),
                                    List.of(
                                            new EngineSpec.Volume("data", "/data", true),
                                            new EngineSpec.Volume("scratch", "/scratch", false)))),
                    new JobSpec.ProgressSpec("round ([0-9]+)", 70)));

    private static final ProfileEstimate KNOWN = new ProfileStore(Costs.NONE).estimate(new ProfileKey("x", "", "", 1));

    @Test
    void specIsWrittenAndReadAsInTheGoldenFile() throws IOException {
        assertThat(SpecJson.write(SPEC)).isEqualTo(golden("v3/spec.json"));
        assertThat(SpecJson.read(golden("v3/spec.json"))).isEqualTo(SPEC);
        assertThat(SpecJson.read(golden("v2/spec.json"))).isEqualTo(forAnyEngine(SPEC));
    }

    private static JobSpec forAnyEngine(JobSpec spec) {
        JobSpec.CommandSpec command =
                new JobSpec.CommandSpec(spec.ranks(), spec.env(), spec.secrets(), spec.workdir(), spec.run());
        return new JobSpec(
                spec.labels(),
                spec.resources(),
                spec.scheduling(),
                spec.preempt(),
                spec.checkpoint(),
                spec.dependencies(),
                spec.array(),
                command);
    }

    private static String golden(String name) throws IOException {
        try (InputStream in = Objects.requireNonNull(SpecJsonTest.class.getResourceAsStream(name))) {
            return new String(in.readAllBytes(), UTF_8).strip();
        }
    }

    /** In 0.1.0 {@code any} was the default, and did the same as {@code node}. */
    @Test
    void localityOf010KeepsItsMeaning() {
        assertThat(SpecJson.read("{\"locality\":{\"want\":\"any\",\"waitMillis\":-1}}")
                        .locality())
                .isEqualTo(JobSpec.LocalitySpec.DEFAULT);
        assertThat(SpecJson.read("{\"locality\":{\"want\":\"rack\",\"waitMillis\":5}}")
                        .locality())
                .isEqualTo(new JobSpec.LocalitySpec("rack", 5));
    }

    @Test
    void anyScopeIsNoPreference() {
        assertThat(localityOf("any")).isEqualTo(new Locality(Tier.NETWORK, Locality.POLICY_DECIDES));
        assertThat(localityOf("rack")).isEqualTo(new Locality(Tier.RACK, Locality.POLICY_DECIDES));
        assertThat(localityOf("node")).isEqualTo(Locality.DEFAULT);
    }

    @Test
    void specOfANewerFormatIsRefused() {
        assertThatThrownBy(() -> SpecJson.read("{\"v\":99}"))
                .isInstanceOf(HistoryFormat.NewerFormatException.class)
                .hasMessageContaining("format 99");
    }

    private static Locality localityOf(String scope) {
        JobSpec spec = SpecJson.read("{\"minGpus\":1,\"maxGpus\":1,\"ranks\":1,\"run\":\"x\",\"locality\":{\"scope\":\""
                + scope + "\",\"waitMillis\":-1}}");
        return JobFactory.create(spec, 1, "ann", KNOWN).locality();
    }
}
