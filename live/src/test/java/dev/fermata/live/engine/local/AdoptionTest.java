package dev.fermata.live.engine.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Outcome;
import dev.fermata.live.engine.Launch;
import dev.fermata.live.engine.News;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** What a daemon that starts anew finds out about the attempts of the one before. */
class AdoptionTest extends OnStage {
    private static final String LOOP = "while :; do sleep 0.01; done";

    /** Runs until the file {@code go} is in its working directory, and says how often it was started. */
    private static SpecDraft patient(String then) {
        return new SpecDraft("echo started >>starts; until [ -e go ]; do sleep 0.01; done; " + then);
    }

    private void go(Launch launch) throws IOException {
        Files.writeString(stage.work(launch).resolve("go"), "");
    }

    private Launch begun(SpecDraft draft) {
        Launch launch = stage.run(1, draft);
        stage.awaitFile(stage.work(launch).resolve("starts"));
        return launch;
    }

    @Test
    void aJobThatStillRunsIsAdoptedAndItsExitIsLearnedAtOnce() throws IOException {
        Launch launch = begun(patient("exit 7"));

        stage.reopen(launch);

        assertThat(stage.told)
                .extracting(news -> ((News.Happened) news).event())
                .hasOnlyElementsOfType(Event.Running.class)
                .hasSize(1);
        go(launch);
        Stage.End end = stage.end(launch);
        assertThat(end.outcome()).isEqualTo(Outcome.FAILED);
        assertThat(end.exit().code()).isEqualTo(7);
        assertThat(stage.file(stage.work(launch).resolve("starts"))).isEqualTo("started\n");
    }

    @Test
    void theExitOfAJobThatEndedMeanwhileIsLearned() throws IOException {
        Launch launch = begun(patient("exit 3"));
        stage.engine.close();
        go(launch);
        Stage.until(() -> stage.file(stage.folder(launch).resolve("exit")).startsWith("3"));

        stage.reopen(launch);

        assertThat(stage.ends(launch)).hasSize(1); // told before open returned
        assertThat(stage.end(launch).exit().code()).isEqualTo(3);
        assertThat(stage.end(launch).outcome()).isEqualTo(Outcome.FAILED);
    }

    @Test
    void timeAfterTheExitIsNoPauseAndTheExitIsDated() throws IOException {
        Launch launch = begun(patient("exit 0"));
        stage.engine.close();
        go(launch);
        Path exit = stage.folder(launch).resolve("exit");
        Stage.until(() -> stage.file(exit).startsWith("0"));
        long ordered =
                Long.parseLong(stage.file(stage.folder(launch).resolve("order")).split(" ")[0]);
        long ended = Files.getLastModifiedTime(exit).toMillis();

        stage.reopen(launch);

        var usage = stage.end(launch).usage();
        assertThat(usage.usefulMillis()).isEqualTo(ended - ordered);
        assertThat(usage.pauseMillis()).isZero();
        assertThat(stage.end(launch).exit().endedMillis()).isEqualTo(ended);
    }

    @Test
    void anExitBeforeOurEyesNeedsNoDate() throws IOException {
        Launch launch = begun(patient("exit 0"));
        go(launch);

        assertThat(stage.end(launch).usage().pauseMillis()).isZero();
        assertThat(stage.end(launch).exit().endedMillis()).isEqualTo(-1);
    }

    @Test
    void gpusThatAnEarlierDaemonDeclaredDownComeBack() throws IOException {
        stage.engine.close();
        Files.createDirectories(data.resolve("stuck"));
        Files.writeString(data.resolve("stuck/7.1"), "2 5");

        stage.reopen();

        assertThat(stage.told)
                .extracting(news -> ((News.Happened) news).event())
                .containsExactlyInAnyOrder(new Event.GpuUp(2), new Event.GpuUp(5));
    }

    @Test
    void anAttemptThatNeverStartedIsLostAndCanNeverStart() throws IOException {
        Launch launch = stage.launch(1, 1, new SpecDraft("echo started >>starts"));

        stage.reopen(launch);

        assertThat(stage.end(launch).outcome()).isEqualTo(Outcome.LOST);
        assertThat(stage.end(launch).exit().detail()).isEqualTo("it was never started");
        assertThat(stage.folder(launch).resolve("claim")).isDirectory();
    }

    @Test
    void aShimThatComesTooLateFindsTheAttemptTaken() throws Exception {
        Launch launch = stage.run(1, new SpecDraft("echo started >>starts"));
        stage.end(launch);
        Path folder = stage.folder(launch);
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
        assertThat(stage.file(stage.work(launch).resolve("starts"))).isEqualTo("started\n");
    }

    @Test
    void whatNobodyBelievesInIsEnded() {
        Launch launch = begun(patient("exit 0"));

        stage.reopen();

        assertThat(stage.alive()).isEmpty();
        assertThat(stage.told).isEmpty();
        assertThat(stage.ends(launch)).isEmpty();
    }

