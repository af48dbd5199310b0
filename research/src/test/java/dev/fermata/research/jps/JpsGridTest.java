package dev.fermata.research.jps;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fermata.core.policy.market.RingAllReduceMarket;
import dev.fermata.sim.workload.JpsInstances;
import java.util.List;
import org.junit.jupiter.api.Test;

class JpsGridTest {
    @Test
    void nothingBeatsTheOptimumAndJpsIsWithinThePublishedGap() {
        List<JpsGrid.JpsVariant> variants = JpsGrid.variants();
        double gaps = 0;
        List<JpsGrid.SolvedInstance> solved = JpsGrid.solve(4, 10, List.of(1L, 2L, 3L), variants);
        for (JpsGrid.SolvedInstance one : solved) {
            assertThat(one.outcomes()).hasSameSizeAs(variants).allSatisfy(o -> {
                assertThat(o.gap()).isGreaterThan(-1e-8);
                assertThat(o.fairness()).isBetween(0.25, 1 + 1e-9);
            });
            gaps += one.jps().gap() / solved.size();
        }
        assertThat(gaps).isBetween(-1e-9, 0.0204);
    }

    /** The guarantee of the chapter, on sizes where all categories are looked at and where they are sampled. */
    @Test
    void jpsIsNeverWorseThanTheEqualSplit() {
        List<JpsGrid.JpsVariant> variants = JpsGrid.variants();
        for (int[] size : new int[][] {{2, 4}, {2, 8}, {3, 5}, {3, 12}, {5, 9}, {6, 20}}) {
            List<JpsGrid.SolvedInstance> solved = JpsGrid.solve(size[0], size[1], List.of(1L, 2L, 3L, 4L), variants);
            JpsGridTables tables = new JpsGridTables(solved, variants);
            assertThat(solved)
                    .allSatisfy(one -> assertThat(one.jps().gap())
                            .isLessThanOrEqualTo(
                                    tables.outcome(one, JpsGrid.EQUAL_SPLIT).gap() + 1e-9));
        }
    }

    @Test
    void largeInstancesOfSixTypesAreSolvedExactly() {
        List<JpsGrid.SolvedInstance> solved =
                JpsLargeGrid.solve(new JpsLargeGrid.LargeSize(5, 15, 6, true), List.of(1L, 2L));

        assertThat(solved).hasSize(2).allSatisfy(one -> {
            assertThat(one.jps().gap()).isGreaterThan(-1e-8);
            assertThat(one.outcomes().get(0).gap()).isGreaterThan(-1e-8);
        });
    }

    @Test
    void instancesAreTheSameForTheSameSeed() {
        RingAllReduceMarket once = JpsInstances.draw(JpsInstances.InstanceClass.UNSTRUCTURED, 3, 9, 5);
        RingAllReduceMarket again = JpsInstances.draw(JpsInstances.InstanceClass.UNSTRUCTURED, 3, 9, 5);
        RingAllReduceMarket other = JpsInstances.draw(JpsInstances.InstanceClass.UNSTRUCTURED, 3, 9, 6);

        assertThat(again.work(0)).isEqualTo(once.work(0)).isNotEqualTo(other.work(0));
        assertThat(JpsInstances.draw(JpsInstances.InstanceClass.UNSTRUCTURED, 3, 30, 6, 5)
                        .types())
                .isEqualTo(6);
        assertThatThrownBy(() -> JpsInstances.draw(JpsInstances.InstanceClass.LIGHT, 3, 30, 6, 5))
                .hasMessageContaining("3 types");
    }
}
