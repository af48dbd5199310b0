package dev.fermata.sim.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;

import dev.fermata.core.measure.JobResult;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.GpuCatalogue;
import dev.fermata.core.model.GpuType;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Profile;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.core.scheduler.GuardMode;
import dev.fermata.sim.cluster.ClusterSpec;
import dev.fermata.sim.engine.Faults;
import dev.fermata.sim.experiment.Experiment;
import dev.fermata.sim.profile.ModelCatalogue;
import dev.fermata.sim.trace.read.TraceFormats;
import dev.fermata.sim.workload.Rng;
import dev.fermata.sim.workload.SimulatedJob;
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

class ModelAssignmentTest {
    private static final List<GpuType> V100 = List.of(GpuCatalogue.byName("V100"));
    private static final List<GpuType> MIXED =
            List.of(GpuCatalogue.byName("V100"), GpuCatalogue.byName("P100"), GpuCatalogue.byName("K80"));

    @Test
    void aJobsModelDoesNotDependOnOtherJobs() {
        List<TraceRecord> all = records(3, 400);
        List<TraceRecord> some =
                all.stream().filter(r -> r.id().hashCode() % 3 == 0).toList();

        Map<String, Profile> models = models(all, ModelAssignment.byRule(V100, 7));

        models(some, ModelAssignment.byRule(V100, 7))
                .forEach((name, profile) -> assertThat(profile).isEqualTo(models.get(name)));
    }

    @Test
    void everySeedAssignsDifferentModels() {
        List<TraceRecord> records = records(3, 400);
        Map<String, Profile> first = models(records, ModelAssignment.byRule(V100, 1));
        Map<String, Profile> second = models(records, ModelAssignment.byRule(V100, 2));

        assertThat(models(records, ModelAssignment.byRule(V100, 1))).isEqualTo(first);
        assertThat(first.entrySet().stream()
                        .filter(e -> e.getValue().equals(second.get(e.getKey())))
                        .count())
                .isBetween(20L, 100L); // a few meet by chance
    }

    /** What a trace does not state must not keep a job from a GPU. */
    @Test
    void assumedModelsFitTheGpu() {
        for (SimulatedJob job :
                workload(records(11, 600), ModelAssignment.byRule(MIXED, 5)).jobs()) {
            assertThat(job.job().demand().gpuMemoryMib())
                    .isBetween(1, GpuCatalogue.byName("K80").memoryMib());
        }
        Job large = workload(List.of(record("a", 4, "resnet152", 128).build()), ModelAssignment.byRule(MIXED, 5))
                .jobs()
                .get(0)
                .job();
        assertThat(large.demand().gpuMemoryMib())
                .isEqualTo(GpuCatalogue.byName("K80").memoryMib());
    }

