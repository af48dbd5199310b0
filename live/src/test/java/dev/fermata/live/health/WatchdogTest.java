package dev.fermata.live.health;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.fermata.live.loop.LoopFixture;
import dev.fermata.live.loop.MonotonicClock;
import dev.fermata.live.loop.SchedulerLoop;
import dev.fermata.live.loop.TestSpec;
import dev.fermata.live.service.DefaultSchedulerService;
import dev.fermata.live.service.SchedulerService;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.LoggerFactory;

/** A scheduler loop that makes no progress is logged as stuck. */
@Isolated("other scheduler loops log too")
class WatchdogTest {
    private final Logger logger = (Logger) LoggerFactory.getLogger(Watchdog.class);
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private final Level level = logger.getEffectiveLevel();

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

    private List<String> loggedMessages() {
        return List.copyOf(log.list).stream()
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    @Test
    void stuckCycleIsLoggedUntilItEnds() {
        LoopFixture fixture = new LoopFixture("fifo", 1);
        fixture.settings = fixture.settings.withStuckMillis(100);
        CountDownLatch gate = new CountDownLatch(1);
        try (SchedulerLoop loop = fixture.newLoop(new MonotonicClock()).start()) {
            loop.ready().join();
            fixture.store.blockOn(gate);
            SchedulerService service = new DefaultSchedulerService(loop);
            CompletableFuture<List<Long>> answer =
                    service.submit(LoopFixture.ANN, LoopFixture.specs(TestSpec.gpus(1)), null);
            await().atMost(20, SECONDS)
                    .until(() -> loggedMessages().stream()
                            .anyMatch(entry ->
                                    entry.contains("one cycle has taken") && entry.contains("InMemoryStore.append")));
            assertThat(answer).isNotDone();
            gate.countDown();
            fixture.store.blockOn(null);
            assertThat(answer.join()).containsExactly(1L);
            await().atMost(20, SECONDS).until(() -> loggedMessages().contains("scheduler loop makes progress again"));
        } finally {
            gate.countDown();
        }
    }
}
