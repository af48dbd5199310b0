package dev.fermata.live.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.JobState;
import dev.fermata.history.ObservedJob;
import dev.fermata.history.ObservedJob.ObservedRequest;
import dev.fermata.history.ObservedJob.Result;
import dev.fermata.history.RecordJson;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The jobs of another scheduler live a second life here: on the same cluster, by Fermata's decisions. */
class ShadowWorkloadTest {
    private final LoopFixture fixture = new LoopFixture("srtf", 2);
    private final OtherScheduler other = new OtherScheduler(fixture);

    ShadowWorkloadTest() {
        fixture.shadow = true;
        fixture.restart();
    }

    /** All that follows at this moment. */
    private void settle() {
        for (int cycle = 0; cycle < 8; cycle++) {
            fixture.advance(1);
        }
    }

    private void advance(long millis) {
        long until = fixture.now + millis;
        while (fixture.now < until) {
            boolean isBusy = fixture.loop().inbox.size() > 0;
            fixture.advance(
                    isBusy ? 1 : Math.max(1, Math.min(until, fixture.loop().wakeAtMillis()) - fixture.now));
        }
    }

    private List<ObservedJob> recorded() {
        return fixture.store.entries().stream()
                .filter(entry -> entry.type().equals(ObservedJob.TYPE))
                .map(entry -> new RecordJson().readStored(entry.body(), ObservedJob.class))
                .toList();
    }

    @Test
    void itStartsWhenFermataDecidesAndRunsForAsLongAsItRanThere() {
        other.submit("a", 1);
        settle();
        assertThat(fixture.row(1).state()).isEqualTo(JobState.RUNNING); // there it still waits
        advance(60_000);
        other.start("a");
        advance(100_000);
        other.end("a", Result.COMPLETED);
        settle();
        assertThat(fixture.row(1).state()).isEqualTo(JobState.COMPLETED);
        assertThat(fixture.row(1).waitMillis()).isLessThan(10);
        assertThat(fixture.engine.orders).isEmpty();
        assertThat(recorded()).last().isEqualTo(other.jobs.get("a"));
    }

    @Test
    void aJobThatStartsLaterHereEndsLater() {
        other.submit("a", 2);
        settle();
        other.submit("b", 2);
        other.start("b"); // another order than Fermata's
        advance(10_000);
        other.end("b", Result.FAILED);
        other.start("a");
        advance(30_000);
        other.end("a", Result.COMPLETED);
        settle();
        assertThat(fixture.row(1).state()).isEqualTo(JobState.COMPLETED);
        assertThat(fixture.row(2).state()).isEqualTo(JobState.RUNNING);
        advance(9_900);
        assertThat(fixture.row(2).state()).isEqualTo(JobState.RUNNING);
        advance(200);
        assertThat(fixture.row(2).state()).isEqualTo(JobState.FAILED);
    }

    @Test
    void aJobThatIsCancelledWhileItWaitsIsCancelledHere() {
        other.submit("a", 2);
        settle();
        other.submit("b", 2);
        settle();
        assertThat(fixture.row(2).state()).isEqualTo(JobState.PENDING);
        other.end("a", Result.CANCELLED);
        other.end("b", Result.CANCELLED);
        settle();
        assertThat(fixture.row(1).state()).isEqualTo(JobState.CANCELLED);
        assertThat(fixture.row(2).state()).isEqualTo(JobState.CANCELLED);
    }

    @Test
    void aPreemptedJobGoesOnWithWhatItHasDone() {
        other.submit("a", 2);
        other.start("a");
        settle();
        advance(3_600_000);
        other.submit("b", new ObservedRequest(1, "", 0, 0, 60_000, true));
        settle();
        assertThat(fixture.row(1).preemptions()).isEqualTo(1);
        assertThat(fixture.row(2).state()).isEqualTo(JobState.RUNNING);
        other.start("b");
        advance(60_000);
        other.end("b", Result.COMPLETED);
        other.end("a", Result.COMPLETED);
        advance(200_000);
        assertThat(fixture.row(1).state()).isEqualTo(JobState.COMPLETED);
        assertThat(fixture.row(1).runMillis()).isBetween(3_660_000L, 3_661_000L);
    }

    @Test
    void aRestartFindsTheSamePairs() {
        other.submit("a", 2);
        other.start("a");
        settle();
        other.submit("b", 2);
        settle();
        fixture.now += 5_000;
        fixture.restart();
        settle();
        assertThat(fixture.store.job(3)).isEmpty();
        other.end("a", Result.COMPLETED);
        settle();
        assertThat(fixture.row(1).state()).isEqualTo(JobState.COMPLETED);
        assertThat(fixture.row(2).state()).isEqualTo(JobState.RUNNING);
    }

    @Test
    void aJobThatIsGoneAfterARestartIsCancelled() {
        other.submit("a", 2);
        settle();
        other.submit("b", 2);
        settle();
        other.jobs.clear();
        fixture.restart();
        settle();
        assertThat(fixture.row(1).state()).isEqualTo(JobState.CANCELLED);
        assertThat(fixture.row(2).state()).isEqualTo(JobState.CANCELLED);
    }

    @Test
    void whatEndedBeforeIsNotShadowed() {
        other.submit("a", 1);
        other.end("a", Result.COMPLETED);
        fixture.restart();
        settle();
        other.submit("b", 1);
        other.start("b");
        other.end("b", Result.COMPLETED); // too short to be seen running
        settle();
        assertThat(recorded()).extracting(ObservedJob::id).contains("b");
    }

    @Test
    void aJobThatCanNeverRunHereIsRecordedAndNotShadowed() {
        other.submit("a", 3);
        settle();
        assertThat(fixture.store.job(1)).isEmpty();
        assertThat(recorded()).containsExactly(other.jobs.get("a"));
    }

    @Test
    void withoutShadowModeNothingObservedIsStarted() {
        other.submit("a", 2);
        settle();
        other.submit("b", 2);
        settle();
        fixture.shadow = false;
        fixture.restart();
        settle();
        assertThat(fixture.engine.orders).noneMatch(order -> order.startsWith("start"));
        assertThat(fixture.row(1).state()).isEqualTo(JobState.CANCELLED);
        assertThat(fixture.row(2).state()).isEqualTo(JobState.CANCELLED);
        assertThat(fixture.row(2).detail()).contains("it stood for job b of another scheduler");
    }
}
