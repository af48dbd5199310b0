package dev.fermata.sim.trial;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.measure.JobResult;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.GpuCatalogue;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.JobClass;
import dev.fermata.core.model.Topology;
import dev.fermata.sim.TestSimulation;
import dev.fermata.sim.workload.SimulatedJob;
import dev.fermata.sim.workload.Workload;
import dev.fermata.sim.workload.WorkloadSpec;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TrialFirstTest {
    private static Topology nodes(int count, int gpus, long cpuMilli, long mib) {
        Topology.Builder builder = Topology.builder();
        for (int n = 0; n < count; n++) {
            builder.node("node" + n, GpuCatalogue.GENERIC, gpus, cpuMilli, mib);
        }
        return builder.build();
    }

    private static Job.Builder job(long id, int gpus, long cpuMilliPerGpu, long preemptMillis) {
        return Job.builder(id, gpus)
                .demand(new Demand(gpus, gpus, 0, 1000, List.of(), cpuMilliPerGpu, 0))
                .costs(new Costs(preemptMillis, 0, 0, 0));
    }

    private static List<Long> preempted(TestSimulation simulation) {
        return simulation.history().stream()
                .map(TestSimulation.SimulatedRecord::record)
                .filter(HistoryRecord.Preempting.class::isInstance)
                .map(HistoryRecord::jobId)
                .toList();
    }

    /** Two GPUs are free but only one CPU: the quick job would free one more, the slow one six. */
    @Test
    void victimsFreeEnoughOfEveryResource() {
        TestSimulation simulation = TestSimulation.on(nodes(1, 4, 8000, 1024), "fitgpp")
                .job(job(1, 1, 1000, 1000).build(), 0, 100)
                .job(job(2, 1, 6000, 9000).build(), 0, 100)
                .job(job(3, 1, 6000, 0).jobClass(JobClass.TRIAL).build(), 10, 20)
                .run();

        assertThat(preempted(simulation)).containsExactly(2L);
        assertThat(simulation.startedMillis(3, 1)).isEqualTo(19_000);
    }

    /** Neither frees six CPUs alone; together they do, GPUs being free all along. */
    @Test
    void severalVictimsFreeCpus() {
        TestSimulation simulation = TestSimulation.on(nodes(1, 4, 8000, 1024), "fitgpp")
                .job(job(1, 1, 4000, 1000).build(), 0, 100)
                .job(job(2, 1, 4000, 2000).build(), 0, 100)
                .job(job(3, 1, 6000, 0).jobClass(JobClass.TRIAL).build(), 10, 20)
                .run();

        assertThat(preempted(simulation)).containsExactlyInAnyOrder(1L, 2L);
    }

    @Test
    void leftOverGpusOfAVictimServeTheNextTrial() {
        TestSimulation simulation = TestSimulation.on("1x2", "fitgpp")
                .job(job(1, 2, 0, 5000).build(), 0, 100)
                .job(job(2, 1, 0, 0).jobClass(JobClass.TRIAL).build(), 10, 20)
                .job(job(3, 1, 0, 0).jobClass(JobClass.TRIAL).build(), 12, 20)
                .run();

        assertThat(preempted(simulation)).containsExactly(1L);
        assertThat(simulation.startedMillis(2, 1)).isEqualTo(15_000);
        assertThat(simulation.startedMillis(3, 1)).isEqualTo(15_000);
    }

    /** On ten small nodes so that the queue is long and jobs are preempted often. */
    private static TestSimulation crowded(String policy) {
        Topology topology = nodes(10, 4, 16_000, 128 * 1024);
        Workload workload =
                WorkloadSpec.generate("fitgpp:jobs=600,te-gpus=2,te-gpus-sd=2,ram=16,ram-sd=16", topology, 3);
        TestSimulation simulation = TestSimulation.on(topology, policy);
        workload.jobs().forEach(simulation::job);
        return simulation.run();
    }

    private static int maxPreemptions(TestSimulation simulation) {
        return simulation.metrics().results().stream()
                .mapToInt(JobResult::preemptions)
                .max()
                .orElse(0);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void noJobIsPreemptedMoreThanPTimes(int max) {
        TestSimulation simulation = crowded("fitgpp:P=" + max);

        assertThat(maxPreemptions(simulation)).isEqualTo(max);
    }

    @ParameterizedTest
    @ValueSource(strings = {"lrtp", "fitgpp:P=1000"})
    void withoutABudgetSomeJobsArePreemptedRepeatedly(String policy) {
        assertThat(maxPreemptions(crowded(policy))).isGreaterThan(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"fitgpp", "lrtp", "rand"})
    void onlyBatchJobsArePreempted(String policy) {
        TestSimulation simulation = crowded(policy);
        List<JobResult> trials = simulation.metrics().results().stream()
                .filter(r -> r.jobClass() == JobClass.TRIAL)
                .toList();

        assertThat(preempted(simulation)).hasSizeGreaterThan(20);
        assertThat(trials).isNotEmpty().allMatch(r -> r.preemptions() == 0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"fitgpp", "lrtp", "rand"})
    void scalingAllTimesScalesAllResults(String policy) {
        TestSimulation once = crowded(policy);
        TestSimulation thrice = TestSimulation.on(once.topology(), policy);
        for (SimulatedJob job : once.workload().jobs()) {
            Job slow = Job.builder(job.job().id(), 1)
                    .demand(job.job().demand())
                    .jobClass(job.job().jobClass())
                    .costs(job.costs().scaled(3))
                    .graceMillis(job.job().graceMillis() * 3)
                    .build();
            thrice.job(SimulatedJob.of(slow, job.submitMillis() * 3, job.durationMillis() * 3));
        }
        thrice.run();

        assertThat(ends(thrice, 1)).isEqualTo(ends(once, 3));
    }

    private static java.util.Map<Long, Long> ends(TestSimulation simulation, long factor) {
        return simulation.metrics().results().stream()
                .collect(Collectors.toMap(JobResult::id, r -> r.finishMillis() * factor));
    }
}
