package dev.fermata.live.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.live.request.Actor;
import dev.fermata.live.store.AuditRow;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A client that is refused again and again writes two rows a minute. */
class RefusalLogTest {
    private static final Actor EVE = new Actor("eve", "VIEWER", "10.0.0.9");

    private final LoopFixture fixture = new LoopFixture("fifo", 1);

    private List<AuditRow> rows() {
        return fixture.store.audit(Long.MAX_VALUE, 1000).rows();
    }

    @Test
    void repeatedRefusalsAreOneRowWithTheirNumber() {
        for (int i = 0; i < 500; i++) {
            fixture.service().recordAudit(EVE, "cancel", "job " + i, "refused: 403 forbidden");
            fixture.service().recordAudit(EVE, "hold", "job " + i, "refused: 403 forbidden");
        }
        fixture.service().recordAudit(EVE, "token", "token t", "granted");
        fixture.runCycle();
        assertThat(rows()).hasSize(3);

        fixture.advance(RefusalLog.WINDOW_MILLIS - 1);
        assertThat(rows()).hasSize(3);
        fixture.advance(1);

        assertThat(rows()).hasSize(5);
        assertThat(rows())
                .extracting(AuditRow::result)
                .contains("refused: 403 forbidden (499 more within a minute, this target last)");
        fixture.advance(RefusalLog.WINDOW_MILLIS);
        assertThat(rows()).as("nothing repeats").hasSize(5);
    }

    @Test
    void anotherMinuteBeginsWithARowAgain() {
        fixture.service().recordAudit(EVE, "cancel", "job 1", "refused: 403 forbidden");
        fixture.runCycle();
        fixture.advance(RefusalLog.WINDOW_MILLIS);
        fixture.service().recordAudit(EVE, "cancel", "job 2", "refused: 403 forbidden");
        fixture.runCycle();

        assertThat(rows()).extracting(AuditRow::target).containsExactlyInAnyOrder("job 1", "job 2");
    }

    @Test
    void manyStrangersShareARow() {
        RefusalLog refusals = new RefusalLog();
        int rows = 0;
        for (int i = 0; i < 10_000; i++) {
            Actor stranger = new Actor("", "", "10.0." + i / 256 + "." + i % 256);
            rows += refusals.accept(stranger, "submit", "", "refused: 401 unauthorized", i) ? 1 : 0;
        }
        assertThat(rows).isEqualTo(1001);
    }
}
