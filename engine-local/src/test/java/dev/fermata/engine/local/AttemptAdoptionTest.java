package dev.fermata.engine.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Outcome;
import dev.fermata.live.attempt.TerminationCause;
import dev.fermata.live.attempt.TerminationRequest;
import dev.fermata.live.engine.EngineEvent;
import dev.fermata.live.engine.EngineOrder;
import dev.fermata.live.engine.JobSpecBuilder;
import dev.fermata.live.engine.Launch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** What a restarted daemon finds out about the attempts of the one before. */
class AttemptAdoptionTest extends LocalEngineTestBase {
    private static final String LOOP = "while :; do sleep 0.01; done";

    /** Runs until the file {@code releaseJob} is in its working directory, and records how often it was started. */
    private static JobSpecBuilder waitingJob(String then) {
        return new JobSpecBuilder("echo started >>starts; until [ -e go ]; do sleep 0.01; done; " + then);
    }

    private void releaseJob(Launch launch) throws IOException {
        Files.writeString(fixture.workFolder(launch).resolve("go"), "");
    }

    private Launch startedJob(JobSpecBuilder builder) {
        Launch launch = fixture.startAndAwaitRunning(1, builder);
        fixture.awaitFile(fixture.workFolder(launch).resolve("starts"));
        return launch;
    }

    @Test
    void runningJobIsAdoptedAndItsExitIsReportedAtOnce() throws IOException {
        Launch launch = startedJob(waitingJob("exit 7"));

        fixture.reopen(launch);

        assertThat(fixture.events)
                .filteredOn(event -> event instanceof EngineEvent.StateChanged)
                .extracting(event -> ((EngineEvent.StateChanged) event).event())
                .hasOnlyElementsOfType(Event.Running.class)
                .hasSize(1);
        releaseJob(launch);
        LocalEngineFixture.AttemptEndRecord end = fixture.awaitEnd(launch);
        assertThat(end.outcome()).isEqualTo(Outcome.FAILED);
        assertThat(end.exit().code()).isEqualTo(7);
        assertThat(fixture.readFile(fixture.workFolder(launch).resolve("starts")))
                .isEqualTo("started\n");
    }

    @Test
    void exitOfJobThatEndedMeanwhileIsReported() throws IOException {
        Launch launch = startedJob(waitingJob("exit 3"));
        fixture.engine.close();
        releaseJob(launch);
        LocalEngineFixture.awaitUntil(
                () -> fixture.readFile(fixture.folder(launch).resolve("exit")).startsWith("3"));

        fixture.reopen(launch);

        assertThat(fixture.ends(launch)).hasSize(1); // reported before open returned
        assertThat(fixture.awaitEnd(launch).exit().code()).isEqualTo(3);
        assertThat(fixture.awaitEnd(launch).outcome()).isEqualTo(Outcome.FAILED);
    }

    @Test
    void timeAfterExitIsNotPauseAndExitHasItsTime() throws IOException {
        Launch launch = startedJob(waitingJob("exit 0"));
        fixture.engine.close();
        releaseJob(launch);
        Path exit = fixture.folder(launch).resolve("exit");
        LocalEngineFixture.awaitUntil(() -> fixture.readFile(exit).startsWith("0"));
        long ordered = Long.parseLong(
                fixture.readFile(fixture.folder(launch).resolve("order")).split(" ")[0]);
        long ended = Files.getLastModifiedTime(exit).toMillis();

        fixture.reopen(launch);

        var usage = fixture.awaitEnd(launch).usage();
        assertThat(usage.usefulMillis()).isEqualTo(ended - ordered);
        assertThat(usage.preemptMillis()).isZero();
        assertThat(fixture.awaitEnd(launch).exit().endedMillis()).isEqualTo(ended);
    }

    @Test
    void observedExitHasNoSeparateTime() throws IOException {
        Launch launch = startedJob(waitingJob("exit 0"));
        releaseJob(launch);

        assertThat(fixture.awaitEnd(launch).usage().preemptMillis()).isZero();
        assertThat(fixture.awaitEnd(launch).exit().endedMillis()).isEqualTo(-1);
    }

    @Test
    void gpusDeclaredDownByEarlierDaemonComeBack() throws IOException {
        fixture.engine.close();
        Files.createDirectories(data.resolve("stuck"));
        Files.writeString(data.resolve("stuck/7.1"), "2 5");

        fixture.reopen();

        assertThat(fixture.events)
                .filteredOn(event -> event instanceof EngineEvent.StateChanged)
                .extracting(event -> ((EngineEvent.StateChanged) event).event())
                .containsExactlyInAnyOrder(new Event.GpuUp(2), new Event.GpuUp(5));
    }

