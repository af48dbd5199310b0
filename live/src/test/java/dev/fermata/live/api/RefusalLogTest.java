package dev.fermata.live.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.live.request.Actor;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A client cannot flood the audit log with what it is not allowed to do. */
class RefusalLogTest {
    private static final Actor EVE = new Actor("eve", "VIEWER", "10.0.0.7");

    private final List<String> rows = new ArrayList<>();
    private final RefusalLog refusals =
            new RefusalLog((actor, action, target, result) -> rows.add(action + " " + target + " " + result));

    @Test
    void repeatedRefusalsAreOneRowWithTheirNumber() {
        for (int i = 0; i < 500; i++) {
            refusals.record(EVE, "cancel", "job " + i, "refused: 403");
            refusals.record(EVE, "hold", "job " + i, "refused: 403");
        }
        assertThat(rows).containsExactly("cancel job 0 refused: 403", "hold job 0 refused: 403");

        refusals.flush();

        assertThat(rows.subList(2, 4))
                .containsExactly(
                        "cancel job 499 refused: 403 (499 more within a minute, this target last)",
                        "hold job 499 refused: 403 (499 more within a minute, this target last)");
        refusals.flush();
        assertThat(rows).as("nothing repeats").hasSize(4);
    }

    @Test
    void anotherPeriodBeginsWithARowAgain() {
        refusals.record(EVE, "cancel", "job 1", "refused: 403");
        refusals.flush();
        refusals.record(EVE, "cancel", "job 2", "refused: 403");

        assertThat(rows).containsExactly("cancel job 1 refused: 403", "cancel job 2 refused: 403");
    }

    @Test
    void manyStrangersShareARow() {
        for (int i = 0; i < 10_000; i++) {
            Actor stranger = new Actor("", "", "10.0." + i / 256 + "." + i % 256);
            refusals.record(stranger, "submit", "", "refused: 401");
        }
        refusals.flush();

        assertThat(rows).hasSize(RefusalLog.MAX_PER_PERIOD + 1);
        assertThat(rows.get(RefusalLog.MAX_PER_PERIOD))
                .contains(10_000 - RefusalLog.MAX_PER_PERIOD + " more, of too many callers");
    }
}
