package dev.fermata.sim.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Order;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.GpuCatalogue;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Link;
import dev.fermata.core.model.Network;
import dev.fermata.core.model.Profile;
import dev.fermata.core.model.Topology;
import dev.fermata.sim.workload.SimulatedJob;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Gangs that share a link, against the closed form. */
class LinkContentionTest {
    private static final ModelError SHARED = new ModelError(0, 0, 0, 0, 0, 1);
    private static final Network NETWORK = new Network(new Link(100, 0), new Link(10, 0), new Link(5, 0));
    private static final double MIB = 1048576.0;

    /** Racks of nodes with one GPU each, so that a gang of two in one rack is as close as can be. */
    private static Topology topology(int racks, int nodes) {
        Topology.Builder builder = Topology.builder().network(NETWORK);
        for (int r = 0; r < racks; r++) {
            builder.rack();
            for (int n = 0; n < nodes; n++) {
                builder.node(GpuCatalogue.GENERIC, 1);
            }
        }
        return builder.build();
    }

    /** 100 ms of compute, then one transfer of 1,000 MiB: 104.86 ms over the uplinks of two nodes. */
    private static Job gang(long id) {
        return Job.builder(id, 2)
                .profile(new Profile("m" + id, 100, 1, 1000, 1, 0, Map.of()))
                .build();
    }

    private static final double TRANSFER = 1000 * MIB / 10e6;

    /** Starts gangs of two at once on these GPUs and returns all speeds, in order, and end times by job. */
    private static final class Runs {
        final List<List<Long>> speeds = new ArrayList<>();
        final Map<Long, Long> ends = new TreeMap<>();

        Runs(Topology topology, ModelError error, long[] seconds, int[]... gpus) {
            SimulatedEngine engine =
                    new SimulatedEngine(topology, Faults.none(topology), new TrueModel(topology, error, 1));
            for (int i = 0; i < gpus.length; i++) {
                speeds.add(new ArrayList<>());
                engine.addJob(SimulatedJob.of(gang(i), 0, 1000 * seconds[i]));
                engine.submit(0, new Order.Start(i, 1, Allocation.of(topology, gpus[i], false), false));
            }
            while (ends.size() < gpus.length) {
                long now = engine.nextMillis();
                for (Event event : engine.advance(now)) {
                    if (event instanceof Event.Running running) {
                        speeds.get((int) running.jobId()).add(running.speedMicro());
                    } else if (event instanceof Event.SpeedChanged changed) {
                        speeds.get((int) changed.jobId()).add(changed.speedMicro());
                    } else if (event instanceof Event.AttemptEnded ended) {
                        ends.put(ended.jobId(), now);
                    }
                }
            }
        }
    }

    private static long micro(double speed) {
        return Math.round(speed * 1e6);
    }

    @Test
    void twoGangsOverOneUplinkTransferMoreSlowly() {
        double share = TRANSFER / (100 + TRANSFER); // of its time one of them transfers when alone
        double together = (100 + TRANSFER) / (100 + TRANSFER * (1 + share));
        Runs runs = new Runs(topology(1, 3), SHARED, new long[] {100, 300}, new int[] {0, 1}, new int[] {1, 2});

        assertThat(runs.speeds.get(0)).hasSize(2);
        assertThat(runs.speeds.get(0).get(0)).isEqualTo(1_000_000);
        assertThat(runs.speeds.get(0).get(1)).isCloseTo(micro(together), within(1L));
        assertThat(runs.ends.get(0L)).isCloseTo(Math.round(100_000 / together), within(2L));
        // the other is alone for what is left
        assertThat(runs.speeds.get(1).get(0)).isCloseTo(micro(together), within(1L));
        assertThat(runs.speeds.get(1).get(1)).isEqualTo(1_000_000);
        assertThat(runs.ends.get(1L)).isCloseTo(Math.round(100_000 / together) + 200_000, within(3L));
    }

    @Test
    void ofThreeGangsTheMiddleOneSeesItsBusiestLink() {
        double share = TRANSFER / (100 + TRANSFER);
        double twoOthers = (100 + TRANSFER) / (100 + TRANSFER * (1 + 2 * share));
        double oneOther = (100 + TRANSFER) / (100 + TRANSFER * (1 + share));
        Runs same = new Runs(
                topology(1, 4), SHARED, new long[] {100, 100, 100}, new int[] {0, 1}, new int[] {0, 2}, new int[] {0, 3
                });
        Runs chain = new Runs(
                topology(1, 4), SHARED, new long[] {100, 100, 100}, new int[] {0, 1}, new int[] {1, 2}, new int[] {2, 3
                });
        assertThat(same.speeds.get(0)).contains(micro(twoOthers));
        assertThat(chain.speeds.get(1)).contains(micro(oneOther)).doesNotContain(micro(twoOthers));
    }

    @Test
    void gangsOnOtherLinksDoNotMatter() {
        Runs runs = new Runs(topology(1, 4), SHARED, new long[] {100, 100}, new int[] {0, 1}, new int[] {2, 3});
        assertThat(runs.speeds).allMatch(speeds -> speeds.equals(List.of(1_000_000L)));
        assertThat(runs.ends.values()).containsOnly(100_000L);
    }

    /** Two uplinks a rack: the other gang is on the same one half of the time. */
    @Test
    void gangsBetweenTheSameRacksShareTheirUplinks() {
        double transfer = 1000 * MIB / 5e6;
        double reference = 100 + 1000 * MIB / 10e6;
        double share = transfer / (100 + transfer);
        Runs runs = new Runs(topology(2, 2), SHARED, new long[] {100, 100}, new int[] {0, 2}, new int[] {1, 3});
        assertThat(runs.speeds.get(0).get(0)).isCloseTo(micro(reference / (100 + transfer)), within(1L));
        assertThat(runs.speeds.get(0).get(1))
                .isCloseTo(micro(reference / (100 + transfer * (1 + share / 2))), within(1L));
    }

    @Test
    void withoutContentionPredictionHolds() {
        Runs runs =
                new Runs(topology(1, 3), ModelError.NONE, new long[] {100, 300}, new int[] {0, 1}, new int[] {1, 2});
        assertThat(runs.ends).containsEntry(0L, 100_000L).containsEntry(1L, 300_000L);
    }
}
