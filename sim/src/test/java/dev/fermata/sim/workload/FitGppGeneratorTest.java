package dev.fermata.sim.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.GpuCatalogue;
import dev.fermata.core.model.JobClass;
import dev.fermata.core.model.Topology;
import dev.fermata.sim.TestSimulation;
import dev.fermata.sim.cluster.ClusterSpec;
import java.util.List;
import java.util.function.Function;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FitGppGeneratorTest {
    private static final Topology CLUSTER = cluster(20);

    private static Topology cluster(int nodes) {
        Topology.Builder builder = Topology.builder();
        for (int n = 0; n < nodes; n++) {
            builder.node("node" + n, GpuCatalogue.GENERIC, 8, 32_000, 256 * 1024);
        }
        return builder.build();
    }

    private static List<SimulatedJob> jobs(String parameters, JobClass jobClass) {
        return WorkloadSpec.generate("fitgpp:jobs=4000" + parameters, CLUSTER, 1).jobs().stream()
                .filter(j -> j.job().jobClass() == jobClass)
                .toList();
    }

    @Test
    void theSameSeedMakesTheSameJobs() {
        assertThat(WorkloadSpec.generate("fitgpp:jobs=300", CLUSTER, 3))
                .isEqualTo(WorkloadSpec.generate("fitgpp:jobs=300", CLUSTER, 3));
        assertThat(WorkloadSpec.generate("fitgpp:jobs=300", CLUSTER, 4).jobs())
                .isNotEqualTo(
                        WorkloadSpec.generate("fitgpp:jobs=300", CLUSTER, 3).jobs());
    }

    @Test
    void drawsStayInsideTheirRange() {
        List<SimulatedJob> trials = jobs("", JobClass.TRIAL);
        List<SimulatedJob> batch = jobs("", JobClass.BATCH);

        assertThat(trials.size()).isBetween(1100, 1300);
        assertThat(trials).allMatch(j -> j.durationMillis() >= 60_000 && j.durationMillis() <= 1_800_000);
        assertThat(batch).allMatch(j -> j.durationMillis() >= 60_000 && j.durationMillis() <= 86_400_000);
        assertThat(batch).allMatch(j -> {
            Demand d = j.job().demand();
            return d.minGpus() >= 1
                    && d.minGpus() <= 8
                    && d.minGpus() * d.cpuMilliPerGpu() <= 32_000
                    && d.minGpus() * d.memoryMibPerGpu() <= 256 * 1024;
        });
    }

    /** A normal distribution cut at one deviation below its mean has its mean at 1 + phi(1)/Phi(1) = 1.288 deviations. */
    @Test
    void runTimesFollowTheTruncatedNormal() {
        List<SimulatedJob> trials = jobs(",te-mean=600,te-sd=540,te-min=60,te-max=1000000,trial=1", JobClass.TRIAL);
        double mean = trials.stream()
                .mapToLong(SimulatedJob::durationMillis)
                .average()
                .orElseThrow();

        assertThat(mean / 1000).isCloseTo(60 + 1.2876 * 540, within(20.0));
    }

    /** Cut at a quarter of a GPU, 0.5 ± 0.5 is below three quarters in (Phi(0.5) - Phi(-0.5)) / Phi(0.5) of the draws. */
    @Test
    void aSmallJobMayAskForHalfAGpu() {
        List<SimulatedJob> trials = jobs(",halves=1,te-gpus=0.5,te-gpus-sd=0.5,trial=1", JobClass.TRIAL);
        double half =
                trials.stream().filter(j -> j.job().demand().gpuMilli() == 500).count();

        assertThat(half / trials.size()).isCloseTo(0.5538, within(0.03));
        assertThat(trials)
                .allMatch(j -> j.job().demand().gpuMilli() == 1000
                        || (j.job().demand().gpuMilli() == 500
                                && j.job().demand().minGpus() == 1));
        assertThat(jobs(",te-gpus=0.5,te-gpus-sd=0.5,trial=1", JobClass.TRIAL))
                .as("whole GPUs unless asked for")
                .allMatch(j -> j.job().demand().gpuMilli() == 1000);
    }

    /** Two jobs of half a GPU share one and neither is slowed. */
    @Test
    void halvesDoNotSlowEachOther() {
        List<SimulatedJob> halves = jobs(
                        ",halves=1,te-gpus=0.5,te-gpus-sd=0,cpu=0,cpu-sd=0,ram=0,ram-sd=0", JobClass.TRIAL)
                .subList(0, 2);
        TestSimulation simulation = TestSimulation.on(ClusterSpec.parse("1x1"), "fifo:share=2");
        halves.forEach(h -> simulation.job(h.job(), 0, h.durationMillis() / 1000));
        simulation.run();

        assertThat(simulation.metrics().results())
                .hasSize(2)
                .allMatch(r -> r.jctMillis() <= 1_800_000)
                .allMatch(r -> r.runMillis() == r.jctMillis());
        assertThat(simulation.metrics().results().stream()
                        .mapToLong(r -> r.jctMillis())
                        .sum())
                .isEqualTo(halves.stream()
                        .mapToLong(h -> h.durationMillis() / 1000 * 1000)
                        .sum());
    }

    @Test
    void aPreemptionTakesTheGracePeriodAndSaves() {
        assertThat(jobs("", JobClass.BATCH))
                .allMatch(j -> j.costs().preemptMillis() == j.job().graceMillis()
                        && j.costs().reloadMillis() == 0)
                .anyMatch(j -> j.costs().preemptMillis() > 600_000);
    }

    /** The real simulator agrees with the loop inside the generator: no job is submitted early or late. */
    @ParameterizedTest
    @CsvSource({"2, ''", "1.5, ',ram=64,ram-sd=64'", "2, ',cpu=16,cpu-sd=16,te-gpus=3'"})
    void demandUnderFifoStaysAtTheLoad(double load, String parameters) {
        Workload workload = WorkloadSpec.generate("fitgpp:jobs=1500,load=" + load + parameters, CLUSTER, 5);
        LongFunction<Demand> demands =
                id -> workload.jobs().get((int) id - 1).job().demand();
        TestSimulation simulation = TestSimulation.on(CLUSTER, "fifo:place=first-node");
        workload.jobs().forEach(simulation::job);
        RequestedResources requested = new RequestedResources();
        long[] submitted = {0, 0};
        simulation.run((now, record) -> {
            if (now > submitted[1] && submitted[0] < 1500) {
                assertThat(requested.maxUtilization())
                        .as("demand after %d ms", submitted[1])
                        .isGreaterThanOrEqualTo(load);
            }
            if (record instanceof HistoryRecord.Submitted) {
                assertThat(requested.maxUtilization())
                        .as("demand before a submission at %d ms", now)
                        .isLessThan(load);
                requested.add(demands.apply(record.jobId()), 1);
                submitted[0]++;
                submitted[1] = now;
            } else if (record instanceof HistoryRecord.AttemptEnded) {
                requested.add(demands.apply(record.jobId()), -1);
                submitted[1] = now;
            }
        });

        assertThat(submitted[0]).isEqualTo(1500);
    }

    /** Demand of all pending and running jobs, as shares of the cluster. */
    private static final class RequestedResources {
        private long gpus;
        private long cpuMilli;
        private long mib;

        void add(Demand demand, int sign) {
            gpus += (long) sign * demand.minGpus();
            cpuMilli += (long) sign * demand.minGpus() * demand.cpuMilliPerGpu();
            mib += (long) sign * demand.minGpus() * demand.memoryMibPerGpu();
        }

        double maxUtilization() {
            int nodes = CLUSTER.nodes().size();
            return Math.max(
                    gpus / (8.0 * nodes), Math.max(cpuMilli / (32_000.0 * nodes), mib / (256.0 * 1024 * nodes)));
        }
    }

    @Test
    void nodesWithoutCpuFiguresAreFilledByGpusAlone() {
        Topology plain = ClusterSpec.parse("4x4");
        Workload workload = WorkloadSpec.generate("fitgpp:jobs=500", plain, 1);
        Function<SimulatedJob, Integer> gpus = j -> j.job().demand().minGpus();

        assertThat(workload.jobs()).extracting(gpus).allMatch(g -> g <= 4);
        int first = workload.jobs().stream()
                .filter(j -> j.submitMillis() == 0)
                .mapToInt(gpus::apply)
                .sum();
        assertThat(first).isBetween(32, 35);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "fitgpp:te-mean=4000 | te-mean (4000) must be inside the range it is cut to, 60 to 1800",
                "fitgpp:be-gpus=9    | be-gpus (9) must be inside the range it is cut to, 0.5 to 8.5",
                "fitgpp:cpu=33       | cpu (33) must be inside the range it is cut to, 0 to 32",
                "fitgpp:gp-max=10    | gp-mean (180) must be inside the range it is cut to, 0 to 10",
                "fitgpp:trial=2      | trial (2) must be a number from 0 to 1",
                "fitgpp:te=3         | has no key 'te'",
            })
    void invalidParametersAreNamed(String text, String message) {
        assertThatThrownBy(() -> WorkloadSpec.generate(text, CLUSTER, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }
}
