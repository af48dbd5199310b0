package dev.fermata.core.policy.order;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Due times under equal shares that can be worked out by hand. */
class FairFinishTest {
    private final FairFinish fairFinish = new FairFinish();

    private List<Long> advance(long to, int gpus) {
        return fairFinish.advance(to, gpus, id -> 0);
    }

    @Test
    void twoJobsOnOneGpuTakeTwiceAsLong() {
        advance(0, 1);
        fairFinish.join(1, 1, 100);
        fairFinish.join(2, 1, 300);
        assertThat(advance(199, 1)).isEmpty();
        assertThat(advance(200, 1)).containsExactly(1L);
        // 200 remain of job 2, which is alone from now on
        assertThat(advance(399, 1)).isEmpty();
        assertThat(advance(400, 1)).containsExactly(2L);
    }

    @Test
    void severalBecomeDueInOneStep() {
        advance(0, 1);
        fairFinish.join(1, 1, 100);
        fairFinish.join(2, 1, 300);
        assertThat(advance(400, 1)).containsExactly(1L, 2L);
    }

    @Test
    void noJobRunsFasterThanOnAllItsGpus() {
        advance(0, 8);
        fairFinish.join(1, 2, 100);
        assertThat(advance(99, 8)).isEmpty();
        assertThat(advance(100, 8)).containsExactly(1L);
    }

    @Test
    void gangsShareByTheirGpus() {
        advance(0, 2);
        fairFinish.join(1, 2, 100);
        fairFinish.join(2, 2, 100);
        assertThat(advance(199, 2)).isEmpty();
        assertThat(advance(200, 2)).containsExactly(1L, 2L);
    }

    @Test
    void jobsThatLeaveShareNoLonger() {
        advance(0, 1);
        fairFinish.join(1, 1, 100);
        fairFinish.join(2, 1, 100);
        advance(100, 1);
        fairFinish.leave(2);
        assertThat(advance(150, 1)).containsExactly(1L);
        assertThat(advance(1000, 1)).isEmpty();
    }

    @Test
    void jobThatProvesLongerIsDueLater() {
        advance(0, 1);
        fairFinish.join(1, 1, 100);
        assertThat(fairFinish.advance(120, 1, id -> 250)).isEmpty();
        assertThat(fairFinish.advance(249, 1, id -> 250)).isEmpty();
        assertThat(fairFinish.advance(250, 1, id -> 250)).containsExactly(1L);
    }

    @Test
    void gpusThatFailSlowAllJobs() {
        advance(0, 2);
        fairFinish.join(1, 2, 100);
        advance(50, 1); // from 50 on there is one GPU
        assertThat(advance(149, 1)).isEmpty();
        assertThat(advance(150, 1)).containsExactly(1L);
    }
}
