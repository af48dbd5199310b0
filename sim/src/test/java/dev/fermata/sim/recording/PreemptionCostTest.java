package dev.fermata.sim.recording;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.measure.PreemptionResult;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.Job;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.core.scheduler.GuardMode;
import dev.fermata.sim.cluster.ClusterSpec;
import dev.fermata.sim.engine.Faults;
import dev.fermata.sim.experiment.Experiment;
import dev.fermata.sim.workload.SimulatedJob;
import dev.fermata.sim.workload.Workload;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** One preemption, computed by hand. */
class PreemptionCostTest {
    private static final Costs COSTS = new Costs(2_000, 5_000, 3_000, 0);

    /**
     * A long job on two GPUs loads 5 s and has run 95 s of 1,000 s when a short one comes. It saves in 2 s; the short one loads 5 s
     * and runs 10 s; then the long one restores and builds in 8 s.
     */
    @Test
    void costAndGainOfOnePreemption() {
        Job slow =
                Job.builder(1, 2).name("slow").costs(COSTS).graceMillis(60_000).build();
        Job quick = Job.builder(2, 1).name("quick").costs(COSTS).build();
        Workload workload = new Workload(
                "two", List.of(SimulatedJob.of(slow, 0, 1_000_000), SimulatedJob.of(quick, 100_000, 10_000)));

        RunRecording recording = Objects.requireNonNull(new Experiment(
                        "1x2",
                        ClusterSpec.parse("1x2"),
                        workload,
                        PolicySpec.parse("srtf"),
                        "oracle",
                        Faults.FaultRates.NONE,
                        1,
                        GuardMode.FULL)
                .run(0, Experiment.RunObserver.NONE, Optional.of(new RunRecording.RecordingDetail(2, 100)))
                .recording());

        assertThat(recording.preemptions().kept()).hasSize(1);
        PreemptionResult preempt = recording.preemptions().kept().get(0);
        assertThat(preempt.atMillis()).isEqualTo(100_000);
        assertThat(preempt.beneficiaryName()).isEqualTo("quick");
        assertThat(preempt.startedMillis()).isEqualTo(102_000);
        PreemptionResult.VictimResult victim = preempt.victims().get(0);
        assertThat(victim.name()).isEqualTo("slow");
        assertThat(victim.preemptGpuMillis()).isEqualTo(4_000);
        assertThat(victim.reloadGpuMillis()).isEqualTo(16_000);
        assertThat(victim.lostGpuMillis()).isZero();
        assertThat(victim.awayMillis())
                .as("2 s saving, 15 s of the other, 8 s loading")
                .isEqualTo(25_000);
        assertThat(victim.remainingMillis()).isEqualTo(905_000);
        assertThat(preempt.costMillis()).isEqualTo(25_000);
        assertThat(preempt.gainMillis()).as("905 s, less the 2 s it waited").isEqualTo(903_000);
        assertThat(recording.preemptions().totals().beneficial()).isEqualTo(1);

        GanttChart gantt = Objects.requireNonNull(recording.gantt());
        assertThat(gantt.intervals()).hasSize(3);
        GanttChart.GanttInterval first = gantt.intervals().get(0);
        assertThat(List.of(first.fromMillis(), first.runningMillis(), first.stoppedMillis(), first.toMillis()))
                .containsExactly(0L, 5_000L, 100_000L, 102_000L);
        assertThat(first.beneficiaryName()).isEqualTo("quick");
    }
}
