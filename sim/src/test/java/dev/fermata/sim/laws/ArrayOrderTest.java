package dev.fermata.sim.laws;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Fact;
import dev.fermata.core.model.Bundle;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.QueueRule;
import dev.fermata.core.policy.Catalogue;
import dev.fermata.sim.Play;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Jobs of an array differ in nothing but their index: the first goes first, whatever is known of how long they take. */
class ArrayOrderTest {
    private static final int JOBS = 12;

    static Stream<Arguments> worlds() {
        return Catalogue.names().stream()
                .flatMap(policy -> Stream.of("oracle", "declared", "none", "history")
                        .flatMap(estimator -> Stream.of("", "atmost", "queue", "busy", "promised")
                                .map(gate -> Arguments.of(policy, estimator, gate))));
    }

    @ParameterizedTest
    @MethodSource("worlds")
    void theFirstOfAnArrayStartsFirst(String policy, String estimator, String gate) {
        Play play = Play.on("1x4", policy).estimator(estimator);
        if (gate.equals("queue")) {
            play.request(0, new Event.QueuesSet(List.of(new QueueRule("q", 1, 3, 1))));
        }
        if (gate.equals("busy")) {
            for (int i = 0; i < 4; i++) {
                play.job(member(100 + i, Bundle.NONE), 0, 30 + i);
            }
        }
        if (gate.equals("promised")) { // three may be paused for the first; the fourth ends while they save
            for (int i = 0; i < 4; i++) {
                play.job(slow(100 + i), 0, i < 3 ? 5_000 : 6);
            }
        }
        for (int i = 0; i < JOBS; i++) {
            Job job = member(i + 1, new Bundle(1, i, gate.equals("atmost") ? 2 : 0));
            // Where those before it still wait for others to save, the first must not be paused for a later one.
            play.job(
                    gate.equals("promised")
                            ? job.toBuilder(i + 1).maxPreemptions(0).build()
                            : job,
                    5,
                    60);
        }
        play.run();
        List<Long> order = new ArrayList<>();
        Map<Long, Long> times = new TreeMap<>();
        for (Play.Line line : play.history()) {
            if (line.fact() instanceof Fact.Started f && f.attempt() == 1 && f.jobId() <= JOBS) {
                order.add(f.jobId());
                times.put(f.jobId(), line.atMillis());
            }
        }
        assertThat(List.copyOf(times.values()))
                .as("%s, %s, %s", policy, estimator, gate)
                .hasSize(JOBS)
                .isSorted();
        if (!gate.equals(
                "promised")) { // where several leave in one moment, their GPUs are given in the order of leaving
            assertThat(order).as("%s, %s, %s", policy, estimator, gate).isSorted();
        }
    }

    /** Takes so long to save that others come and go meanwhile. */
    private static Job slow(long id) {
        return member(id, Bundle.NONE).toBuilder(id)
                .costs(new Costs(20_000, 0, 0, 0))
                .build();
    }

    private static Job member(long id, Bundle bundle) {
        return Job.builder(id, 1)
                .name("sweep")
                .queue("q")
                .bundle(bundle)
                .costs(new Costs(2_000, 3_000, 1_000, 0))
                .declaredMillis(60_000)
                .build();
    }
}