    @Test
    void attemptThatNeverStartedIsLostAndCannotStartLater() throws IOException {
        Launch launch = fixture.launch(1, 1, new JobSpecBuilder("echo started >>starts"));

        fixture.reopen(launch);

        assertThat(fixture.awaitEnd(launch).outcome()).isEqualTo(Outcome.LOST);
        assertThat(fixture.awaitEnd(launch).exit().detail()).isEqualTo("it was never started");
        assertThat(fixture.folder(launch).resolve("claim")).isDirectory();
    }

    @Test
    void lateShimFindsTheAttemptClaimed() throws Exception {
        Launch launch = fixture.startAndAwaitRunning(1, new JobSpecBuilder("echo started >>starts"));
        fixture.awaitEnd(launch);
        Path folder = fixture.folder(launch);
        Path shim;
        try (var scripts = Files.list(data.resolve("engine"))) {
            shim = scripts.filter(file -> file.toString().endsWith("shim.sh"))
                    .findFirst()
                    .orElseThrow();
        }

        Process late = new ProcessBuilder(
                        "setsid",
                        "/bin/sh",
                        shim.toString(),
                        folder.toString(),
                        "/nowhere",
                        "1",
                        "-",
                        "0",
                        "0",
                        "65536",
                        "1",
                        "1")
                .redirectErrorStream(true)
                .start();

        assertThat(new String(late.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8))
                .isEmpty();
        assertThat(late.waitFor()).isZero();
        assertThat(fixture.readFile(fixture.workFolder(launch).resolve("starts")))
                .isEqualTo("started\n");
    }

    @Test
    void orphanedProcessesAreKilled() {
        Launch launch = startedJob(waitingJob("exit 0"));

        fixture.reopen();

        assertThat(fixture.aliveProcesses()).isEmpty();
        assertThat(fixture.events).containsExactly(new EngineEvent.Reachable());
        assertThat(fixture.ends(launch)).isEmpty();
    }

    @Test
    void reusedPidIsNotMistakenForTheShim() throws IOException {
        Launch launch = startedJob(waitingJob("exit 0"));
        fixture.engine.close();
        fixture.aliveProcesses().forEach(Proc::kill);
        LocalEngineFixture.awaitUntil(() -> fixture.aliveProcesses().isEmpty());
        // This process now has the pid of the shim: only the start time distinguishes them.
        Path pid = fixture.folder(launch).resolve("pid");
        String start = Files.readString(pid).strip().split(" ")[1];
        Files.writeString(pid, ProcessHandle.current().pid() + " " + start + "\n");

        fixture.reopen(launch);

        assertThat(fixture.awaitEnd(launch).outcome()).isEqualTo(Outcome.LOST);
    }

    @Test
    void noPidIsTrustedAfterMachineRestart() throws IOException {
        Launch launch = startedJob(waitingJob("exit 0"));
        Path order = fixture.folder(launch).resolve("order");
        String ordered = Files.readString(order).split(" ")[0];
        Files.writeString(order, ordered + " another-boot\n");

        fixture.reopen(launch);

        LocalEngineFixture.AttemptEndRecord end = fixture.awaitEnd(launch);
        assertThat(end.outcome()).isEqualTo(Outcome.LOST);
        assertThat(end.exit().detail()).contains("restarted");
    }

    @Test
    void unobservedShimDeathIsLost() {
        Launch launch = startedJob(waitingJob("exit 0"));
        fixture.engine.close();
        fixture.aliveProcesses().forEach(Proc::kill);
        LocalEngineFixture.awaitUntil(() -> fixture.aliveProcesses().isEmpty());

        fixture.reopen(launch);

        assertThat(fixture.awaitEnd(launch).outcome()).isEqualTo(Outcome.LOST);
    }

    @Test
    void killedShimOfAdoptedJobIsNoticed() {
        Launch launch = startedJob(waitingJob("exit 0"));
        fixture.reopen(launch);

        AttemptFolder.ProcessRef shim = Objects.requireNonNull(new AttemptFolder(fixture.folder(launch)).shim());
        ProcessHandle.of(shim.pid()).orElseThrow().destroyForcibly();

        assertThat(fixture.awaitEnd(launch).outcome()).isEqualTo(Outcome.FAILED);
        assertThat(fixture.aliveProcesses()).isEmpty();
    }

    @Test
    void preemptionInProgressKeepsItsDeadlineAndItsSignalIsSentOnce() throws IOException {
        Launch launch =
                startedJob(new JobSpecBuilder("trap 'echo heard >>heard' TERM; echo started >>starts; " + LOOP));
        long grace = 600_000;
        fixture.preempt(1, 1, grace);
        fixture.awaitFile(fixture.workFolder(launch).resolve("heard"));
        LocalEngineFixture.awaitUntil(() -> Files.exists(fixture.folder(launch).resolve("signalled")));
        fixture.engine.close();
        // As if its ten minutes had passed: a daemon that counted from its own start would wait as long again.
        AttemptFolder folder = new AttemptFolder(fixture.folder(launch));
        TerminationRequest requested = Objects.requireNonNull(folder.terminationRequest());
        assertThat(requested.deadlineMillis() - requested.requestedMillis()).isEqualTo(grace);
        TerminationRequest over = new TerminationRequest(
                requested.cause(),
                requested.requestedMillis() - grace,
                requested.deadlineMillis() - grace,
                requested.signalHandled());
        folder.terminationRequest(over);

        fixture.reopen(launch);

        LocalEngineFixture.AttemptEndRecord end = fixture.awaitEnd(launch);
        assertThat(end.outcome()).isEqualTo(Outcome.LOST);
        assertThat(folder.wasKilled()).isTrue();
        assertThat(folder.terminationRequest()).isEqualTo(over);
        assertThat(fixture.readFile(fixture.workFolder(launch).resolve("heard")))
                .isEqualTo("heard\n");
    }

