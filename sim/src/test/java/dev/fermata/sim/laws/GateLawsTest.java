package dev.fermata.sim.laws;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Fact;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every policy of the catalogue keeps the laws behind gates it knows nothing of, and the laws of the gates. */
class GateLawsTest {
    private static final int SEEDS = Integer.getInteger("fermata.seeds", 20);

    static Stream<String> policies() {
        return LawsTest.policies();
    }

    @ParameterizedTest
    @MethodSource("policies")
    void everyPolicyKeepsTheLawsBehindGates(String policy) {
        for (long seed = 1; seed <= SEEDS; seed++) {
            keepsTheLaws(GatedWorld.of(seed), policy, turn -> false);
            keepsTheLaws(GatedWorld.shared(seed), policy, turn -> false);
        }
    }

    /** Gates are derived from what is seen: whoever takes over knows them all. */
    @ParameterizedTest
    @MethodSource("policies")
    void whoeverTakesOverKeepsTheLaws(String policy) {
        for (long seed = 1; seed <= SEEDS / 4; seed++) {
            long every = 3 + seed % 11;
            World world = GatedWorld.of(seed).judgedBy("oracle"); // a history that is forgotten turns ranks over
            keepsTheLaws(world, policy, turn -> turn % every == every - 1);
        }
    }

    private static void keepsTheLaws(World world, String policy, Ring.Revival revival) {
        LawWitness laws = new LawWitness(world, policy);
        GateWitness gates = new GateWitness(world, policy);
        try {
            new Ring(
                            world,
                            policy,
                            (now, news, decision, scheduler) -> {
                                gates.turn(now, news, decision, scheduler);
                                laws.turn(now, news, decision, scheduler);
                            },
                            false)
                    .run(revival);
            laws.end();
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError("seed " + world.seed() + ", policy " + policy + ": " + e, e);
        }
    }

    /** A law about gates is worth as much as the gates that closed. */
    @Test
    void everyGateClosesInSomeWorld() {
        Set<String> reasons = new HashSet<>();
        Set<String> facts = new HashSet<>();
        for (long seed = 1; seed <= SEEDS; seed++) {
            List<Ring.Line> history = new Ring(
                            GatedWorld.of(seed),
                            "sjf",
                            (now, news, decision, scheduler) -> scheduler.jobs().forEach(job -> {
                                if (scheduler.explain(job.id()) != null) {
                                    reasons.add(
                                            scheduler.explain(job.id()).reason().name());
                                }
                            }),
                            false)
                    .run();
            for (Ring.Line line : history) {
                if (line.fact() instanceof Fact.Ended
                        || line.fact() instanceof Fact.Pausing
                        || line.fact() instanceof Fact.Profiled) {
                    facts.add(line.fact().getClass().getSimpleName()); // sjf pauses nobody: it was reclaimed
                }
            }
        }
        assertThat(reasons)
                .contains("HELD", "DEPENDENCY", "ARRAY_LIMIT", "PROFILE_PENDING", "QUEUE_LIMIT", "QUEUE_SHARE");
        assertThat(facts).contains("Ended", "Pausing", "Profiled");
    }

    @ParameterizedTest
    @MethodSource("policies")
    void theSameSeedGivesTheSameHistory(String policy) {
        for (long seed = 1; seed <= SEEDS / 5; seed++) {
            List<Ring.Line> once = new Ring(GatedWorld.of(seed), policy, Ring.Witness.NONE, false).run();
            List<Ring.Line> again = new Ring(GatedWorld.of(seed), policy, Ring.Witness.NONE, false).run();
            assertThat(again).as("seed %d, policy %s", seed, policy).isEqualTo(once);
        }
    }
}
