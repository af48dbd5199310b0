package dev.fermata.sim.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;

import dev.fermata.core.cycle.GuardMode;
import dev.fermata.core.measure.JobResult;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.GpuCatalogue;
import dev.fermata.core.model.GpuType;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Profile;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.sim.cluster.ClusterSpec;
import dev.fermata.sim.engine.Faults;
import dev.fermata.sim.experiment.Experiment;
import dev.fermata.sim.profile.ModelCatalogue;
import dev.fermata.sim.trace.read.Formats;
import dev.fermata.sim.workload.Rng;
import dev.fermata.sim.workload.TrueJob;
import dev.fermata.sim.workload.Workload;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CastingTest {
    private static final List<GpuType> V100 = List.of(GpuCatalogue.named("V100"));
    private static final List<GpuType> MIXED =
            List.of(GpuCatalogue.named("V100"), GpuCatalogue.named("P100"), GpuCatalogue.named("K80"));

    @Test
    void aJobKeepsItsModelWhateverElseIsInTheTrace() {
        List<TraceRecord> all = records(3, 400);
        List<TraceRecord> some =
                all.stream().filter(r -> r.id().hashCode() % 3 == 0).toList();

        Map<String, Profile> models = models(all, Casting.rule(V100, 7));

        models(some, Casting.rule(V100, 7))
                .forEach((name, profile) -> assertThat(profile).isEqualTo(models.get(name)));
    }

    @Test
    void everySeedCastsAnew() {
        List<TraceRecord> records = records(3, 400);
        Map<String, Profile> first = models(records, Casting.rule(V100, 1));
        Map<String, Profile> second = models(records, Casting.rule(V100, 2));

        assertThat(models(records, Casting.rule(V100, 1))).isEqualTo(first);
        assertThat(first.entrySet().stream()
                        .filter(e -> e.getValue().equals(second.get(e.getKey())))
                        .count())
                .isBetween(20L, 100L); // a few meet by chance
    }

    /** What a trace does not tell must not keep a job from a GPU. */
    @Test
    void noJobBecomesTooLargeForAGpuByWhatIsAssumed() {
        for (TrueJob job : adopt(records(11, 600), Casting.rule(MIXED, 5)).jobs()) {
            assertThat(job.job().demand().gpuMemoryMib())
                    .isBetween(1, GpuCatalogue.named("K80").memoryMib());
        }
        Job large = adopt(List.of(record("a", 4, "resnet152", 128).build()), Casting.rule(MIXED, 5))
                .jobs()
                .get(0)
                .job();
        assertThat(large.demand().gpuMemoryMib())
                .isEqualTo(GpuCatalogue.named("K80").memoryMib());
    }

    @Test
    void aStatedMemoryIsKeptAndModelsFitIt() {
        List<TraceRecord> records = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            records.add(record("j" + i, 8, "", 0).gpuMemoryMib(9000).build());
        }
        for (TrueJob job : adopt(records, Casting.rule(V100, 5)).jobs()) {
            assertThat(job.job().demand().gpuMemoryMib()).isEqualTo(9000);
            assertThat(job.job().profile().peakMemoryMib()).isBetween(1, 9000);
        }
    }

    @Test
    void aPartOfAGpuComesWithThatPartOfItsMemory() {
        for (Casting casting : List.of(Casting.rule(V100, 5), Casting.none(V100))) {
            Job job = adopt(List.of(record("p", 1, "", 0).gpuMilli(250).build()), casting)
                    .jobs()
                    .get(0)
                    .job();
            assertThat(job.demand().gpuMemoryMib()).isEqualTo(8 * 1024);
            assertThat(job.profile().busyShare()).isLessThanOrEqualTo(0.25);
            assertThat(job.profile().peakMemoryMib()).isLessThanOrEqualTo(8 * 1024);
        }
    }

    @Test
    void withoutTheRuleWhoNamesNoModelHasNoProfile() {
        Workload workload = adopt(
                List.of(
                        record("a", 2, "", 0).build(),
                        record("b", 2, "our-own-net", 0).build(),
                        record("c", 2, "ResNet-50", 0).build()),
                Casting.none(V100));

        assertThat(workload.jobs().get(0).job().profile()).isEqualTo(Profile.UNKNOWN);
        assertThat(workload.jobs().get(1).job().profile()).isEqualTo(Profile.UNKNOWN.named("our-own-net"));
        assertThat(workload.jobs().get(1).job().costs()).isEqualTo(Costs.NONE);
        assertThat(workload.jobs().get(1).job().demand().gpuMemoryMib()).isZero();
        assertThat(workload.jobs().get(2).job().costs())
                .isEqualTo(ModelCatalogue.named("resnet50").costs());
    }

    @Test
    void aNameNobodyKnowsStaysAsALabel() {
        Job job = adopt(List.of(record("b", 2, "our-own-net", 0).build()), Casting.rule(V100, 1))
                .jobs()
                .get(0)
                .job();

        assertThat(job.profile().model()).isEqualTo("our-own-net");
        assertThat(job.profile().gradientMib()).isPositive();
        assertThat(job.costs().pauseMillis()).isPositive();
    }

    @Test
    void aRelativeTakesTheFiguresAndKeepsItsName() {
        Job job = adopt(List.of(record("x", 2, "XLNet", 0).build()), Casting.none(V100))
                .jobs()
                .get(0)
                .job();

        assertThat(job.profile())
                .isEqualTo(ModelCatalogue.named("bert-large").reference().named("XLNet"));
    }

    @Test
    void iterationsBecomeTimeByMeasuredRates() {
        TraceRecord lm = TraceRecord.builder("1", 0, 4, 0)
                .model("LM (batch size 80)")
                .iterations(74_810)
                .build();
        TraceRecord resnet = TraceRecord.builder("2", 0, 2, 0)
                .model("ResNet-50 (batch size 128)")
                .iterations(4223)
                .build();

        List<TrueJob> jobs = adopt(List.of(lm, resnet), Casting.rule(MIXED, 1)).jobs();

        assertThat(jobs.get(0).durationMillis()).isEqualTo(1_000_000);
        assertThat(jobs.get(0).job().profile().speedOn(GpuCatalogue.named("K80")))
                .isEqualTo(16.39 / 74.81, offset(1e-12));
        assertThat(jobs.get(1).durationMillis()).isEqualTo(1_000_000);
        assertThat(jobs.get(1).job().demand().gpuTypes()).containsExactly("V100", "P100"); // it ran on one K80 only
    }

    /** On one node of reference GPUs, free of costs, a model changes nothing for those who never share a GPU. */
    @ParameterizedTest
    @CsvSource({"fifo,1", "fifo,2", "srtf,3", "srtf,4", "srsf,5", "srsf,6", "las,7"})
    void onOnePoolModelsChangeNoCompletionTime(String policy, long seed) {
        List<TraceRecord> records = records(seed, 150);
        Map<Long, Long> bare = ends(adopt(records, Casting.none(V100)), policy);
        Workload cast = adopt(records, Casting.rule(V100, seed)).withCosts(own -> Costs.NONE);

        assertThat(ends(cast, policy)).isEqualTo(bare).hasSize(150);
        Set<String> models = new HashSet<>();
        cast.jobs().forEach(job -> models.add(job.job().profile().model()));
        assertThat(models).hasSizeGreaterThan(8);
    }

    private static Map<Long, Long> ends(Workload workload, String policy) {
        Experiment experiment = new Experiment(
                "1x32",
                ClusterSpec.parse("1x32"),
                workload,
                PolicySpec.parse(policy),
                "oracle",
                Faults.Rates.NONE,
                1,
                GuardMode.PLAN);
        Map<Long, Long> ends = new HashMap<>();
        for (JobResult job : experiment.run(0, Experiment.Watcher.NONE).jobs()) {
            ends.put(job.id(), job.finishMillis());
        }
        return ends;
    }

    private static Map<String, Profile> models(List<TraceRecord> records, Casting casting) {
        Map<String, Profile> models = new HashMap<>();
        adopt(records, casting)
                .jobs()
                .forEach(job -> models.put(job.job().name(), job.job().profile()));
        return models;
    }

    private static Workload adopt(List<TraceRecord> records, Casting casting) {
        Tally tally = new Tally(records.size(), Map.of(), 0, 0, 0, "");
        return Adoption.adopt(
                new Trace("made up", Formats.named("fermata"), List.of(), List.of(), records, 0, tally), casting);
    }

    private static TraceRecord.Builder record(String id, int gpus, String model, int batch) {
        return TraceRecord.builder(id, 0, gpus, 60_000).model(model).batch(batch);
    }

    private static List<TraceRecord> records(long seed, int count) {
        Rng rng = new Rng(seed);
        List<TraceRecord> records = new ArrayList<>();
        long at = 0;
        for (int i = 0; i < count; i++) {
            at += Math.round(rng.exponential(30_000));
            long duration = 1000 + Math.round(rng.logNormal(300_000, 1.3));
            records.add(TraceRecord.builder("job-" + i, at, 1 << rng.below(5), duration)
                    .build());
        }
        return records;
    }
}