    @Test
    void aReusedPidIsNotMistakenForTheShim() throws IOException {
        Launch launch = begun(patient("exit 0"));
        stage.engine.close();
        stage.alive().forEach(Proc::kill);
        Stage.until(() -> stage.alive().isEmpty());
        // This very process now has the pid that the shim had: only the start time tells them apart.
        Path pid = stage.folder(launch).resolve("pid");
        String start = Files.readString(pid).strip().split(" ")[1];
        Files.writeString(pid, ProcessHandle.current().pid() + " " + start + "\n");

        stage.reopen(launch);

        assertThat(stage.end(launch).outcome()).isEqualTo(Outcome.LOST);
    }

    @Test
    void afterARestartOfTheMachineNoPidIsTrusted() throws IOException {
        Launch launch = begun(patient("exit 0"));
        Path order = stage.folder(launch).resolve("order");
        String ordered = Files.readString(order).split(" ")[0];
        Files.writeString(order, ordered + " another-boot\n");

        stage.reopen(launch);

        Stage.End end = stage.end(launch);
        assertThat(end.outcome()).isEqualTo(Outcome.LOST);
        assertThat(end.exit().detail()).contains("restarted");
    }

    @Test
    void aShimThatDiedUnseenMeansAnotherTry() {
        Launch launch = begun(patient("exit 0"));
        stage.engine.close();
        stage.alive().forEach(Proc::kill);
        Stage.until(() -> stage.alive().isEmpty());

        stage.reopen(launch);

        assertThat(stage.end(launch).outcome()).isEqualTo(Outcome.LOST);
    }

    @Test
    void anAdoptedJobWhoseShimIsKilledIsNoticed() {
        Launch launch = begun(patient("exit 0"));
        stage.reopen(launch);

        RunFolder.Known shim = Objects.requireNonNull(new RunFolder(stage.folder(launch)).shim());
        ProcessHandle.of(shim.pid()).orElseThrow().destroyForcibly();

        assertThat(stage.end(launch).outcome()).isEqualTo(Outcome.FAILED);
        assertThat(stage.alive()).isEmpty();
    }

    @Test
    void aPauseInProgressKeepsItsDeadlineAndItsSignalIsNotSentTwice() {
        Launch launch = begun(new SpecDraft("trap 'echo heard >>heard' TERM; echo started >>starts; " + LOOP));
        stage.engine.pause(1, 1, 1_500);
        stage.awaitFile(stage.work(launch).resolve("heard"));
        Stage.until(() -> Files.exists(stage.folder(launch).resolve("signalled")));

        stage.reopen(launch);

        Stage.End end = stage.end(launch);
        assertThat(end.outcome()).isEqualTo(Outcome.LOST);
        assertThat(end.usage().pauseMillis()).isBetween(1_500L, 4_000L);
        assertThat(stage.file(stage.work(launch).resolve("heard"))).isEqualTo("heard\n");
    }

    @Test
    void aPauseThatSucceededMeanwhileIsAPause() {
        Launch launch = begun(new SpecDraft("trap 'exit 0' TERM; echo started >>starts; " + LOOP));
        stage.engine.pause(1, 1, 10_000);
        Stage.until(() -> Files.exists(stage.folder(launch).resolve("leave")));
        stage.engine.close();
        Stage.until(() -> stage.alive().isEmpty());

        stage.reopen(launch);

        assertThat(stage.end(launch).outcome()).isEqualTo(Outcome.PAUSED);
        stage.reopen(launch); // as if the news had not become durable: the same is told again
        assertThat(stage.end(launch).outcome()).isEqualTo(Outcome.PAUSED);
    }

    @Test
    void theTimeLimitHoldsAfterAdoptionAndCountsEarlierAttempts() {
        SpecDraft draft = patient("exit 0").limitMillis(60_000);
        Launch first = stage.launch(1, 1, draft, 0, 59_500);
        stage.engine.start(first);
        stage.awaitRunning(first);

        stage.reopen(first);

        Stage.End end = stage.end(first);
        assertThat(end.outcome()).isEqualTo(Outcome.TIMEOUT);
        assertThat(end.exit().detail()).contains("60 s");
    }

    @Test
    void reportsOfBeforeAreRememberedAndNewOnesAreTold() throws IOException {
        Launch launch = begun(patient("echo '{\"kind\":\"finished\"}' >>$FERMATA_REPORT; exit 0"));
        Files.writeString(
                stage.folder(launch).resolve("report"),
                "{\"kind\":\"hello\"}\n{\"kind\":\"loaded\"}\n{\"kind\":\"step\",\"step\":5,\"total\":9}\n");
        stage.reopen(launch);

        go(launch);
        stage.end(launch);

        List<String> kinds = stage.told.stream()
                .filter(News.Progress.class::isInstance)
                .map(news -> ((News.Progress) news).report().kind())
                .toList();
        assertThat(kinds).containsExactly("hello", "loaded", "step", "finished");
    }
}
