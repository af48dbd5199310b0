package dev.fermata.sim.invariants;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.JobArray;
import dev.fermata.core.model.QueueRule;
import dev.fermata.core.policy.PolicyCatalogue;
import dev.fermata.sim.TestSimulation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Jobs of an array differ in nothing but their index: the first goes first, whatever is known of how long they take. */
class JobArrayOrderTest {
    private static final int JOBS = 12;

    static Stream<Arguments> cases() {
        return PolicyCatalogue.names().stream()
                .flatMap(policy -> Stream.of("oracle", "declared", "none", "history")
                        .flatMap(estimator -> Stream.of("", "atmost", "queue", "busy", "reserved")
                                .map(gate -> Arguments.of(policy, estimator, gate))));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void arrayJobsStartInIndexOrder(String policy, String estimator, String gate) {
        TestSimulation simulation = TestSimulation.on("1x4", policy).estimator(estimator);
        if (gate.equals("queue")) {
            simulation.request(0, new Event.QueuesSet(List.of(new QueueRule("q", 1, 3, 1))));
        }
        if (gate.equals("busy")) {
            for (int i = 0; i < 4; i++) {
                simulation.job(member(100 + i, JobArray.NONE), 0, 30 + i);
            }
        }
        if (gate.equals("reserved")) { // three may be preempted for the first; the fourth ends while they save
            for (int i = 0; i < 4; i++) {
                simulation.job(slow(100 + i), 0, i < 3 ? 5_000 : 6);
            }
        }
        for (int i = 0; i < JOBS; i++) {
            Job job = member(i + 1, new JobArray(1, i, gate.equals("atmost") ? 2 : 0));
            // While earlier jobs wait for victims to save, the first must not be preempted for a later one.
            simulation.job(
                    gate.equals("reserved")
                            ? job.toBuilder(i + 1).maxPreemptions(0).build()
                            : job,
                    5,
                    60);
        }
        simulation.run();
        List<Long> order = new ArrayList<>();
        Map<Long, Long> times = new TreeMap<>();
        for (TestSimulation.SimulatedRecord entry : simulation.history()) {
            if (entry.record() instanceof HistoryRecord.Started started
                    && started.attempt() == 1
                    && started.jobId() <= JOBS) {
                order.add(started.jobId());
                times.put(started.jobId(), entry.atMillis());
            }
        }
        assertThat(List.copyOf(times.values()))
                .as("%s, %s, %s", policy, estimator, gate)
                .hasSize(JOBS)
                .isSorted();
        if (!gate.equals(
                "reserved")) { // where several leave in one moment, their GPUs are given in the order of leaving
            assertThat(order).as("%s, %s, %s", policy, estimator, gate).isSorted();
        }
    }

    /** Takes so long to save that others come and go meanwhile. */
    private static Job slow(long id) {
        return member(id, JobArray.NONE).toBuilder(id)
                .costs(new Costs(20_000, 0, 0, 0))
                .build();
    }

    private static Job member(long id, JobArray jobArray) {
        return Job.builder(id, 1)
                .name("sweep")
                .queue("q")
                .array(jobArray)
                .costs(new Costs(2_000, 3_000, 1_000, 0))
                .declaredMillis(60_000)
                .build();
    }
}
