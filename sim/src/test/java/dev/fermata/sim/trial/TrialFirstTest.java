package dev.fermata.sim.trial;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Fact;
import dev.fermata.core.measure.JobResult;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.GpuCatalogue;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.JobClass;
import dev.fermata.core.model.Topology;
import dev.fermata.sim.Play;
import dev.fermata.sim.workload.TrueJob;
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

    private static Job.Builder job(long id, int gpus, long cpuMilliPerGpu, long pauseMillis) {
        return Job.builder(id, gpus)
                .demand(new Demand(gpus, gpus, 0, 1000, List.of(), cpuMilliPerGpu, 0))
                .costs(new Costs(pauseMillis, 0, 0, 0));
    }

    private static List<Long> paused(Play play) {
        return play.history().stream()
                .map(Play.Line::fact)
                .filter(Fact.Pausing.class::isInstance)
                .map(Fact::jobId)
                .toList();
    }

    /** Two GPUs are free but only one CPU: the quick job would free one more, the slow one six. */
    @Test
    void whoLeavesFreesEnoughOfEveryResource() {
        Play play = Play.on(nodes(1, 4, 8000, 1024), "fitgpp")
                .job(job(1, 1, 1000, 1000).build(), 0, 100)
                .job(job(2, 1, 6000, 9000).build(), 0, 100)
                .job(job(3, 1, 6000, 0).jobClass(JobClass.TRIAL).build(), 10, 20)
                .run();

        assertThat(paused(play)).containsExactly(2L);
        assertThat(play.startedMillis(3, 1)).isEqualTo(19_000);
    }

    /** Neither frees six CPUs alone; together they do, GPUs being free all along. */
    @Test
    void severalLeaveForTheSakeOfCpus() {
        Play play = Play.on(nodes(1, 4, 8000, 1024), "fitgpp")
                .job(job(1, 1, 4000, 1000).build(), 0, 100)
                .job(job(2, 1, 4000, 2000).build(), 0, 100)
                .job(job(3, 1, 6000, 0).jobClass(JobClass.TRIAL).build(), 10, 20)
                .run();

        assertThat(paused(play)).containsExactlyInAnyOrder(1L, 2L);
    }

    @Test
    void whatAVictimLeavesOverServesTheNextTrial() {
        Play play = Play.on("1x2", "fitgpp")
                .job(job(1, 2, 0, 5000).build(), 0, 100)
                .job(job(2, 1, 0, 0).jobClass(JobClass.TRIAL).build(), 10, 20)
                .job(job(3, 1, 0, 0).jobClass(JobClass.TRIAL).build(), 12, 20)
                .run();

        assertThat(paused(play)).containsExactly(1L);
        assertThat(play.startedMillis(2, 1)).isEqualTo(15_000);
        assertThat(play.startedMillis(3, 1)).isEqualTo(15_000);
    }

    /** On ten small nodes so that the queue is long and jobs are paused often. */
    private static Play crowded(String policy) {
        Topology topology = nodes(10, 4, 16_000, 128 * 1024);
        Workload workload =
                WorkloadSpec.generate("fitgpp:jobs=600,te-gpus=2,te-gpus-sd=2,ram=16,ram-sd=16", topology, 3);
        Play play = Play.on(topology, policy);
        workload.jobs().forEach(play::job);
        return play.run();
    }

    private static int mostPauses(Play play) {
        return play.meter().results().stream()
                .mapToInt(JobResult::preemptions)
                .max()
                .orElse(0);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void nobodyIsPausedMoreThanPTimes(int most) {
        Play play = crowded("fitgpp:P=" + most);

        assertThat(mostPauses(play)).isEqualTo(most);
    }

    @ParameterizedTest
    @ValueSource(strings = {"lrtp", "fitgpp:P=1000"})
    void withoutABudgetSomeArePausedAgainAndAgain(String policy) {
        assertThat(mostPauses(crowded(policy))).isGreaterThan(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"fitgpp", "lrtp", "rand"})
    void onlyBatchJobsArePaused(String policy) {
        Play play = crowded(policy);
        List<JobResult> trials = play.meter().results().stream()
                .filter(r -> r.jobClass() == JobClass.TRIAL)
                .toList();

        assertThat(paused(play)).hasSizeGreaterThan(20);
        assertThat(trials).isNotEmpty().allMatch(r -> r.preemptions() == 0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"fitgpp", "lrtp", "rand"})
    void scalingAllTimesScalesAllResults(String policy) {
        Play once = crowded(policy);
        Play thrice = Play.on(once.topology(), policy);
        for (TrueJob job : once.workload().jobs()) {
            Job slow = Job.builder(job.job().id(), 1)
                    .demand(job.job().demand())
                    .jobClass(job.job().jobClass())
                    .costs(job.costs().scaled(3))
                    .graceMillis(job.job().graceMillis() * 3)
                    .build();
            thrice.job(TrueJob.of(slow, job.submitMillis() * 3, job.durationMillis() * 3));
        }
        thrice.run();

        assertThat(ends(thrice, 1)).isEqualTo(ends(once, 3));
    }

    private static java.util.Map<Long, Long> ends(Play play, long factor) {
        return play.meter().results().stream().collect(Collectors.toMap(JobResult::id, r -> r.finishMillis() * factor));
    }
}
