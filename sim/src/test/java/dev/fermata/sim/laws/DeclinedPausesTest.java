package dev.fermata.sim.laws;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Decision;
import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Fact;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Reason;
import dev.fermata.core.contract.Verdict;
import dev.fermata.core.cycle.Scheduler;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A pause that was weighed and declined is in the history: the first of every wait, and later only what says something new. */
class DeclinedPausesTest {
    private static final int SEEDS = 25;
    private static final long MINUTE_MILLIS = 60_000;

    /** Looks on. */
    private static final class Looker implements Ring.Witness {
        private record Written(long atMillis, Fact.Refrained fact) {}

        private final Map<Long, Written> last = new HashMap<>();
        private int lines;

        @Override
        public void turn(long now, List<Event> news, Decision decision, Scheduler scheduler) {
            for (Fact fact : decision.facts()) {
                if (fact instanceof Fact.Refrained f) {
                    written(now, f);
                } else if (fact instanceof Fact.Started || fact instanceof Fact.Ended) {
                    last.remove(fact.jobId());
                }
            }
            for (Verdict verdict : decision.verdicts()) {
                JobView job = scheduler.job(verdict.jobId());
                boolean waits = job != null && job.state() == JobState.PENDING && !job.promised();
                if (verdict.reason() == Reason.PREEMPTION_NOT_WORTH_IT && waits) {
                    assertThat(last)
                            .as("declined, and not written down: %s", verdict)
                            .containsKey(verdict.jobId());
                }
            }
        }

        private void written(long now, Fact.Refrained fact) {
            lines++;
            assertThat(fact.victims()).isPositive();
            assertThat(fact.gainMillis()).isLessThanOrEqualTo(2 * fact.costMillis());
            Written before = last.put(fact.jobId(), new Written(now, fact));
            if (before != null) {
                assertThat(now - before.atMillis)
                        .as("%s after %s", fact, before)
                        .isGreaterThanOrEqualTo(MINUTE_MILLIS);
                assertThat(fact.weighsOtherwiseThan(before.fact))
                        .as("%s after %s", fact, before)
                        .isTrue();
            }
        }
    }

    /** @param every the scheduler dies and is rebuilt after so many turns: what was written is not written again */
    @ParameterizedTest
    @CsvSource({"xion,0", "xion,7", "fermata,0", "fermata,5"})
    void writtenOnceUnlessItWeighsOtherwise(String policy, int every) {
        int lines = 0;
        for (long seed = 1; seed <= SEEDS; seed++) {
            Looker looker = new Looker();
            new Ring(World.of(seed), policy, looker, false).run(turn -> every > 0 && turn % every == every - 1);
            lines += looker.lines;
        }
        assertThat(lines).isGreaterThan(SEEDS);
    }
}
