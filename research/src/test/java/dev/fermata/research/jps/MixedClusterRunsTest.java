package dev.fermata.research.jps;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.research.ExperimentRunner;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

class MixedClusterRunsTest {
    /**
     * Compared with itself a policy is neither better nor worse; a policy that blocks its queue without reason is
     * worse.
     */
    @Test
    void anyPolicyCanBeComparedWithJps() {
        ExecutorService pool = Executors.newFixedThreadPool(1);
        List<String> done = new ArrayList<>();
        try {
            ExperimentRunner runner = new ExperimentRunner(pool, List.of(1L), new ExperimentRunner.ProgressObserver() {
                @Override
                public void completed(String workUnit) {
                    done.add(workUnit);
                }

                @Override
                public boolean shouldStop() {
                    return false;
                }
            });
            MixedClusterRuns mixed = MixedClusterRuns.run(runner, List.of("jps", "jps:jobs=10", "sjf", "fifo"));
            for (String workload : MixedClusterRuns.WORKLOADS) {
                assertThat(mixed.reduction(workload, "jps:jobs=10", "jps").mean())
                        .isZero();
            }
            assertThat(MixedClusterRuns.WORKLOADS)
                    .anyMatch(
                            workload -> mixed.reduction(workload, "fifo", "jps").mean() < -0.1);
        } finally {
            pool.shutdown();
        }
        assertThat(done).hasSize(4 * MixedClusterRuns.WORKLOADS.size());
    }
}
