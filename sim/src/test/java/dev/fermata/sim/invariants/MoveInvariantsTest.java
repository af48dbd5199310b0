package dev.fermata.sim.invariants;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A running job moves only where that pays, and never to and fro. */
class MoveInvariantsTest {
    private static final int DEFAULT_SEEDS = 300;
    private static final int SEEDS = 10 * Integer.getInteger("fermata.seeds", DEFAULT_SEEDS / 10);

    @ParameterizedTest
    @ValueSource(strings = {"fermata", "fermata:pair=1,trial=1"})
    void movesPayAndAreRare(String policy) {
        int moves = 0;
        int grown = 0;
        for (long seed = 1; seed <= SEEDS; seed++) {
            RandomScenario scenario = RandomScenario.of(seed).withEstimator("oracle");
            boolean limits =
                    scenario.workload().jobs().stream().anyMatch(j -> j.job().limitMillis() > 0);
            if (scenario.requests().isEmpty() && !limits) {
                MoveChecker checker = new MoveChecker(scenario, policy);
                new CheckedSimulation(scenario, policy, checker, false).run();
                moves += checker.moves();
                grown += checker.grown();
            }
        }
        assertThat(SEEDS < DEFAULT_SEEDS || moves > 20).as("%d moves", moves).isTrue();
        assertThat(SEEDS < DEFAULT_SEEDS || grown > 20)
                .as("%d to more GPUs", grown)
                .isTrue();
    }
}
