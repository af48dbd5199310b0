package dev.fermata.engine.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.model.ClusterMatch;
import dev.fermata.core.model.Topology;
import dev.fermata.live.engine.EngineEvent;
import dev.fermata.live.engine.EngineNode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What changes about the GPUs of this machine while an engine is open. */
class DeviceWatchTest {
    private final List<EngineEvent> events = new ArrayList<>();
    private String gpus = "virtual:3:H100";
    private final DeviceWatch watch = new DeviceWatch(this::search, search(), events::add);

    private Hardware search() {
        if (gpus.isEmpty()) {
            throw new IllegalStateException("nvidia-smi does not answer");
        }
        return Hardware.of(gpus, "");
    }

    private List<Integer> reported() {
        return events.stream()
                .map(event -> ((EngineEvent.NodeReported) event).node().gpus().size())
                .toList();
    }

    @Test
    void gpusThatVanishAndAppearAreReportedOnce() {
        watch.check();
        assertThat(events).isEmpty();
        gpus = "virtual:2:H100";
        watch.check();
        watch.check();
        gpus = "virtual:4:H100";
        watch.check();
        assertThat(reported()).containsExactly(2, 4);
    }

    @Test
    void whatCannotBeReadIsNotGone() {
        gpus = "";
        watch.check();
        watch.check();
        assertThat(events).isEmpty();
        gpus = "virtual:1:H100";
        watch.check();
        assertThat(reported()).containsExactly(1);
    }

    @Test
    void eachNumberKeepsItsDeviceAndAMissingOneHasNone() {
        Topology three = watch.found().topology();
        watch.number(three);
        gpus = "virtual:2:H100";
        watch.check();
        assertThat(watch.numbered().devices()).containsExactly(0, 1, Hardware.NO_DEVICE);
        gpus = "virtual:5:H100";
        watch.check();
        assertThat(watch.numbered().devices()).containsExactly(0, 1, 2);
        watch.number(ClusterMatch.match(three, watch.found().topology()));
        assertThat(watch.numbered().devices()).containsExactly(0, 1, 2, 3, 4);
    }

    @Test
    void anotherTypeIsTheSameMachineWithOtherGpus() {
        gpus = "virtual:3:A100";
        watch.check();
        assertThat(events).hasSize(1);
        EngineNode node = ((EngineEvent.NodeReported) events.get(0)).node();
        assertThat(node.gpus()).allSatisfy(gpu -> assertThat(gpu.type().name()).isEqualTo("A100"));
    }
}
