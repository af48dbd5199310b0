package dev.fermata.research.dally;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.fermata.research.ExperimentRunner;
import dev.fermata.research.dally.DallySetting.DallyOutcome;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DallySettingTest {
    private final ExecutorService pool = Executors.newSingleThreadExecutor();

    @AfterEach
    void close() {
        pool.shutdown();
    }

    private ExperimentRunner runner(Long... seeds) {
        return new ExperimentRunner(pool, List.of(seeds), new ExperimentRunner.ProgressObserver() {
            @Override
            public void completed(String workUnit) {}

            @Override
            public boolean shouldStop() {
                return false;
            }
        });
    }

    @Test
    void delaySchedulingHasNoEffectOnAnIdleCluster() {
        DallyOutcome dally = DallySetting.POISSON_512.run(runner(1L), DallyFindings.DALLY, 1);
        DallyOutcome noWait = DallySetting.POISSON_512.run(runner(1L), DallyFindings.NO_WAIT, 1);

        assertThat(dally).isEqualTo(noWait);
        assertThat(dally.queueing()).isZero();
        assertThat(dally.communication())
                .as("even the closest place has a network")
                .isPositive();
    }

    @Test
    void waitingForLocalityPaysOnABusyCluster() {
        DallyResults results = DallyResults.of(
                runner(1L, 2L),
                Map.of(DallySetting.POISSON_CONGESTED, List.of(DallyFindings.DALLY, DallyFindings.NO_WAIT)));
        DallySetting setting = DallySetting.POISSON_CONGESTED;
        double ours = results.mean(setting, DallyFindings.DALLY, DallyOutcome::communication);
        double theirs = results.mean(setting, DallyFindings.NO_WAIT, DallyOutcome::communication);

        assertThat(ours).isLessThan(theirs);
        assertThat(results.reduction(setting, DallyFindings.DALLY, DallyFindings.DALLY, DallyOutcome::jct)
                        .reduction()
                        .mean())
                .isCloseTo(0, within(1e-12));
        assertThat(results.reduction(setting, DallyFindings.DALLY, DallyFindings.NO_WAIT, DallyOutcome::jct)
                        .reduction()
                        .mean())
                .isPositive();
    }
}
