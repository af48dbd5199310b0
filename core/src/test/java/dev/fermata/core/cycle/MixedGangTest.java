package dev.fermata.core.cycle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Action;
import dev.fermata.core.contract.Fact;
import dev.fermata.core.model.GpuCatalogue;
import dev.fermata.core.model.Topology;
import org.junit.jupiter.api.Test;

class MixedGangTest {
    /** The speed model takes the type of a gang from its first GPU: a slow one behind it would go unnoticed. */
    @Test
    void aGangGetsGpusOfOneType() {
        Topology both = Topology.builder()
                .node(GpuCatalogue.named("H100"), 2)
                .node(GpuCatalogue.named("K80"), 2)
                .build();
        Bench mixed = new Bench(both);
        mixed.submit(Bench.job(1, 2));
        assertThat(mixed.act(new Action.Start(1, mixed.on(1, 2))).facts())
                .singleElement()
                .isInstanceOf(Fact.Rejected.class);
    }
}
