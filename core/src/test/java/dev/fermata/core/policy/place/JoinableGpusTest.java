package dev.fermata.core.policy.place;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The index against a walk over all GPUs. */
class JoinableGpusTest {
    private static final int STEPS = 3;

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5, 8, 13, 64, 100})
    void findsTheGpusThatAWalkFinds(int gpus) {
        Random random = new Random(gpus);
        JoinableGpus index = new JoinableGpus(STEPS, gpus);
        int[] step = new int[gpus];
        int[] gang = new int[gpus];
        int[] mib = new int[gpus];
        Arrays.fill(step, -1);
        for (int i = 0; i < 500; i++) {
            int gpu = random.nextInt(gpus);
            if (random.nextInt(4) > 0) {
                step[gpu] = random.nextInt(STEPS);
                gang[gpu] = 1 << random.nextInt(4); // exact: sizes in between may be found too
                mib[gpu] = random.nextInt(40) - 5;
                index.put(gpu, step[gpu], gang[gpu], mib[gpu]);
            } else {
                step[gpu] = -1;
                index.remove(gpu);
            }
            int wantedStep = random.nextInt(STEPS);
            int wantedGang = 1 + random.nextInt(16);
            int wantedMib = random.nextInt(40);
            int[] expected = IntStream.range(0, gpus)
                    .filter(g -> step[g] == wantedStep && gang[g] <= wantedGang && mib[g] >= wantedMib)
                    .toArray();
            assertThat(found(index, wantedStep, wantedGang, wantedMib)).containsExactly(expected);
            assertThat(index.isEmpty(wantedStep)).isEqualTo(IntStream.of(step).noneMatch(s -> s == wantedStep));
        }
    }

    private static int[] found(JoinableGpus index, int step, int gang, int mib) {
        JoinableGpus.Walk walk = index.walk(step, gang, mib);
        return IntStream.generate(walk::next).takeWhile(gpu -> gpu >= 0).toArray();
    }

    @Test
    void leavesOutNoGpuWhoseGangsAreSmallEnough() {
        JoinableGpus index = new JoinableGpus(1, 8);
        index.put(2, 0, 3, 10);
        index.put(5, 0, 1, JoinableGpus.NO_MEMORY);
        assertThat(found(index, 0, 3, 10)).containsExactly(2);
        assertThat(found(index, 0, 1, 10)).isEmpty();
        assertThat(found(index, 0, 3, 11)).isEmpty();
    }
}
