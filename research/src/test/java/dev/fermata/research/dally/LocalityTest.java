package dev.fermata.research.dally;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.PendingReason;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Locality;
import dev.fermata.core.model.Profile;
import dev.fermata.core.model.Tier;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.order.LeaseOrder;
import dev.fermata.sim.TestSimulation;
import dev.fermata.sim.cluster.ClusterSpec;
import dev.fermata.sim.workload.DallyGenerator;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which jobs wait for a close placement, and how long. */
class LocalityTest {
    private static final Topology CLUSTER = ClusterSpec.parse("2x2x2", DallyNetwork.DEFAULT.network());

    private static Profile model(String name) {
        return DallyGenerator.profiles().stream()
                .filter(p -> p.model().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static Job pinned(long id, int gpus) {
        return Job.builder(id, gpus).maxPreemptions(0).build();
    }

    /** One GPU is free in each rack from 10 s on, for 500 s; job 9 comes at 20 s and wants two. */
    private static TestSimulation halves(String policy, Profile profile) {
        return halves(policy, Job.builder(9, 2).profile(profile).build(), 5);
    }

    private static TestSimulation halves(String policy, Job late, long seconds) {
        return TestSimulation.on(CLUSTER, policy)
                .job(pinned(1, 1), 0, 500)
                .job(pinned(2, 1), 0, 10)
                .job(pinned(3, 2), 0, 500)
                .job(pinned(4, 1), 0, 500)
                .job(pinned(5, 1), 0, 10)
                .job(pinned(6, 2), 0, 500)
                .job(late, 20, seconds);
    }

    /** One GPU is free on each node of the first rack. */
    private static TestSimulation halvesInARack(String policy, Profile profile) {
        return halvesInARack(policy, Job.builder(9, 2).profile(profile).build(), 5);
    }

    private static TestSimulation halvesInARack(String policy, Job late, long seconds) {
        return TestSimulation.on(CLUSTER, policy)
                .job(pinned(1, 1), 0, 500)
                .job(pinned(2, 1), 0, 10)
                .job(pinned(3, 1), 0, 500)
                .job(pinned(4, 1), 0, 10)
                .job(pinned(5, 2), 0, 500)
                .job(pinned(6, 2), 0, 500)
                .job(late, 20, seconds);
    }

    @ParameterizedTest
    @CsvSource({
        "skew, resnet50, 20, 20",
        "skew, bert-large, 20, 20",
        "skew, vgg11, 500, 500",
        "skew, mobilenetv3, 500, 500",
        "skew-slip, alexnet, 20, 500",
        "skew-slip, resnet50, 20, 20"
    })
    void skewedModelsWaitForOneNodeUnlessTheRuleSlips(String place, String model, long inRack, long overRacks) {
        String policy = "las:place=" + place;

        assertThat(halvesInARack(policy, model(model)).run().startedMillis(9, 1))
                .isEqualTo(inRack * 1000);
        assertThat(halves(policy, model(model)).run().startedMillis(9, 1)).isEqualTo(overRacks * 1000);
    }

    @ParameterizedTest
    @CsvSource({"resnet50, 20", "mobilenetv3, 140"})
    void withSlackAnInsensitiveJobDoesNotWait(String model, long seconds) {
        TestSimulation simulation =
                halves("dally:lease=10s,slack=0.05", model(model)).run();

        assertThat(simulation.startedMillis(9, 1)).isEqualTo(seconds * 1000);
    }

    /** A job's own wait is shorter than the policy's; where the policy would not wait, it does not. */
    @ParameterizedTest
    @CsvSource({
        "'dally:lease=10s,rack=2,net=5', NODE, -1, 40, 70",
        "'dally:lease=10s,rack=2,net=5', NODE, 30, 40, 50",
        "'dally:lease=10s,rack=2,net=5', NODE, 10, 30, 30",
        "'dally:lease=10s,rack=2,net=5', NODE, 0, 20, 20",
        "'dally:lease=10s,rack=2,net=5', RACK, -1, 20, 70",
        "'dally:lease=10s,rack=2,net=5', RACK, 15, 20, 35",
        "fifo:place=break-even, NODE, -1, 500, 500",
        "fifo:place=break-even, NODE, 30, 50, 50",
        "fifo:place=break-even, NODE, 0, 20, 20",
        "fifo:place=break-even, RACK, -1, 20, 500",
        "fifo:place=break-even, RACK, 15, 20, 35",
        "fifo:place=first-fit, NODE, 30, 20, 20"
    })
    void aJobMaySetItsLocalityTierAndWait(String policy, Tier enough, long waitSeconds, long inRack, long overRacks) {
        long wait = waitSeconds < 0 ? Locality.POLICY_DECIDES : waitSeconds * 1000;
        Job job = Job.builder(9, 2)
                .profile(model("mobilenetv3"))
                .locality(new Locality(enough, wait))
                .build();

        assertThat(halvesInARack(policy, job, 20_000).run().startedMillis(9, 1)).isEqualTo(inRack * 1000);
        assertThat(halves(policy, job, 20_000).run().startedMillis(9, 1)).isEqualTo(overRacks * 1000);
    }

    @Test
    void thePendingReasonNamesTheEndOfTheWait() {
        List<PendingReason> pendingReasons = new ArrayList<>();
        TestSimulation simulation = halves("dally:lease=10s,rack=2,net=5", Profile.UNKNOWN);
        simulation.run((now, record) -> {
            if (record instanceof HistoryRecord.Submitted && record.jobId() == 9) {
                pendingReasons.add(simulation.scheduler().explain(9));
            }
        });

        assertThat(pendingReasons).containsExactly(new PendingReason.WaitingForLocality(9, 2, 2, 40_000));
        assertThat(pendingReasons.get(0).message()).contains("before 40 s");
        assertThat(simulation.startedMillis(9, 1)).as("no rack has two either").isEqualTo(70_000);
    }

    @Test
    void aGangLargerThanANodeStartsWithRacks() {
        TestSimulation simulation = TestSimulation.on(CLUSTER, "dally:lease=10s")
                .job(pinned(1, 1), 0, 500)
                .job(pinned(2, 1), 0, 500)
                .job(Job.builder(9, 4).build(), 20, 5)
                .run();

        assertThat(simulation.startedMillis(9, 1)).isEqualTo(20_000);
    }

    /** A job with a distant placement is placed again when its lease ends, here because other jobs leave a node. */
    @ParameterizedTest
    @CsvSource({"true, 2", "false, 1"})
    void aScatteredJobIsMigrated(boolean migrate, int attempts) {
        TestSimulation simulation = TestSimulation.on(CLUSTER, "dally:lease=10s,rack=0,net=0,relocate=" + migrate)
                .job(pinned(1, 1), 0, 500)
                .job(pinned(2, 1), 0, 10)
                .job(pinned(3, 2), 0, 60)
                .job(pinned(4, 1), 0, 500)
                .job(pinned(5, 1), 0, 10)
                .job(pinned(6, 2), 0, 500)
                .job(Job.builder(9, 2).profile(model("resnet18")).build(), 20, 100)
                .run();

        assertThat(simulation.startedMillis(9, 1)).isEqualTo(20_000);
        assertThat(simulation.metrics().results().stream()
                        .filter(r -> r.id() == 9)
                        .findFirst()
                        .orElseThrow()
                        .attempts())
                .isEqualTo(attempts);
    }

    /** MobileNetV3 on one machine of eight computes 0.063 ms of every 0.10268: 614 thousandths, however well placed. */
    @Test
    void sensitivityIsComputeTimeOverHeldTime() {
        List<Integer> measured = new ArrayList<>();
        TestSimulation simulation = TestSimulation.on(ClusterSpec.parse("1x8", DallyNetwork.DEFAULT.network()), "dally")
                .job(Job.builder(1, 8).profile(model("mobilenetv3")).build(), 0, 1000)
                .job(Job.builder(2, 8).build(), 0, 1000)
                .job(Job.builder(3, 8).build(), 500, 10);
        simulation.run((now, record) -> {
            if (record instanceof HistoryRecord.Submitted && now == 500_000) {
                measured.add(LeaseOrder.sensitivity(
                        Objects.requireNonNull(simulation.scheduler().job(1)),
                        simulation.scheduler().view()));
                measured.add(LeaseOrder.sensitivity(
                        Objects.requireNonNull(simulation.scheduler().job(2)),
                        simulation.scheduler().view()));
            }
        });

        assertThat(measured).containsExactly(614, 0);
    }
}
