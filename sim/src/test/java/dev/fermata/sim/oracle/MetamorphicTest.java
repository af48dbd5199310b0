package dev.fermata.sim.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Fact;
import dev.fermata.core.model.Costs;
import dev.fermata.sim.Play;
import dev.fermata.sim.cluster.ClusterSpec;
import dev.fermata.sim.workload.TrueJob;
import dev.fermata.sim.workload.Workload;
import dev.fermata.sim.workload.WorkloadSpec;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What must follow when a world is changed in a way whose effect is known. */
class MetamorphicTest {
    private static final int SEEDS = 20;

    /** When each job ended, by id. */
    private static Map<Long, Long> ends(Play play) {
        Map<Long, Long> ends = new TreeMap<>();
        for (Play.Line line : play.history()) {
            if (line.fact() instanceof Fact.Left left && left.next().isFinal()) {
                ends.put(left.jobId(), line.atMillis());
            }
        }
        return ends;
    }

    private static Play play(String cluster, String policy, Workload workload) {
        Play play = Play.on(cluster, policy);
        workload.jobs().forEach(play::job);
        return play.run();
    }

    private static Workload jobs(String text, long seed) {
        return WorkloadSpec.generate(text, ClusterSpec.parse("2x4"), seed);
    }

    private static Workload slowed(Workload workload, int factor) {
        return new Workload(
                "slowed",
                workload.jobs().stream()
                        .map(j -> {
                            Costs costs = j.costs().scaled(factor);
                            return new TrueJob(
                                    j.job().withCosts(costs),
                                    j.submitMillis() * factor,
                                    j.durationMillis() * factor,
                                    j.peakMemoryMib(),
                                    costs);
                        })
                        .toList());
    }

    @ParameterizedTest
    @ValueSource(strings = {"fifo", "fifo-backfill", "sjf", "srtf", "srsf", "xion", "xion:service=true,crowd=3"})
    void inAWorldThatIsThreeTimesAsSlowEverythingTakesThreeTimesAsLong(String policy) {
        for (long seed = 1; seed <= SEEDS; seed++) {
            // pauses stay within the grace period, which is not slowed
            Workload workload = jobs("xion:jobs=60,load=1.1", seed).withCosts(c -> c.scaled(0.5));
            Map<Long, Long> before = ends(play("2x4", policy, workload));
            Map<Long, Long> after = ends(play("2x4", policy, slowed(workload, 3)));
            before.replaceAll((id, end) -> end * 3);
            assertThat(after).as("%s, seed %d", policy, seed).isEqualTo(before);
        }
    }

    @Test
    void underFifoNobodyEndsLaterOnAFasterCluster() {
        for (long seed = 1; seed <= SEEDS; seed++) {
            Workload workload = jobs("xion:jobs=60,load=1.2", seed).withCosts(c -> Costs.NONE);
            Map<Long, Long> slow = ends(play("2x4:P100", "fifo", workload));
            Map<Long, Long> fast = ends(play("2x4:V100", "fifo", workload));
            slow.forEach((id, end) -> assertThat(fast.get(id)).isLessThanOrEqualTo(end));
        }
    }

    /** With free pauses and one GPU a job, Xion's test is whether the victim has more left: SRTF's own. */
    @Test
    void whenPausesAreFreeXionIsSrtfForSingleVictims() {
        for (long seed = 1; seed <= SEEDS; seed++) {
            Workload gangs = jobs("xion:jobs=80,load=12", seed).withCosts(c -> Costs.NONE);
            Workload singles = new Workload(
                    "singles",
                    gangs.jobs().stream()
                            .filter(j -> j.job().demand().maxGpus() == 1)
                            .toList());
            Play srtf = play("2x4", "srtf", singles);
            Play xion = play("2x4", "xion", singles);
            assertThat(pauses(srtf)).isPositive();
            assertThat(pauses(xion)).isEqualTo(pauses(srtf));
            assertThat(ends(xion)).as("seed %d", seed).isEqualTo(ends(srtf));
        }
    }

    private static long pauses(Play play) {
        return play.history().stream()
                .filter(l -> l.fact() instanceof Fact.Pausing)
                .count();
    }

    @Test
    void theDearerThePauseTheFewerXionMakes() {
        List<Double> scales = List.of(0.0, 1.0, 4.0, 16.0);
        long before = Long.MAX_VALUE;
        for (double scale : scales) {
            long pauses = 0;
            for (long seed = 1; seed <= SEEDS; seed++) {
                pauses += pauses(play("2x4", "xion", jobs("xion:jobs=60", seed).withCosts(c -> c.scaled(scale))));
            }
            assertThat(pauses).as("costs x%s", scale).isLessThan(before);
            before = pauses;
        }
    }

    /** Every pause pays for itself only if the beneficiary gets the GPUs: it starts on them, or sooner on others. */
    @ParameterizedTest
    @ValueSource(strings = {"xion", "fermata"})
    void whoeverGotOthersPausedStartsOnTheirGpusOrSooner(String policy) {
        for (long seed = 1; seed <= SEEDS; seed++) {
            Play play = play("2x4", policy, jobs("xion:jobs=60,load=1.3", seed));
            Map<Long, Fact.Promised> promised = new TreeMap<>();
            Map<Long, Long> sooner = new TreeMap<>();
            for (Play.Line line : play.history()) {
                if (line.fact() instanceof Fact.Promised p) {
                    promised.put(p.jobId(), p);
                } else if (line.fact() instanceof Fact.Started s && promised.containsKey(s.jobId())) {
                    assertThat(s.allocation())
                            .isEqualTo(promised.remove(s.jobId()).allocation());
                } else if (line.fact() instanceof Fact.Unpromised u) {
                    promised.remove(u.jobId());
                    sooner.put(u.jobId(), line.atMillis());
                } else if (line.fact() instanceof Fact.Started s && sooner.containsKey(s.jobId())) {
                    assertThat(line.atMillis()).isEqualTo(sooner.remove(s.jobId()));
                }
            }
            assertThat(promised).isEmpty();
            assertThat(sooner).isEmpty();
        }
    }
}
