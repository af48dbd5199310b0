package dev.fermata.app.live;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Fact;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.cycle.GuardMode;
import dev.fermata.core.cycle.Scheduler;
import dev.fermata.core.estimate.History;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.live.conductor.ConductorSettings;
import dev.fermata.live.conductor.FactLines;
import dev.fermata.live.conductor.LiveEstimator;
import dev.fermata.sim.engine.Faults;
import dev.fermata.sim.engine.SimulatedEngine;
import dev.fermata.sim.kernel.Simulation;
import dev.fermata.sim.workload.Workload;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * One workload through the simulator and through the daemon's conductor, on a real store and with a clock turned by hand: the histories
 * are the same, fact by fact. And with the conductor killed and recovered all the time: the same again where the policy keeps
 * no memory of its own, lawful everywhere.
 */
class SameDecisionsTest {
    private static final int JOBS = 60;
    private static final ConductorSettings SETTINGS =
            ConductorSettings.DEFAULT.withGuard(GuardMode.FULL).withImageEveryLines(37);
    private static final int NEVER = Integer.MAX_VALUE;

    @TempDir
    Path folder;

    /** One line of a history. */
    private record Happened(long atMillis, Fact fact) {}

    @ParameterizedTest
    @CsvSource({"fermata,1", "fermata,2", "xion,3", "fitgpp,4", "srtf,5", "las,6", "fifo,10"})
    void conductorDecidesWhatTheSimulatorDecides(String policy, long seed) throws InterruptedException {
        Wishes wishes = new Wishes(seed, JOBS, SETTINGS.costs());
        List<Happened> simulated = simulate(wishes, policy);
        List<Happened> conducted = conduct(wishes, policy, NEVER);
        assertSame(conducted, simulated);
        assertThat(conducted).hasSizeGreaterThan(4 * JOBS);
        checkLaws(wishes, conducted);
    }

    /**
     * {@code fifo} remembers nothing between decisions and asks for no estimates: what it decides is a function of the ledger alone.
     * The others keep notes (leases, what was learned, who was refused), which a restart makes them write anew.
     */
    @ParameterizedTest
    @CsvSource({
        "fifo,1,true",
        "fifo,2,true",
        "fermata,3,false",
        "xion,4,false",
        "fitgpp,5,false",
        "srtf,6,false",
        "las,7,false"
    })
    void killedConductorGoesOnLawfully(String policy, long seed, boolean memoryless) throws InterruptedException {
        Wishes wishes = new Wishes(seed, JOBS, SETTINGS.costs());
        List<Happened> conducted = conduct(wishes, policy, 5);
        checkLaws(wishes, conducted);
        if (memoryless) {
            assertSame(conducted, simulate(wishes, policy));
        }
    }

    /** Names the first difference: the whole histories would fill a book. */
    private static void assertSame(List<Happened> conducted, List<Happened> simulated) {
        for (int i = 0; i < Math.min(conducted.size(), simulated.size()); i++) {
            assertThat(conducted.get(i)).as("line %s", i + 1).isEqualTo(simulated.get(i));
        }
        assertThat(conducted).hasSameSizeAs(simulated);
    }

    private static List<Happened> simulate(Wishes wishes, String policy) {
        PolicySpec spec = PolicySpec.parse(policy);
        List<Happened> history = new ArrayList<>();
        Scheduler scheduler = new Scheduler(
                wishes.topology,
                spec.create(),
                LiveEstimator.withoutReports(new History()),
                GuardMode.FULL,
                spec.memoryPromise(),
                spec.mixedGangs());
        new Simulation(
                        new Workload("wishes", wishes.jobs),
                        scheduler,
                        new SimulatedEngine(wishes.topology, Faults.none(wishes.topology)),
                        (now, fact) -> history.add(new Happened(now, fact)))
                .run(() -> false);
        return history;
    }

    private List<Happened> conduct(Wishes wishes, String policy, int killEvery) throws InterruptedException {
        FactLines facts = new FactLines(wishes.topology);
        return new Conducted(wishes, policy, SETTINGS)
                .history(folder, killEvery).stream()
                        .map(line ->
                                new Happened(line.atMillis(), facts.fact(line).orElseThrow()))
                        .toList();
    }

    /** Every job ends once, its attempts follow one another, and no GPU is given twice to those who do not share. */
    private static void checkLaws(Wishes wishes, List<Happened> history) {
        Map<Long, JobState> ended = new HashMap<>();
        Map<Long, Integer> attempts = new HashMap<>();
        Map<Integer, Fact.Started> onGpu = new HashMap<>();
        Map<Long, Allocation> held = new HashMap<>();
        for (Happened happened : history) {
            Fact fact = happened.fact();
            assertThat(ended).as("nothing happens to %s after its end", fact).doesNotContainKey(fact.jobId());
            if (fact instanceof Fact.Started started) {
                assertThat(held.put(started.jobId(), started.allocation())).isNull();
                assertThat(started.attempt()).isEqualTo(attempts.merge(started.jobId(), 1, Integer::sum));
                for (int gpu : started.allocation().toArray()) {
                    Fact.Started before = onGpu.put(gpu, started);
                    assertThat(before == null
                                    || (before.allocation().shared()
                                            && started.allocation().shared()))
                            .as("%s and %s on gpu %s", before, started, gpu)
                            .isTrue();
                }
            } else if (fact instanceof Fact.Left left) {
                for (int gpu : Objects.requireNonNull(held.remove(left.jobId())).toArray()) {
                    onGpu.computeIfPresent(gpu, (g, who) -> who.jobId() == left.jobId() ? null : who);
                }
                if (left.next().isFinal()) {
                    ended.put(left.jobId(), left.next());
                }
            } else if (fact instanceof Fact.Ended over) {
                ended.put(over.jobId(), over.state());
            }
        }
        assertThat(ended).hasSize(wishes.jobs.size());
        assertThat(held).isEmpty();
    }
}
