package dev.fermata.live.loop;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Usage;
import dev.fermata.live.engine.EngineEvent;
import dev.fermata.live.engine.EngineEvent.FailureKind;
import dev.fermata.live.engine.EngineOrder;
import dev.fermata.live.engine.OrderId;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.LoggerFactory;

/** Each fault of an engine has a log line that names it, a count, and what the user of the job reads: the table in the docs. */
@Isolated("other scheduler loops log too")
class EngineFaultReportsTest {
    private final Logger logger = (Logger) LoggerFactory.getLogger("dev.fermata.live.loop");
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private final Level level = logger.getEffectiveLevel();
    private final LoopFixture fixture = new LoopFixture("fifo", 1);
    private final ManualEngine engine = fixture.engine;

    @BeforeEach
    void attachAppender() {
        log.start();
        logger.addAppender(log);
        logger.setLevel(Level.INFO);
    }

    @AfterEach
    void detachAppender() {
        logger.detachAppender(log);
        logger.setLevel(level);
    }

    private void assertLogged(String part) {
        assertThat(log.list).extracting(ILoggingEvent::getFormattedMessage).anyMatch(line -> line.contains(part));
    }

    private double answers(String about, String result) {
        return fixture.metrics().registry().scrape().stream()
                .filter(snapshot -> snapshot.getMetadata().getName().equals("fermata_engine_answers"))
                .flatMap(snapshot -> ((CounterSnapshot) snapshot).getDataPoints().stream())
                .filter(point -> about.equals(point.getLabels().get("about"))
                        && result.equals(point.getLabels().get("result")))
                .mapToDouble(CounterSnapshot.CounterDataPointSnapshot::getValue)
                .sum();
    }

    private String explanation(long job) {
        return fixture.runAndGet(fixture.service().explain(job)).message();
    }

    private void refuse(FailureKind kind) {
        engine.onGpus.remove(1L);
        engine.send(new EngineEvent.OrderFailed(new OrderId(1, 1, EngineOrder.Type.START, 0), kind, "no space left"));
        fixture.advance(0);
    }

    @Test
    void itRefusesForNow() {
        engine.answers = false;
        fixture.submit(TestSpec.gpus(1));
        refuse(FailureKind.TRANSIENT);
        assertLogged("attempt 1.1: start order failed (transient): no space left; retry 1 in 1s");
        assertThat(answers("start", "transient")).isEqualTo(1);
        assertThat(explanation(1)).contains("the engine has not accepted the start order yet (no space left)");
    }

    @Test
    void itRefusesForGood() {
        engine.answers = false;
        fixture.submit(TestSpec.gpus(1));
        refuse(FailureKind.PERMANENT);
        assertLogged("attempt 1.1: start order failed (permanent): no space left");
        assertThat(answers("start", "permanent")).isEqualTo(1);
        assertThat(explanation(1)).contains("1 failed start").contains("no space left");
    }

    @Test
    void itHangs() {
        engine.answers = false;
        fixture.submit(TestSpec.gpus(1));
        for (int second = 0; second < 70; second += 5) {
            fixture.advance(5_000);
        }
        assertLogged("engine unreachable: no answer to the start order of attempt 1.1");
        fixture.submit(TestSpec.gpus(1));
        assertThat(explanation(2)).contains("no answer to the start order of attempt 1.1");
    }

    @Test
    void itAnswersTwice() {
        fixture.submit(TestSpec.gpus(1));
        engine.running(1);
        fixture.advance(10);
        double before = answers("start", "repeated");
        engine.send(new EngineEvent.Accepted(new OrderId(1, 1, EngineOrder.Type.START, 0), "id-1.1"));
        fixture.advance(10);
        assertThat(answers("start", "repeated")).isEqualTo(before + 1);
        assertThat(log.list).isEmpty(); // nothing went wrong
    }

    @Test
    void itAnswersForAJobThatItWasNeverGiven() {
        engine.sendEvent(new Event.AttemptEnded(99, 1, Outcome.FAILED, Usage.NONE));
        fixture.advance(10);
        assertLogged("attempt 99.1: the engine reports \"ended\", but never got it; ignored");
        assertThat(answers("attempt", "unknown")).isEqualTo(1);
    }

    @Test
    void itReturnsAfterAnHour() {
        fixture.submit(TestSpec.gpus(1));
        engine.running(1);
        fixture.advance(10);
        engine.send(new EngineEvent.Unreachable("connection refused"));
        fixture.submit(TestSpec.gpus(1));
        fixture.advance(3_600_000);
        assertLogged("engine unreachable: connection refused; running jobs continue, nothing is started");
        assertThat(explanation(2)).contains("connection refused");
        engine.send(new EngineEvent.Reachable());
        fixture.advance(10);
        assertLogged("engine reachable again after 3600 s");
        assertThat(answers("engine", "unreachable")).isEqualTo(1);
        assertThat(answers("engine", "reachable")).isEqualTo(1);
    }

    @Test
    void itNeverConfirmsAStart() {
        fixture.submit(TestSpec.gpus(1));
        fixture.advance(10).advance(600_000);
        assertLogged("attempt 1.1: start failed: the engine did not confirm it within 600 s");
        assertThat(answers("start", "timeout")).isEqualTo(1);
        assertThat(explanation(1)).contains("the engine did not confirm it within 600 s");
    }
}
