package dev.fermata.sim.reproduce.jps;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.sim.reproduce.Lab;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

class MixedTest {
    /** Compared with itself a policy is neither better nor worse; what waits in line for no reason is worse. */
    @Test
    void anyPolicyCanBeComparedWithJps() {
        ExecutorService pool = Executors.newFixedThreadPool(1);
        List<String> done = new ArrayList<>();
        try {
            Lab lab = new Lab(pool, List.of(1L), new Lab.Watcher() {
                @Override
                public void done(String piece) {
                    done.add(piece);
                }

                @Override
                public boolean stop() {
                    return false;
                }
            });
            Mixed mixed = Mixed.run(lab, List.of("jps", "jps:jobs=10", "sjf", "fifo"));
            for (String workload : Mixed.WORKLOADS) {
                assertThat(mixed.reduction(workload, "jps:jobs=10", "jps").mean())
                        .isZero();
            }
            assertThat(Mixed.WORKLOADS)
                    .anyMatch(
                            workload -> mixed.reduction(workload, "fifo", "jps").mean() < -0.1);
        } finally {
            pool.shutdown();
        }
        assertThat(done).hasSize(4 * Mixed.WORKLOADS.size());
    }
}
