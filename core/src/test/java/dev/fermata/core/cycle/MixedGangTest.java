package dev.fermata.core.cycle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Action;
import dev.fermata.core.contract.Fact;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.GpuCatalogue;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Topology;
import java.util.List;
import org.junit.jupiter.api.Test;

class MixedGangTest {
    private static final Topology BOTH = Topology.builder()
            .node(GpuCatalogue.named("H100"), 2)
            .node(GpuCatalogue.named("K80"), 2)
            .build();

    /** Where jobs do not split their work to match, the slowest GPU would decide, and the speed model does not know that. */
    @Test
    void aGangGetsGpusOfOneType() {
        Bench mixed = new Bench(BOTH);
        mixed.submit(Bench.job(1, 2));
        assertThat(mixed.act(new Action.Start(1, mixed.on(1, 2))).facts())
                .singleElement()
                .isInstanceOf(Fact.Rejected.class);
    }

    @Test
    void aGangMayGetSeveralTypesWhereJobsSplitTheirWork() {
        Bench mixed = Bench.mixing(BOTH);
        mixed.submit(Bench.job(1, 2));
        assertThat(mixed.act(new Action.Start(1, mixed.on(1, 2))).facts())
                .singleElement()
                .isInstanceOf(Fact.Started.class);
    }

    @Test
    void evenThenOnlyTypesItMayRunOn() {
        Bench mixed = Bench.mixing(BOTH);
        Job picky = Job.builder(1, 2)
                .demand(new Demand(2, 2, 0, 1000, List.of("H100"), 0, 0))
                .build();
        mixed.submit(picky);
        assertThat(mixed.act(new Action.Start(1, mixed.on(1, 2))).facts())
                .singleElement()
                .isInstanceOfSatisfying(
                        Fact.Rejected.class, f -> assertThat(f.rule()).contains("may not run on"));
    }
}
