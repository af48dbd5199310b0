package dev.fermata.sim.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.cycle.GuardMode;
import dev.fermata.core.measure.JobResult;
import dev.fermata.core.model.Job;
import dev.fermata.sim.Play;
import dev.fermata.sim.oracle.PoolLoop.Task;
import dev.fermata.sim.workload.TrueJob;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * In one pool of GPUs, with free pauses and known durations, every job ends in the very millisecond at which a plain loop of
 * sorting and filling says it should.
 */
class PoolTest {
    private static final int GPUS = 32;
    private static final int JOBS = 300;
    private static final long THRESHOLD = 3_250_000;

    static IntStream seeds() {
        return IntStream.rangeClosed(1, 8);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void fifoIsStrictlyFirstCome(int seed) {
        List<Task> tasks = tasks(seed);

        agrees(tasks, "fifo", PoolLoop.inLine(tasks, GPUS, false));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void backfillingIsEasy(int seed) {
        List<Task> tasks = tasks(seed);

        agrees(tasks, "fifo-backfill", PoolLoop.inLine(tasks, GPUS, true));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void srtfFillsByRemainingTime(int seed) {
        List<Task> tasks = tasks(seed);

        agrees(tasks, "srtf", PoolLoop.preemptive(tasks, GPUS, PoolLoop.REMAINING_TIME, Long.MAX_VALUE));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void srsfFillsByRemainingService(int seed) {
        List<Task> tasks = tasks(seed);

        agrees(tasks, "srsf", PoolLoop.preemptive(tasks, GPUS, PoolLoop.REMAINING_SERVICE, Long.MAX_VALUE));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void lasFillsByQueue(int seed) {
        List<Task> tasks = tasks(seed);

        agrees(tasks, "las", PoolLoop.preemptive(tasks, GPUS, PoolLoop.attained(THRESHOLD), THRESHOLD));
    }

    private static void agrees(List<Task> tasks, String policy, PoolLoop loop) {
        Play play = Play.on("1x" + GPUS, policy).guard(GuardMode.PLAN);
        for (int i = 0; i < tasks.size(); i++) {
            Task task = tasks.get(i);
            play.job(TrueJob.of(Job.builder(i + 1, task.gpus()).build(), task.submit(), task.duration()));
        }
        long[] ends = new long[tasks.size()];
        for (JobResult result : play.run().meter().results()) {
            ends[(int) result.id() - 1] = result.finishMillis();
        }

        assertThat(ends).isEqualTo(loop.ends());
        assertThat(play.meter().summary().preemptions()).isEqualTo(loop.preemptions());
    }

    /** More work than the pool can do while it comes; whole seconds of submission, so that some jobs come together. */
    private static List<Task> tasks(int seed) {
        Random random = new Random(seed);
        List<Task> tasks = new ArrayList<>();
        long second = 0;
        for (int i = 0; i < JOBS; i++) {
            second += random.nextInt(3) == 0 ? 0 : random.nextInt(500);
            int gpus = 1 << (random.nextBoolean() ? 0 : random.nextInt(6));
            long duration = (long) Math.exp(9 + random.nextDouble() * 8);
            tasks.add(new Task(second * 1000, gpus, duration));
        }
        return tasks;
    }
}
