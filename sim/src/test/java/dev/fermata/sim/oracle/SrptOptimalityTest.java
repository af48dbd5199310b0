package dev.fermata.sim.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.measure.JobResult;
import dev.fermata.core.model.Job;
import dev.fermata.sim.TestSimulation;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** On one GPU and without costs, shortest remaining time first is optimal: no schedule found by trying all is better. */
class SrptOptimalityTest {
    static IntStream seeds() {
        return IntStream.rangeClosed(1, 150);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void noScheduleBeatsSrtfOnOneGpu(int seed) {
        Random random = new Random(seed);
        int n = 2 + random.nextInt(5);
        int[] release = new int[n];
        int[] work = new int[n];
        TestSimulation srtf = TestSimulation.on("1x1", "srtf");
        TestSimulation srsf = TestSimulation.on("1x1", "srsf");
        for (int i = 0; i < n; i++) {
            release[i] = random.nextInt(12);
            work[i] = 1 + random.nextInt(9);
            Job job = Job.builder(i + 1, 1).build();
            srtf.job(job, release[i], work[i]);
            srsf.job(job, release[i], work[i]);
        }

        long best = 1000L * best(0, release, work);

        assertThat(total(srtf)).isEqualTo(best);
        assertThat(total(srsf)).isEqualTo(best);
    }

    private static long total(TestSimulation simulation) {
        return simulation.run().metrics().results().stream()
                .mapToLong(JobResult::jctMillis)
                .sum();
    }

    /** Least sum of completion minus release from here on; a choice is made at every arrival and every end. */
    private static int best(int now, int[] release, int[] left) {
        int nextRelease = Integer.MAX_VALUE;
        boolean any = false;
        int best = Integer.MAX_VALUE;
        for (int i = 0; i < left.length; i++) {
            if (left[i] > 0 && release[i] > now) {
                nextRelease = Math.min(nextRelease, release[i]);
            }
        }
        for (int i = 0; i < left.length; i++) {
            if (left[i] > 0 && release[i] <= now) {
                any = true;
                int until = Math.min(now + left[i], nextRelease);
                int[] after = left.clone();
                after[i] -= until - now;
                int done = after[i] == 0 ? until - release[i] : 0;
                best = Math.min(best, done + best(until, release, after));
            }
        }
        if (any) {
            return best;
        }
        return nextRelease == Integer.MAX_VALUE ? 0 : best(nextRelease, release, left);
    }
}
