package dev.fermata.core.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Action;
import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.GpuCatalogue;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Topology;
import java.util.List;
import org.junit.jupiter.api.Test;

class MixedGangTest {
    private static final Topology BOTH = Topology.builder()
            .node(GpuCatalogue.byName("H100"), 2)
            .node(GpuCatalogue.byName("K80"), 2)
            .build();

    /** Where jobs do not split their work to match, the slowest GPU would decide, and the speed model does not know that. */
    @Test
    void aGangGetsGpusOfOneType() {
        SchedulerHarness mixed = new SchedulerHarness(BOTH);
        mixed.submit(SchedulerHarness.job(1, 2));
        assertThat(mixed.apply(new Action.Start(1, mixed.exclusive(1, 2))).records())
                .singleElement()
                .isInstanceOf(HistoryRecord.ActionRejected.class);
    }

    @Test
    void aGangThatSplitsItsBatchMayGetSeveralTypes() {
        SchedulerHarness mixed = SchedulerHarness.withMixedGangs(BOTH);
        mixed.submit(splitting(Demand.gpus(2)));
        assertThat(mixed.apply(new Action.Start(1, mixed.exclusive(1, 2))).records())
                .singleElement()
                .isInstanceOf(HistoryRecord.Started.class);
    }

    /** A policy that mixes types is not enough: the job must say that it splits its batch. */
    @Test
    void aGangThatDoesNotSplitGetsOneTypeUnderEveryPolicy() {
        SchedulerHarness mixed = SchedulerHarness.withMixedGangs(BOTH);
        mixed.submit(SchedulerHarness.job(1, 2));
        assertThat(mixed.apply(new Action.Start(1, mixed.exclusive(1, 2))).records())
                .singleElement()
                .isInstanceOfSatisfying(
                        HistoryRecord.ActionRejected.class,
                        f -> assertThat(f.rule()).contains("unless it splits its batch"));
    }

    private static Job splitting(Demand demand) {
        return Job.builder(1, 2).demand(demand.withSplitBatch(true)).build();
    }

    @Test
    void mixedGangsUseOnlyEligibleTypes() {
        SchedulerHarness mixed = SchedulerHarness.withMixedGangs(BOTH);
        mixed.submit(splitting(new Demand(2, 2, 0, 1000, List.of("H100"), 0, 0)));
        assertThat(mixed.apply(new Action.Start(1, mixed.exclusive(1, 2))).records())
                .singleElement()
                .isInstanceOfSatisfying(
                        HistoryRecord.ActionRejected.class,
                        f -> assertThat(f.rule()).contains("may not run on"));
    }
}
