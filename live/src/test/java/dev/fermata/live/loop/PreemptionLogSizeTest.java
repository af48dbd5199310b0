package dev.fermata.live.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.Outcome;
import dev.fermata.live.preemptions.PreemptionLogEntry;
import dev.fermata.live.preemptions.PreemptionLogQuery;
import dev.fermata.live.preemptions.PreemptionLogReader;
import dev.fermata.live.preemptions.PreemptionSums;
import org.junit.jupiter.api.Test;

/** The preemption log keeps the latest entries and the sum of all others, and forgets jobs that have ended. */
class PreemptionLogSizeTest {
    private static final int PREEMPTIONS = 6;

    private final LoopFixture fixture = new LoopFixture("srtf", 2);

    private PreemptionLogReader reader(int maxEntries) {
        return new PreemptionLogReader(
                fixture.store, () -> fixture.loop().status().topology(), maxEntries);
    }

    private void preemptFirstAgain(long step) {
        fixture.engine.running(1);
        fixture.advance(10);
        fixture.engine.report(1, fixture.now, step, 100_000);
        fixture.advance(60_000);
        fixture.engine.report(1, fixture.now, step + 1, 100_000);
        fixture.advance(1_000);
        long beneficiary = fixture.submit(TestSpec.gpus(1)).get(0);
        assertThat(fixture.row(1).state()).isEqualTo(JobState.PREEMPTING);
        fixture.engine.end(1, Outcome.PREEMPTED, 75, "");
        fixture.advance(500);
        fixture.engine.running(beneficiary);
        fixture.advance(10);
        fixture.engine.end(beneficiary, Outcome.COMPLETED, 0, "");
        fixture.advance(10);
    }

    @Test
    void oldEntriesAreSummedUpAndEndedJobsForgotten() {
        fixture.submit(TestSpec.gpus(2));
        for (int i = 0; i < PREEMPTIONS; i++) {
            preemptFirstAgain(1 + 2 * i);
        }
        fixture.engine.running(1);
        fixture.engine.end(1, Outcome.COMPLETED, 0, "");
        fixture.advance(10);

        PreemptionLogReader all = reader(100);
        PreemptionLogReader latest = reader(2);

        assertThat(all.entries(PreemptionLogQuery.ALL)).hasSize(PREEMPTIONS);
        assertThat(latest.entries(PreemptionLogQuery.ALL))
                .extracting(PreemptionLogEntry::number)
                .containsExactlyElementsOf(all.entries(PreemptionLogQuery.ALL).stream()
                        .limit(2)
                        .map(PreemptionLogEntry::number)
                        .toList());
        assertThat(summary(latest.totals())).isEqualTo(summary(all.totals()));
        assertThat(latest.totals().preemptedJobs()).isEqualTo(PREEMPTIONS);
        assertThat(latest.knownJobs()).isZero();
    }

    private static String summary(PreemptionSums sums) {
        return sums.preemptions() + " " + sums.preemptedJobs() + " " + sums.gainMillis() + " " + sums.costMillis() + " "
                + sums.gpuMillis();
    }
}