    @Test
    void preemptionThatSucceededMeanwhileIsPreempted() {
        Launch launch = startedJob(new JobSpecBuilder("trap 'exit 0' TERM; echo started >>starts; " + LOOP));
        fixture.preempt(1, 1, 60_000);
        LocalEngineFixture.awaitUntil(() -> Files.exists(fixture.folder(launch).resolve("exit-request")));
        fixture.engine.close();
        LocalEngineFixture.awaitUntil(() -> fixture.aliveProcesses().isEmpty());

        fixture.reopen(launch);

        assertThat(fixture.awaitEnd(launch).outcome()).isEqualTo(Outcome.PREEMPTED);
        fixture.reopen(launch); // as if the event had not become durable: it is reported again
        assertThat(fixture.awaitEnd(launch).outcome()).isEqualTo(Outcome.PREEMPTED);
    }

    /** It is not renamed: the job knows the paths of its checkpoints and reports. */
    @Test
    void attemptInTheFolderOfAnOlderDaemonIsAdopted() throws IOException {
        Launch launch = startedJob(waitingJob("exit 7"));
        fixture.engine.close();
        Path old = fixture.data.resolve("runs");
        Files.move(fixture.data.resolve("attempts"), old);

        fixture.reopen(launch);
        Files.writeString(old.resolve("1/work/go"), "");

        assertThat(fixture.awaitEnd(launch).exit().code()).isEqualTo(7);
        assertThat(fixture.data.resolve("attempts")).doesNotExist();
    }

    @Test
    void requestToExitOfAnOlderDaemonIsFoundAndAnOlderShimFindsOurs() throws IOException {
        AttemptFolder folder = new AttemptFolder(fixture.data);
        Files.writeString(fixture.data.resolve("leave"), "KILL 5 9 true\n");
        assertThat(folder.terminationRequest()).isEqualTo(new TerminationRequest(TerminationCause.KILL, 5, 9, true));

        folder.terminationRequest(new TerminationRequest(TerminationCause.PREEMPTION, 6, 9, false));
        assertThat(fixture.data.resolve("leave")).hasContent("PREEMPTION 6 9 false");
        assertThat(fixture.data.resolve("exit-request")).hasContent("PREEMPTION 6 9 false");
    }

    @Test
    void processOfAnOlderDaemonHasItsMarker() throws IOException {
        ProcessBuilder builder = new ProcessBuilder("cat");
        builder.environment().put("FERMATA_RUN_ID", "old");
        Process process = builder.start();
        try {
            LocalEngineFixture.awaitUntil(() -> Proc.listAll().stream()
                    .anyMatch(proc -> proc.pid() == process.pid() && "old".equals(AttemptMarkers.of(proc))));
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void timeLimitHoldsAfterAdoptionAndCountsEarlierAttempts() {
        JobSpecBuilder builder = waitingJob("exit 0").limitMillis(60_000);
        Launch first = fixture.launch(1, 1, builder, 0, 59_500);
        fixture.engine.submit(new EngineOrder.Start(first));
        fixture.awaitRunning(first);

        fixture.reopen(first);

        LocalEngineFixture.AttemptEndRecord end = fixture.awaitEnd(first);
        assertThat(end.outcome()).isEqualTo(Outcome.TIMEOUT);
        assertThat(end.exit().detail()).contains("60 s");
    }

    @Test
    void earlierReportsAreKeptAndNewOnesAreForwarded() throws IOException {
        Launch launch = startedJob(waitingJob("echo '{\"type\":\"finished\"}' >>$FERMATA_REPORT; exit 0"));
        Files.writeString(
                fixture.folder(launch).resolve("report"),
                "{\"type\":\"hello\"}\n{\"type\":\"loaded\"}\n{\"type\":\"step\",\"step\":5,\"total\":9}\n");
        fixture.reopen(launch);

        releaseJob(launch);
        fixture.awaitEnd(launch);

        List<String> types = fixture.events.stream()
                .filter(EngineEvent.ProgressReported.class::isInstance)
                .map(event -> ((EngineEvent.ProgressReported) event).report().type())
                .toList();
        assertThat(types).containsExactly("hello", "loaded", "step", "finished");
    }
}
