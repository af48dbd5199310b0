package dev.fermata.live.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Event;
import dev.fermata.core.model.GpuType;
import dev.fermata.core.model.Node;
import dev.fermata.core.model.NodeSpec;
import dev.fermata.core.model.Topology;
import dev.fermata.live.engine.EngineNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What reports of machines mean for the cluster: the same whether one machine or all are looked at. */
class InventoryTest {
    private static final GpuType H100 = new GpuType("H100", 80_000, 2.0);
    private static final GpuType L4 = new GpuType("L4", 24_000, 1.0);
    private static final Topology BEGIN =
            Topology.builder().node(H100, 2).node(L4, 2).build();

    private final SplittableRandom random = new SplittableRandom(17);

    private EngineNode machine(String id, int life) {
        List<EngineNode.Gpu> gpus = new ArrayList<>();
        boolean mixed = random.nextInt(12) == 0;
        int count = random.nextInt(4);
        for (int i = 0; i < count; i++) {
            boolean borrowed = random.nextInt(25) == 0;
            String owner = borrowed ? "m" + random.nextInt(5) : id;
            GpuType type = mixed && i % 2 == 1 ? L4 : H100;
            EngineNode.Gpu gpu = new EngineNode.Gpu(owner + "-" + life / 40 + "-" + i, type);
            if (gpus.stream().noneMatch(other -> other.id().equals(gpu.id()))) {
                gpus.add(gpu);
            }
        }
        return new EngineNode(
                id,
                "host-" + id,
                "rack" + random.nextInt(2),
                gpus,
                new Node.Host(1000L * (1 + random.nextInt(4)), 64_000),
                new TreeMap<>(Map.of("label", "" + random.nextInt(3))));
    }

    private static Topology after(Topology cluster, List<Event> events) {
        Topology now = cluster;
        for (Event event : events) {
            if (event instanceof Event.NodeAdded added) {
                now = now.withNode(now.nodes().size(), added.spec());
            } else if (event instanceof Event.NodeChanged changed) {
                now = now.withNode(changed.node(), changed.spec());
            } else if (event instanceof Event.NodeRemoved removed) {
                now = now.withNode(
                        removed.node(), NodeSpec.of(now, removed.node()).removed());
            }
        }
        return now;
    }

    @Test
    void aPlainChangeMeansTheSameAsAMatchOfTheWholeCluster() {
        Inventory plain = new Inventory(BEGIN);
        Inventory whole = new Inventory(BEGIN);
        Topology cluster = BEGIN;
        int events = 0;
        for (int step = 0; step < 400; step++) {
            for (int reports = 1 + random.nextInt(3); reports > 0; reports--) {
                String id = "m" + random.nextInt(5);
                if (random.nextInt(5) == 0) {
                    plain.remove(id);
                    whole.remove(id);
                } else {
                    EngineNode machine = machine(id, step);
                    plain.report(machine);
                    whole.report(machine);
                }
            }
            List<Event> found = plain.takeChanges(cluster);
            assertThat(found).as("step %s", step).isEqualTo(whole.match(cluster));
            events += found.size();
            cluster = after(cluster, found);
        }
        assertThat(events).isGreaterThan(300);
    }
}
