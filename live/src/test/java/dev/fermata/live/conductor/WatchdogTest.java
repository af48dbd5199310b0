package dev.fermata.live.conductor;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** A conductor that does not get on is seen, and said to be stuck, by others than itself. */
class WatchdogTest {
    private final Logger logger = (Logger) LoggerFactory.getLogger(Watchdog.class);
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private final Level level = logger.getEffectiveLevel();

    @BeforeEach
    void listen() {
        log.start();
        logger.addAppender(log);
        logger.setLevel(Level.INFO);
    }

    @AfterEach
    void stopListening() {
        logger.detachAppender(log);
        logger.setLevel(level);
    }

    private List<String> said() {
        return List.copyOf(log.list).stream()
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    @Test
    void stuckCycleIsSaidAloudUntilItIsOver() {
        Stage stage = new Stage("fifo", 1);
        stage.settings = stage.settings.withStuckMillis(100);
        CountDownLatch gate = new CountDownLatch(1);
        try (Conductor conductor = stage.another(new SteadyClock()).start()) {
            conductor.ready().join();
            stage.store.waitFor(gate);
            CompletableFuture<List<Long>> answer = conductor.desk().submit(Stage.ANN, Stage.jobs(Specs.gpus(1)), null);
            await().atMost(20, SECONDS)
                    .until(() -> said().stream()
                            .anyMatch(line ->
                                    line.contains("has been at one cycle for") && line.contains("MemoryStore.append")));
            assertThat(conductor.desk().pulse().cycleAgeMillis()).isGreaterThan(100);
            assertThat(answer).isNotDone();
            gate.countDown();
            stage.store.waitFor(null);
            assertThat(answer.join()).containsExactly(1L);
            await().atMost(20, SECONDS).until(() -> said().contains("the conductor gets on again"));
        } finally {
            gate.countDown();
        }
    }
}
