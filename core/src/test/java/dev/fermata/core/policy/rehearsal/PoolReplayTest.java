package dev.fermata.core.policy.rehearsal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.fermata.core.policy.rehearsal.PoolReplay.Submission;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Replays that can be worked out by hand. */
class PoolReplayTest {
    private static double mean(int gpus, double exponent, Submission... jobs) {
        return new PoolReplay(List.of(jobs), gpus).meanCompletionMillis(exponent);
    }

    private static Submission job(long id, long arrival, int gpus, double work) {
        return new Submission(id, arrival, gpus, work, 0);
    }

    @Test
    void shorterArrivalPreemptsOnOneGpu() {
        // 2 runs from 10 to 30, 1 from 0 to 10 and from 30 to 120
        assertThat(mean(1, 0, job(1, 0, 1, 100), job(2, 10, 1, 20))).isEqualTo((120 + 20) / 2.0);
    }

    @Test
    void preemptedJobRepeatsItsOverhead() {
        Submission first = new Submission(1, 0, 1, 100, 7);
        assertThat(mean(1, 0, first, job(2, 10, 1, 20))).isEqualTo((127 + 20) / 2.0);
    }

    @Test
    void noPreemptionThatCostsMoreThanItSaves() {
        Submission first = new Submission(1, 0, 1, 100, 75);
        // 90 remain, but 75 of them would be repeated: 2 waits until 100
        assertThat(mean(1, 0, first, job(2, 10, 1, 20))).isEqualTo((100 + 110) / 2.0);
    }

    /** One gang of two GPUs, shorter than the single jobs, but with more GPU-time than each of them. */
    @Test
    void exponentDecidesBetweenTimeAndService() {
        Submission[] jobs = {job(1, 0, 2, 30), job(2, 0, 1, 40), job(3, 0, 1, 40)};
        assertThat(mean(2, 0, jobs)).isEqualTo((30 + 70 + 70) / 3.0);
        assertThat(mean(2, 1, jobs)).isEqualTo((40 + 40 + 70) / 3.0);
    }

    @Test
    void smallerJobFillsWhatAGangLeaves() {
        // the gang does not fit next to the first job, the third does; when the first ends, the third is as good as the
        // gang
        assertThat(mean(2, 0, job(1, 0, 1, 10), job(2, 0, 2, 20), job(3, 0, 1, 30)))
                .isCloseTo((10 + 50 + 30) / 3.0, within(1e-9));
    }

    /** Single jobs that come one after the other would leave a GPU idle while the gang waits for both. */
    @Test
    void belowZeroTheWideGangGoesFirst() {
        Submission[] jobs = {job(1, 0, 2, 30), job(2, 0, 1, 20), job(3, 20, 1, 20), job(4, 40, 1, 20), job(5, 60, 1, 20)
        };
        assertThat(mean(2, 0, jobs)).isEqualTo((110 + 4 * 20) / 5.0);
        assertThat(mean(2, -1, jobs)).isEqualTo((30 + 50 + 30 + 30 + 20) / 5.0);
    }

    @Test
    void aReplaySaysWhetherAJobHadToWait() {
        PoolReplay roomy = new PoolReplay(List.of(job(1, 0, 1, 10), job(2, 5, 1, 10)), 2);
        roomy.meanCompletionMillis(0);
        assertThat(roomy.anyJobWaited()).isFalse();

        PoolReplay tight = new PoolReplay(List.of(job(1, 0, 1, 10), job(2, 5, 1, 10)), 1);
        tight.meanCompletionMillis(0);
        assertThat(tight.anyJobWaited()).isTrue();
    }

    @Test
    void emptyPoolTakesNoTime() {
        assertThat(mean(4, 0.5)).isZero();
    }

    /** The gang is preempted by each of two shorter jobs that come later, under SRTF; none is while wide gangs go first. */
    @Test
    void preemptionsOfTheLastReplayAreCounted() {
        PoolReplay replay = new PoolReplay(
                List.of(job(1, 0, 2, 1000), job(2, 100, 1, 10), job(3, 500, 1, 10), job(4, 600, 1, 2000)), 2);
        replay.meanCompletionMillis(0);
        assertThat(replay.preemptions()).isEqualTo(2);
        replay.meanCompletionMillis(-10);
        assertThat(replay.preemptions()).isZero();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void isToTheBitWhatThePlainReplayIs(long seed) {
        Random random = new Random(seed);
        int gpus = 4 << random.nextInt(6);
        List<Submission> jobs = new ArrayList<>();
        long arrival = 0;
        for (int id = 1; id <= 200; id++) {
            arrival += random.nextInt(3) == 0 ? 0 : random.nextInt(2000);
            double work = random.nextInt(4) == 0 ? 1000 : Math.exp(5 + 4 * random.nextDouble());
            jobs.add(new Submission(id, arrival, 1 << random.nextInt(3), work, 50.0 * random.nextInt(3)));
        }
        PoolReplay replay = new PoolReplay(jobs, gpus);
        PlainPoolReplay plain = new PlainPoolReplay(jobs, gpus);
        for (double exponent : new double[] {-1, -0.5, 0, 0.5, 1}) {
            assertThat(replay.meanCompletionMillis(exponent)).isEqualTo(plain.meanCompletionMillis(exponent));
            assertThat(replay.preemptions()).isEqualTo(plain.preemptions());
            assertThat(replay.operations()).isEqualTo(plain.operations());
            assertThat(replay.anyJobWaited()).isEqualTo(plain.anyJobWaited());
        }
    }
}
