package dev.fermata.sim.reproduce.jps;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.sim.reproduce.Finding;
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
            List<Finding> same = JpsReproduction.compare(lab, "jps:jobs=10");
            List<Finding> fifo = JpsReproduction.compare(lab, "fifo");

            assertThat(same).hasSameSizeAs(Mixed.WORKLOADS).allMatch(Finding::holds);
            assertThat(same).allMatch(f -> f.measured().mean() == 0);
            assertThat(fifo).anyMatch(f -> f.measured().mean() < -0.1 && !f.holds());
        } finally {
            pool.shutdown();
        }
        assertThat(done).hasSize(2 * 3 * Mixed.WORKLOADS.size());
    }
}
