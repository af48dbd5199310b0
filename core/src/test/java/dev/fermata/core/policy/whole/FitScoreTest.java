package dev.fermata.core.policy.whole;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.fermata.core.model.Demand;
import dev.fermata.core.model.Node;
import java.util.List;
import org.junit.jupiter.api.Test;

class FitScoreTest {
    private static final FitScore SCORE = new FitScore(4, 1, FitScore.Grace.PREEMPT_TIME);

    private static Demand demand(int gpus, long cpuMilli, long mib) {
        return new Demand(gpus, gpus, 0, 1000, List.of(), cpuMilli, mib);
    }

    private static Node node(long cpuMilli, long mib) {
        return new Node(0, "n", 0, 0, 0, 8, cpuMilli, mib);
    }

    /** 2 of 8 GPUs, 8 of 32 CPUs, 32 of 256 GiB: sqrt(1/16 + 1/16 + 1/64). */
    @Test
    void sizeIsTheNormOfTheSharesOfANode() {
        double size = VictimCandidate.size(demand(2, 4000, 16 * 1024), 2, node(32_000, 256 * 1024));

        assertThat(size).isEqualTo(0.375);
    }

    @Test
    void aResourceThatTheNodeDoesNotStateDoesNotCount() {
        assertThat(VictimCandidate.size(demand(2, 4000, 16 * 1024), 2, node(Node.UNLIMITED, Node.UNLIMITED)))
                .isEqualTo(0.25);
        assertThat(VictimCandidate.size(demand(2, 4000, 0), 2, node(0, 0))).isEqualTo(0.25);
    }

    /** 0.25/0.5 + 4 * 60/120. */
    @Test
    void theScoreWeighsGraceAgainstSize() {
        assertThat(SCORE.score(0.25, 0.5, 60_000, 120_000)).isEqualTo(2.5, within(1e-12));
        assertThat(new FitScore(0, 1, FitScore.Grace.PREEMPT_TIME).score(0.25, 0.5, 60_000, 120_000))
                .isEqualTo(0.5, within(1e-12));
    }

    @Test
    void withoutPreemptTimeOnlySizeCounts() {
        assertThat(SCORE.score(0.25, 0.5, 0, 0)).isEqualTo(0.5, within(1e-12));
    }
}