    @Test
    void aDeclaredMemoryIsKeptAndModelsFitIt() {
        List<TraceRecord> records = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            records.add(record("j" + i, 8, "", 0).gpuMemoryMib(9000).build());
        }
        for (SimulatedJob job :
                workload(records, ModelAssignment.byRule(V100, 5)).jobs()) {
            assertThat(job.job().demand().gpuMemoryMib()).isEqualTo(9000);
            assertThat(job.job().profile().peakMemoryMib()).isBetween(1, 9000);
        }
    }

    @Test
    void aFractionOfAGpuHasThatFractionOfItsMemory() {
        for (ModelAssignment assignment : List.of(ModelAssignment.byRule(V100, 5), ModelAssignment.namedOnly(V100))) {
            Job job = workload(List.of(record("p", 1, "", 0).gpuMilli(250).build()), assignment)
                    .jobs()
                    .get(0)
                    .job();
            assertThat(job.demand().gpuMemoryMib()).isEqualTo(8 * 1024);
            assertThat(job.profile().busyShare()).isLessThanOrEqualTo(0.25);
            assertThat(job.profile().peakMemoryMib()).isLessThanOrEqualTo(8 * 1024);
        }
    }

    @Test
    void withoutTheRuleAJobWithoutAModelHasNoProfile() {
        Workload workload = workload(
                List.of(
                        record("a", 2, "", 0).build(),
                        record("b", 2, "our-own-net", 0).build(),
                        record("c", 2, "ResNet-50", 0).build()),
                ModelAssignment.namedOnly(V100));

        assertThat(workload.jobs().get(0).job().profile()).isEqualTo(Profile.UNKNOWN);
        assertThat(workload.jobs().get(1).job().profile()).isEqualTo(Profile.UNKNOWN.withName("our-own-net"));
        assertThat(workload.jobs().get(1).job().costs()).isEqualTo(Costs.NONE);
        assertThat(workload.jobs().get(1).job().demand().gpuMemoryMib()).isZero();
        assertThat(workload.jobs().get(2).job().costs())
                .isEqualTo(ModelCatalogue.named("resnet50").costs());
    }

    @Test
    void anUnknownModelNameIsKeptAsALabel() {
        Job job = workload(List.of(record("b", 2, "our-own-net", 0).build()), ModelAssignment.byRule(V100, 1))
                .jobs()
                .get(0)
                .job();

        assertThat(job.profile().model()).isEqualTo("our-own-net");
        assertThat(job.profile().gradientMib()).isPositive();
        assertThat(job.costs().preemptMillis()).isPositive();
    }

    @Test
    void aRelatedModelTakesTheProfileAndKeepsItsName() {
        Job job = workload(List.of(record("x", 2, "XLNet", 0).build()), ModelAssignment.namedOnly(V100))
                .jobs()
                .get(0)
                .job();

        assertThat(job.profile())
                .isEqualTo(ModelCatalogue.named("bert-large").reference().withName("XLNet"));
    }

    @Test
    void iterationsBecomeTimeByMeasuredThroughput() {
        TraceRecord lm = TraceRecord.builder("1", 0, 4, 0)
                .model("LM (batch size 80)")
                .iterations(74_810)
                .build();
        TraceRecord resnet = TraceRecord.builder("2", 0, 2, 0)
                .model("ResNet-50 (batch size 128)")
                .iterations(4223)
                .build();

        List<SimulatedJob> jobs =
                workload(List.of(lm, resnet), ModelAssignment.byRule(MIXED, 1)).jobs();

        assertThat(jobs.get(0).durationMillis()).isEqualTo(1_000_000);
        assertThat(jobs.get(0).job().profile().speedOn(GpuCatalogue.byName("K80")))
                .isEqualTo(16.39 / 74.81, offset(1e-12));
        assertThat(jobs.get(1).durationMillis()).isEqualTo(1_000_000);
        assertThat(jobs.get(1).job().demand().gpuTypes()).containsExactly("V100", "P100"); // it ran on one K80 only
    }

    /** On one node of reference GPUs, free of costs, a model changes nothing for jobs that never share a GPU. */
    @ParameterizedTest
    @CsvSource({"fifo,1", "fifo,2", "srtf,3", "srtf,4", "srsf,5", "srsf,6", "las,7"})
    void modelsDoNotChangeCompletionTimesOnOnePool(String policy, long seed) {
        List<TraceRecord> records = records(seed, 150);
        Map<Long, Long> bare = ends(workload(records, ModelAssignment.namedOnly(V100)), policy);
        Workload assigned =
                workload(records, ModelAssignment.byRule(V100, seed)).withCosts(numericIds -> Costs.NONE);

        assertThat(ends(assigned, policy)).isEqualTo(bare).hasSize(150);
        Set<String> models = new HashSet<>();
        assigned.jobs().forEach(job -> models.add(job.job().profile().model()));
        assertThat(models).hasSizeGreaterThan(8);
    }

    private static Map<Long, Long> ends(Workload workload, String policy) {
        Experiment experiment = new Experiment(
                "1x32",
                ClusterSpec.parse("1x32"),
                workload,
                PolicySpec.parse(policy),
                "oracle",
                Faults.FaultRates.NONE,
                1,
                GuardMode.PLAN);
        Map<Long, Long> ends = new HashMap<>();
        for (JobResult job : experiment.run(0, Experiment.RunObserver.NONE).jobs()) {
            ends.put(job.id(), job.finishMillis());
        }
        return ends;
    }

    private static Map<String, Profile> models(List<TraceRecord> records, ModelAssignment assignment) {
        Map<String, Profile> models = new HashMap<>();
        workload(records, assignment)
                .jobs()
                .forEach(job -> models.put(job.job().name(), job.job().profile()));
        return models;
    }

    private static Workload workload(List<TraceRecord> records, ModelAssignment assignment) {
        TraceReadSummary readSummary = new TraceReadSummary(records.size(), Map.of(), 0, 0, 0, "");
        return TraceImporter.toWorkload(
                new Trace("made up", TraceFormats.named("fermata"), List.of(), List.of(), records, 0, readSummary),
                assignment);
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
            records.add(TraceRecord.builder("job-" + i, at, 1 << rng.uniformInt(5), duration)
                    .build());
        }
        return records;
    }
}
