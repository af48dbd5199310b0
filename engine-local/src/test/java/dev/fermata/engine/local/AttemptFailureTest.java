package dev.fermata.engine.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Outcome;
import dev.fermata.live.engine.EngineEvent;
import dev.fermata.live.engine.EngineOrder;
import dev.fermata.live.engine.ExpectedAttempts;
import dev.fermata.live.engine.JobSpecBuilder;
import dev.fermata.live.engine.Launch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Whatever fails inside the engine, the end of every attempt is reported. */
class AttemptFailureTest extends LocalEngineTestBase {
    private static final String INVALID_PATH = "/tmp/no\0path";

    @Test
    void invalidWorkdirFailsTheJob() {
        Launch launch = fixture.start(1, new JobSpecBuilder("true").workdir(INVALID_PATH));

        LocalEngineFixture.AttemptEndRecord end = fixture.awaitEnd(launch);

        assertThat(end.outcome()).isEqualTo(Outcome.FAILED);
        assertThat(end.exit().detail()).startsWith("could not be started: ");
    }

    @Test
    void unusablePathsAreRejected() {
        String user = System.getProperty("user.name");

        assertThat(fixture.engine.rejectionReason(
                        new JobSpecBuilder("x").workdir(INVALID_PATH).build(), user))
                .startsWith("workdir (")
                .contains("cannot be used as a path here");
        assertThat(fixture.engine.rejectionReason(
                        new JobSpecBuilder("x").checkpointDir(INVALID_PATH).build(), user))
                .startsWith("checkpoint.dir (")
                .contains("cannot be used as a path here");
        assertThat(fixture.engine.rejectionReason(
                        new JobSpecBuilder("x").workdir("here").build(), user))
                .isEqualTo("workdir (here) must be an absolute path");
        assertThat(fixture.engine.rejectionReason(
                        new JobSpecBuilder("x")
                                .workdir("/tmp")
                                .checkpointDir("here")
                                .build(),
                        user))
                .isNull();
    }

    @Test
    void endThatCouldNotBeReportedIsReportedAgain() {
        AtomicInteger failures = new AtomicInteger(1);
        fixture.engine.open(fixture.engine.topology(), ExpectedAttempts.NONE, event -> {
            boolean end = event instanceof EngineEvent.StateChanged happened
                    && happened.event() instanceof Event.AttemptEnded;
            if (end && failures.getAndDecrement() > 0) {
                throw new IllegalStateException("not now");
            }
            fixture.events.add(event);
        });

        assertThat(fixture.awaitEnd(fixture.start(1, new JobSpecBuilder("exit 3")))
                        .exit()
                        .code())
                .isEqualTo(3);
    }

    @Test
    void attemptThatCannotBeReconciledIsAdoptedLater() throws IOException {
        Launch launch = fixture.launch(1, 1, new JobSpecBuilder("true"));
        Path job = fixture.folder(launch).getParent();
        Files.writeString(job, "in the way");

        fixture.reopen(launch);
        assertThat(fixture.ends(launch)).isEmpty();
        Files.delete(job);

        assertThat(fixture.awaitEnd(launch).outcome()).isEqualTo(Outcome.LOST);
    }

    private List<EngineEvent.OrderFailed> failedOrders() {
        return fixture.events.stream()
                .filter(EngineEvent.OrderFailed.class::isInstance)
                .map(EngineEvent.OrderFailed.class::cast)
                .toList();
    }

    /** Rank 0 kills the shim while it starts the other ranks. */
    @Test
    void ranksOfAPartiallyStartedShimAreKilled() {
        Launch launch = fixture.launch(
                1,
                1,
                new JobSpecBuilder("[ $RANK != 0 ] || { read pid start <" + data.resolve("attempts/1/1/pid")
                                + "; kill -9 $pid; }; exec sleep 300")
                        .ranks(64));
        fixture.engine.submit(new EngineOrder.Start(launch));

        LocalEngineFixture.awaitUntil(
                () -> !fixture.ends(launch).isEmpty() || !failedOrders().isEmpty());

        // If rank 0 was late, the start was complete: then the job has killed its own shim, which is a failure.
        if (fixture.ends(launch).isEmpty()) {
            EngineEvent.OrderFailed refused = failedOrders().get(0);
            assertThat(refused.order()).isEqualTo(new EngineOrder.Start(launch).id());
            assertThat(refused.kind()).isEqualTo(EngineEvent.FailureKind.PERMANENT);
            assertThat(refused.cause()).startsWith("its shim could not start");
            assertThat(refused.node()).isZero();
        } else {
            assertThat(fixture.awaitEnd(launch).outcome()).isEqualTo(Outcome.FAILED);
        }
        assertThat(fixture.aliveProcesses()).isEmpty();
    }
}
