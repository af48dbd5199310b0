package dev.fermata.sim.laws;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Decision;
import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Fact;
import dev.fermata.core.contract.LedgerImage;
import dev.fermata.core.cycle.GuardMode;
import dev.fermata.core.cycle.Scheduler;
import dev.fermata.core.policy.Catalogue;
import dev.fermata.core.policy.PolicyInfo;
import dev.fermata.core.policy.PolicySpec;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The ledger is a function of its facts: whoever has them, or an image and those after it, has the same ledger. */
class RebuildTest {
    private static final int SEEDS = Integer.getInteger("fermata.seeds", 24);
    private static final int IMAGE_EVERY = 23;

    static Stream<String> policies() {
        return Stream.of(
                "fifo",
                "srtf",
                "las:threshold=300,queues=4,ratio=3",
                "gandiva:lease=4m",
                "dally:lease=1m",
                "srtf:place=random,seed=4,share=3",
                "xion:share=2",
                "xonar:max-skip=2,slots=3,score=7",
                "jps:patience=3m,idle=false,jobs=4",
                "fitgpp:share=2,s=0,grace=limit",
                "fermata");
    }

    /** A scheduler to be told facts; its policy is never asked, so it may be another. */
    private static Scheduler listener(World world) {
        return new Scheduler(
                world.topology(), PolicySpec.parse("fifo").create(), (job, now) -> 1, GuardMode.FULL, true, true);
    }

    /** Replays every turn beside the living, from the beginning and from images taken on the way. */
    private static final class Scribe implements Ring.Witness {
        private final World world;
        private final List<Scheduler> copies = new ArrayList<>();
        private final Set<String> kinds = new HashSet<>();
        private int turns;

        Scribe(World world) {
            this.world = world;
            copies.add(listener(world));
        }

        @Override
        public void turn(long now, List<Event> news, Decision decision, Scheduler scheduler) {
            for (Fact fact : decision.facts()) {
                kinds.add(fact.getClass().getSimpleName());
                copies.forEach(copy -> copy.replay(now, fact));
            }
            LedgerImage living = scheduler.image();
            for (Scheduler copy : copies) {
                assertThat(copy.image()).as("after %s", decision.facts()).isEqualTo(living);
            }
            if (turns++ % IMAGE_EVERY == 0) {
                Scheduler restored = listener(world);
                restored.restore(living);
                assertThat(restored.image()).isEqualTo(living);
                copies.add(restored);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("policies")
    void factsGiveTheLedgerBack(String policy) {
        for (long seed = 1; seed <= SEEDS; seed++) {
            scribed(policy, World.of(seed));
        }
    }

    private static Set<String> scribed(String policy, World world) {
        Scribe scribe = new Scribe(world);
        try {
            new Ring(world, policy, scribe, true).run();
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError("seed " + world.seed() + ", policy " + policy + ": " + e, e);
        }
        return scribe.kinds;
    }

    /** A law about facts is worth as much as the facts it saw. */
    @Test
    void everyKindOfFactThatWorldsHaveIsReplayed() {
        Set<String> seen = new HashSet<>();
        for (long seed = 1; seed <= SEEDS; seed++) {
            seen.addAll(scribed("gandiva:lease=1m", World.of(seed)));
            seen.addAll(scribed("fermata", World.of(seed)));
        }
        for (long seed = SEEDS; !seen.contains("Unpromised") && seed < 1000; seed++) {
            seen.addAll(scribed("srtf", World.of(seed))); // hardware seldom fails under a promise
        }
        assertThat(seen)
                .contains("Submitted", "Refused", "Started", "Running", "Paced", "Promised", "Unpromised", "Pausing")
                .contains("Cancelling", "Left", "Ended", "Held", "Released", "Changed", "Capacity");
    }

    static Stream<String> catalogue() {
        return Stream.concat(Catalogue.all().stream().map(PolicyInfo::name), policies())
                .distinct();
    }

    /** The scheduler dies again and again; whoever takes over keeps the laws, and every job ends. */
    @ParameterizedTest
    @MethodSource("catalogue")
    void whoeverTakesOverKeepsTheLaws(String policy) {
        for (long seed = 1; seed <= SEEDS / 2; seed++) {
            World world = World.of(seed);
            LawWitness witness = new LawWitness(world, policy);
            long every = 3 + seed % 11;
            try {
                new Ring(world, policy, witness, false).run(turn -> turn % every == every - 1);
                witness.end();
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("seed " + seed + ", policy " + policy + ": " + e, e);
            }
        }
    }
}
