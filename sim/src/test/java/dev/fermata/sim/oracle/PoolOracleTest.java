package dev.fermata.sim.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.measure.JobResult;
import dev.fermata.core.model.Job;
import dev.fermata.core.scheduler.GuardMode;
import dev.fermata.sim.TestSimulation;
import dev.fermata.sim.oracle.ReferencePoolSimulator.PoolTask;
import dev.fermata.sim.workload.SimulatedJob;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * In one pool of GPUs, with free preemptions and known durations, every job ends in the very millisecond at which a
 * plain loop of sorting and filling says it should.
 */
class PoolOracleTest {
    private static final int GPUS = 32;
    private static final int JOBS = 300;
    private static final long THRESHOLD = 3_250_000;

    static IntStream seeds() {
        return IntStream.rangeClosed(1, 8);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void fifoMatchesTheReference(int seed) {
        List<PoolTask> tasks = tasks(seed);

        assertAgrees(tasks, "fifo", ReferencePoolSimulator.fifo(tasks, GPUS, false));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void backfillMatchesEasy(int seed) {
        List<PoolTask> tasks = tasks(seed);

        assertAgrees(tasks, "fifo-backfill", ReferencePoolSimulator.fifo(tasks, GPUS, true));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void srtfMatchesTheReference(int seed) {
        List<PoolTask> tasks = tasks(seed);

        assertAgrees(
                tasks,
                "srtf",
                ReferencePoolSimulator.preemptive(tasks, GPUS, ReferencePoolSimulator.REMAINING_TIME, Long.MAX_VALUE));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void srsfMatchesTheReference(int seed) {
        List<PoolTask> tasks = tasks(seed);

        assertAgrees(
                tasks,
                "srsf",
                ReferencePoolSimulator.preemptive(
                        tasks, GPUS, ReferencePoolSimulator.REMAINING_SERVICE, Long.MAX_VALUE));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void lasMatchesTheReference(int seed) {
        List<PoolTask> tasks = tasks(seed);

        assertAgrees(
                tasks,
                "las",
                ReferencePoolSimulator.preemptive(tasks, GPUS, ReferencePoolSimulator.attained(THRESHOLD), THRESHOLD));
    }

    private static void assertAgrees(List<PoolTask> tasks, String policy, ReferencePoolSimulator reference) {
        TestSimulation simulation = TestSimulation.on("1x" + GPUS, policy).guard(GuardMode.PLAN);
        for (int i = 0; i < tasks.size(); i++) {
            PoolTask task = tasks.get(i);
            simulation.job(SimulatedJob.of(Job.builder(i + 1, task.gpus()).build(), task.submit(), task.duration()));
        }
        long[] ends = new long[tasks.size()];
        for (JobResult result : simulation.run().metrics().results()) {
            ends[(int) result.id() - 1] = result.finishMillis();
        }

        assertThat(ends).isEqualTo(reference.ends());
        assertThat(simulation.metrics().summary().preemptions()).isEqualTo(reference.preemptions());
    }

    /** More work than the pool can do while it comes; whole seconds of submission, so that some jobs come together. */
    private static List<PoolTask> tasks(int seed) {
        Random random = new Random(seed);
        List<PoolTask> tasks = new ArrayList<>();
        long second = 0;
        for (int i = 0; i < JOBS; i++) {
            second += random.nextInt(3) == 0 ? 0 : random.nextInt(500);
            int gpus = 1 << (random.nextBoolean() ? 0 : random.nextInt(6));
            long duration = (long) Math.exp(9 + random.nextDouble() * 8);
            tasks.add(new PoolTask(second * 1000, gpus, duration));
        }
        return tasks;
    }
}
