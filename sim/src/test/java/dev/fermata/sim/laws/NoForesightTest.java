package dev.fermata.sim.laws;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Fact;
import dev.fermata.core.policy.Catalogue;
import dev.fermata.core.policy.PolicyInfo;
import dev.fermata.sim.workload.TrueJob;
import dev.fermata.sim.workload.Workload;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * With the estimator {@code history} nothing of the future reaches a decision: two worlds that are the same up to a moment have
 * the same history up to then, whatever becomes of those who still run, wait or have not come.
 */
class NoForesightTest {
    private static final int WORLDS = 8;

    static Stream<String> policies() {
        return Catalogue.all().stream().map(PolicyInfo::name);
    }

    @ParameterizedTest
    @MethodSource("policies")
    void theFutureChangesNothingBeforeIt(String policy) {
        for (long seed = 1; seed <= WORLDS; seed++) {
            World drawn = World.plain(seed);
            World world = drawn.withHistoryOf(drawn.workload());
            List<Ring.Line> first = new Ring(world, policy, Ring.Witness.NONE, false).run();
            long moment = first.get(first.size() / 2).atMillis();
            World other = world.withHistoryOf(longerFrom(moment, world.workload(), endedBy(moment, first)));
            List<Ring.Line> second = new Ring(other, policy, Ring.Witness.NONE, false).run();
            assertThat(before(moment, second))
                    .as("seed %d, policy %s, before %d ms", seed, policy, moment)
                    .isNotEmpty()
                    .isEqualTo(before(moment, first));
            assertThat(second).as("seed %d: the worlds part", seed).isNotEqualTo(first);
        }
    }

    private static List<Ring.Line> before(long moment, List<Ring.Line> history) {
        return history.stream().filter(line -> line.atMillis() < moment).toList();
    }

    private static Set<Long> endedBy(long moment, List<Ring.Line> history) {
        Set<Long> ended = new HashSet<>();
        for (Ring.Line line : before(moment, history)) {
            if (line.fact() instanceof Fact.Left left && left.next().isFinal()) {
                ended.add(left.jobId());
            }
        }
        return ended;
    }

    /** Everybody who has not ended runs twice as long as he would have. */
    private static Workload longerFrom(long moment, Workload workload, Set<Long> ended) {
        return new Workload(
                workload.name(),
                workload.jobs().stream()
                        .map(j -> ended.contains(j.job().id())
                                ? j
                                : new TrueJob(
                                        j.job(),
                                        j.submitMillis() < moment ? j.submitMillis() : j.submitMillis() + 1000,
                                        2 * j.durationMillis(),
                                        j.peakMemoryMib(),
                                        j.costs()))
                        .toList());
    }
}
