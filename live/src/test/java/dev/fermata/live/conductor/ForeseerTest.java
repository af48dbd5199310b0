package dev.fermata.live.conductor;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.LedgerImage;
import dev.fermata.live.foresee.ExpectedStart;
import dev.fermata.live.foresee.Foreseen;
import dev.fermata.live.foresee.Foresight;
import dev.fermata.live.foresee.Sketch;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** What the conductor does so that somebody can look ahead: it draws, keeps what was seen, and changes nothing. */
class ForeseerTest {
    /** Says of everybody that he starts in a minute, and remembers what it was shown. */
    private static final class InAMinute implements Foresight {
        final List<Sketch> seen = new CopyOnWriteArrayList<>();

        @Override
        public Map<Long, ExpectedStart> foresee(Sketch sketch) {
            seen.add(sketch);
            Map<Long, ExpectedStart> starts = new HashMap<>();
            for (LedgerImage.Page page : sketch.image().jobs()) {
                if (page.state() == JobState.PENDING && !page.onHold()) {
                    starts.put(page.job().id(), start(sketch.nowMillis()));
                }
            }
            sketch.newcomers().forEach(job -> starts.put(job.id(), start(sketch.nowMillis())));
            return starts;
        }

        private static ExpectedStart start(long now) {
            return new ExpectedStart(now, now + 60_000, now + 90_000, 9, 0, List.of(), 0, 0, "");
        }
    }

    private final InAMinute foresight = new InAMinute();
    private final Stage stage = stage();

    private Stage stage() {
        Stage made = new Stage("fifo", new MemoryStore(), "hand", 2);
        made.foresight = foresight;
        return made.restart();
    }

    private Map<Long, ExpectedStart> starts(Long... jobs) throws Exception {
        CompletableFuture<Map<Long, ExpectedStart>> asked = stage.desk().expectedStarts(Set.of(jobs));
        stage.turn();
        Map<Long, ExpectedStart> found = asked.get(20, SECONDS);
        stage.turn();
        return found;
    }

    private long kept() {
        return stage.store.lines().stream()
                .filter(line -> line.kind().equals(Foreseen.KIND))
                .count();
    }

    @Test
    void whatIsExpectedIsToldAndKeptOnce() throws Exception {
        stage.submit(Specs.gpus(2), Specs.gpus(1), Specs.gpus(1).held());
        LedgerImage before = stage.conductor().ring().scheduler.image();
        Map<Long, ExpectedStart> starts = starts(2L);
        assertThat(starts.get(2L)).isEqualTo(InAMinute.start(stage.now));
        ExpectedStart held = Objects.requireNonNull(starts.get(3L));
        assertThat(held.p50Millis()).isEqualTo(ExpectedStart.UNKNOWN);
        assertThat(held.note()).contains("on hold");
        assertThat(starts).doesNotContainKey(1L);
        assertThat(stage.conductor().ring().scheduler.image()).isEqualTo(before);
        assertThat(stage.history()).contains("Foreseen 2 by daemon");
        assertThat(kept()).isOne();
        starts(2L);
        assertThat(foresight.seen).as("nothing happened since").hasSize(1);
        assertThat(kept()).isOne();
    }

    @Test
    void whoCameAfterTheLookIsLookedAtAnew() throws Exception {
        stage.submit(Specs.gpus(2), Specs.gpus(1));
        starts(2L);
        stage.submit(Specs.gpus(1));
        assertThat(starts(3L)).containsKey(3L);
        assertThat(foresight.seen).hasSize(2);
        assertThat(kept()).as("one line for each of both").isEqualTo(2);
    }

    @Test
    void whatWasKeptSurvivesARestart() throws Exception {
        stage.submit(Specs.gpus(2), Specs.gpus(1));
        starts(2L);
        stage.restart();
        assertThat(kept()).isOne();
        assertThat(stage.row(2).state()).isEqualTo(JobState.PENDING);
    }

    @Test
    void aDryRunSaysWhenAndTeachesNothing() throws Exception {
        stage.submit(Specs.gpus(2));
        CompletableFuture<Prospect> answer =
                stage.desk().dryRun(Stage.ANN, Specs.gpus(1).named("tried").spec());
        stage.turn();
        assertThat(answer.get(20, SECONDS).start()).isEqualTo(InAMinute.start(stage.now));
        assertThat(kept()).isZero();
        assertThat(foresight.seen.get(0).newcomers()).hasSize(1);
    }

    @Test
    void withoutForesightNothingIsSaid() throws Exception {
        Stage blind = new Stage("fifo", 1);
        blind.submit(Specs.gpus(1), Specs.gpus(1));
        assertThat(blind.desk().expectedStarts(Set.of(2L)).get(1, SECONDS)).isEmpty();
    }
}
