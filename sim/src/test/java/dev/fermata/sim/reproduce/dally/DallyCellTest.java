package dev.fermata.sim.reproduce.dally;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.fermata.sim.reproduce.Lab;
import dev.fermata.sim.reproduce.dally.DallyCell.Outcome;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DallyCellTest {
    private final ExecutorService pool = Executors.newSingleThreadExecutor();

    @AfterEach
    void close() {
        pool.shutdown();
    }

    private Lab lab(Long... seeds) {
        return new Lab(pool, List.of(seeds), new Lab.Watcher() {
            @Override
            public void done(String piece) {}

            @Override
            public boolean stop() {
                return false;
            }
        });
    }

    @Test
    void whereEverybodyStartsCloseAtOnceWaitingIsNoMatter() {
        Outcome dally = DallyCell.POISSON_512.run(lab(1L), DallyFindings.DALLY, 1);
        Outcome noWait = DallyCell.POISSON_512.run(lab(1L), DallyFindings.NO_WAIT, 1);

        assertThat(dally).isEqualTo(noWait);
        assertThat(dally.queueing()).isZero();
        assertThat(dally.communication())
                .as("even the closest place has a network")
                .isPositive();
    }

    @Test
    void waitingForClosenessPaysWhereTheClusterIsBusy() {
        DallyResults results = DallyResults.of(
                lab(1L, 2L), Map.of(DallyCell.POISSON_CONGESTED, List.of(DallyFindings.DALLY, DallyFindings.NO_WAIT)));
        DallyCell cell = DallyCell.POISSON_CONGESTED;
        double ours = results.mean(cell, DallyFindings.DALLY, Outcome::communication);
        double theirs = results.mean(cell, DallyFindings.NO_WAIT, Outcome::communication);

        assertThat(ours).isLessThan(theirs);
        assertThat(results.gain(cell, DallyFindings.DALLY, DallyFindings.DALLY, Outcome::jct)
                        .reduction()
                        .mean())
                .isCloseTo(0, within(1e-12));
        assertThat(results.gain(cell, DallyFindings.DALLY, DallyFindings.NO_WAIT, Outcome::jct)
                        .reduction()
                        .mean())
                .isPositive();
    }
}
