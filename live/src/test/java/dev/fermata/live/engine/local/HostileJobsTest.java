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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs that do what no job should do. Each ends in a clear state, nothing of it is left, and the next job runs. */
class HostileJobsTest extends OnStage {
    private static final String LOOP = "while :; do sleep 0.01; done";

    @AfterEach
    void theNextJobRuns() {
        Launch next = stage.start(99, new SpecDraft("echo next"));
        assertThat(stage.end(next).outcome()).isEqualTo(Outcome.COMPLETED);
        assertThat(stage.alive()).isEmpty();
    }

    private Launch running(SpecDraft draft) {
        Launch launch = stage.run(1, draft);
        Stage.until(() -> stage.stdout(launch).contains("up"));
        return launch;
    }

    @Test
    void aJobThatIgnoresTheSignalIsKilledAfterItsGrace() {
        Launch launch = running(new SpecDraft("trap '' TERM; echo up; " + LOOP));

        stage.engine.pause(1, 1, 300);

        Stage.End end = stage.end(launch);
        assertThat(end.outcome()).isEqualTo(Outcome.LOST);
        assertThat(end.exit().detail()).contains("did not leave within its grace");
        assertThat(end.usage().pauseMillis()).isGreaterThanOrEqualTo(300);
        assertThat(end.usage().savedWorkMillis()).isZero();
    }

    @Test
    void aJobThatCatchesTheSignalAndStaysIsKilledAfterItsGrace() {
        Launch launch = running(new SpecDraft("trap 'echo heard' TERM; echo up; " + LOOP));

        stage.engine.pause(1, 1, 300);

        assertThat(stage.end(launch).outcome()).isEqualTo(Outcome.LOST);
        assertThat(stage.stdout(launch)).contains("heard");
    }

    @Test
    void aJobThatStopsItselfWhenAskedIsKilledAfterItsGrace() {
        Launch launch = running(new SpecDraft("trap 'kill -STOP $$' TERM; echo up; " + LOOP));

        stage.engine.pause(1, 1, 300);

        assertThat(stage.end(launch).outcome()).isEqualTo(Outcome.LOST);
    }

    @Test
    void aJobThatDoesNotListenLosesWhatItDidNotSave() {
        Launch launch = running(new SpecDraft("echo up; sleep 1000"));

        stage.engine.pause(1, 1, 10_000);

        Stage.End end = stage.end(launch);
        assertThat(end.outcome()).isEqualTo(Outcome.LOST);
        assertThat(end.exit().detail()).contains("nothing in it listens to TERM");
        assertThat(end.exit().signal()).isEqualTo(15);
    }

    @ParameterizedTest
    @CsvSource({
        "exit 0, PAUSED",
        "exit 1, PAUSED",
        "exit 75, PAUSED",
        "exit 74, LOST",
        "trap - TERM; kill -TERM $$, PAUSED"
    })
    void leavingWithinTheGraceIsAPauseHoweverItLeaves(String how, Outcome outcome) {
        Launch launch = running(new SpecDraft("trap '" + how + "' TERM; echo up; " + LOOP));

        stage.engine.pause(1, 1, 10_000);

        assertThat(stage.end(launch).outcome()).isEqualTo(outcome);
    }

    @Test
    void aJobThatEndsByItselfWhileItIsAskedIsCompleted() {
        Launch launch = running(new SpecDraft("trap '' TERM; echo up; sleep 0.4"));

        stage.engine.pause(1, 1, 10_000);

        assertThat(stage.end(launch).outcome()).isEqualTo(Outcome.COMPLETED);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void childrenThatBecomeDaemonsAreEnded(boolean limits) {
        stage.close();
        stage = new Stage(data, settings -> settings.limits(limits));
        Launch launch = running(new SpecDraft("(setsid sh -c '(sleep 1000 &) ; echo >there; sleep 1000' &) ;"
                + " until [ -e there ]; do sleep 0.01; done; echo up; exit 0"));

        Stage.End end = stage.end(launch);

        assertThat(end.outcome()).isEqualTo(Outcome.COMPLETED);
        assertThat(end.exit().detail()).contains("left behind");
        assertThat(stage.alive()).isEmpty();
    }

    @Test
    void aDaemonThatClearsItsEnvironmentIsFoundByItsControlGroupOrToldAboutInARemark() throws IOException {
        Path pid = data.resolve("hidden");
        Launch launch = running(new SpecDraft(
                "env -i setsid setsid sh -c 'echo $$ >" + pid + "; exec sleep 1000' & echo up; while [ ! -s " + pid
                        + " ]; do sleep 0.01; done; setsid sleep 0; exit 0"));
        stage.end(launch);

        int hidden = Integer.parseInt(Files.readString(pid).strip());
        Proc left = Proc.of(hidden);
        boolean alive = left != null && left.lives();
        if (left != null && alive) {
            left.kill();
        }
        assertThat(alive).isEqualTo(stage.engine.remarks().stream().anyMatch(remark -> remark.contains("unseen")));
    }

    @Test
    void aJobThatPrintsAtFullSpeedIsHeldToItsShareOfTheDisk() throws IOException {
        stage.close();
        stage = new Stage(data, settings -> settings.logs(new LocalSettings.Logs(64 * 1024, 1, 2)));
        Launch launch = running(new SpecDraft("echo up; head -c 6000000 /dev/zero | tr '\\0' 'x'; echo; echo the end"));

        assertThat(stage.end(launch).outcome()).isEqualTo(Outcome.COMPLETED);

        long kept = 0;
        try (var files = Files.newDirectoryStream(stage.folder(launch), "stdout.*")) {
            for (Path file : files) {
                kept += Files.size(file);
            }
        }
        assertThat(kept).isLessThan(5 * 80 * 1024);
        try (var output = stage.engine.logs().open(1, 1, "stdout", 0).orElseThrow()) {
            assertThat(output.begin()).isZero();
            assertThat(output.end()).isEqualTo(3 + 6_000_000 + 1 + 8);
            byte[] some = new byte[8];
            assertThat(output.read(output.end() - 8, some)).isEqualTo(8);
            assertThat(new String(some, java.nio.charset.StandardCharsets.UTF_8))
                    .isEqualTo("the end\n");
            assertThat(output.read(2_000_000, some)).isZero();
            assertThat(output.kept(2_000_000)).isGreaterThan(5_000_000);
            assertThat(output.kept(2)).isEqualTo(2);
        }
    }

    @Test
    void aJobThatPrintsForEverCanStillBeKilled() {
        Launch launch =
                stage.run(1, new SpecDraft("trap '' TERM; while :; do echo yyyyyyyyyyyyyyyyyyyyyyyyyyyy; done"));

        stage.engine.kill(1, 1);

        assertThat(stage.end(launch).outcome()).isEqualTo(Outcome.CANCELLED);
    }

    @Test
    void aJobThatHangsAtStartIsEndedByItsLimit() {
        Launch launch = stage.start(
                1, new SpecDraft("trap '' TERM; " + LOOP).limitMillis(300).grace(200));

        Stage.End end = stage.end(launch);

        assertThat(end.outcome()).isEqualTo(Outcome.TIMEOUT);
        assertThat(end.exit().detail()).contains("time limit");
    }

    @Test
    void aJobThatHangsAtStartIsEndedByACancel() {
        Launch launch = stage.start(1, new SpecDraft("trap '' TERM INT HUP; " + LOOP));

        stage.engine.kill(1, 1);

        assertThat(stage.end(launch).outcome()).isEqualTo(Outcome.CANCELLED);
    }

    @Test
    void aCorruptCheckpointIsAFailureWithItsLastWords() {
        Launch launch = stage.launch(
                1,
                2,
                new SpecDraft(
                        "if [ $FERMATA_RESUMED = 1 ]; then echo 'checkpoint is corrupt: bad magic' >&2; exit 1; fi"));
        stage.engine.start(launch);

        Stage.End end = stage.end(launch);

        assertThat(end.outcome()).isEqualTo(Outcome.FAILED);
        assertThat(end.exit().code()).isEqualTo(1);
        assertThat(end.exit().detail()).isEqualTo("checkpoint is corrupt: bad magic");
    }

    @Test
    void controlCharactersDoNotReachPeople() {
        Launch launch = stage.start(
                1,
                new SpecDraft(
                        "printf '\\033[2J\\033]0;owned\\007\\033[31mred\\r\\n\\342\\200\\256evil\\n' >&2; exit 1"));

        Stage.End end = stage.end(launch);

        assertThat(end.outcome()).isEqualTo(Outcome.FAILED);
        assertThat(end.exit().detail()).isEqualTo("evil");
    }

    @Test
    void aVeryLongLastLineIsCut() {
        Launch launch = stage.start(1, new SpecDraft("head -c 100000 /dev/zero | tr '\\0' 'e' >&2; exit 1"));

        assertThat(stage.end(launch).exit().detail()).hasSize(200).endsWith("…");
    }

    @Test
    void gpusOfAProcessThatCannotBeEndedAreOutOfServiceUntilItIsGone() {
        stage.close();
        stage = new Stage(data, settings -> settings.stuckMillis(-1)); // no patience at all: whoever is there is stuck
        Launch launch = running(new SpecDraft(
                        "setsid sh -c 'echo >there; sleep 1000' & until [ -e there ]; do sleep 0.01; done; echo up")
                .gpus(2));

        Stage.End end = stage.end(launch);

        assertThat(end.outcome()).isEqualTo(Outcome.COMPLETED);
        assertThat(end.exit().detail()).contains("could not be ended: ");
        assertThat(events()).containsSubsequence(new Event.GpuDown(0), new Event.GpuDown(1));
        Stage.until(() -> events().containsAll(List.of(new Event.GpuUp(0), new Event.GpuUp(1))));
        assertThat(stage.alive()).isEmpty();
        stage.close();
        stage = new Stage(data);
    }

    private List<Event> events() {
        return stage.told.stream()
                .filter(News.Happened.class::isInstance)
                .map(news -> ((News.Happened) news).event())
                .toList();
    }

    @Test
    void aJobThatClosesItsOutputGoesOn() {
        Launch launch = running(new SpecDraft("echo up; exec >&- 2>&- <&-; sleep 0.3; exit 4"));

        Stage.End end = stage.end(launch);

        assertThat(end.exit().code()).isEqualTo(4);
    }

    @Test
    void aJobThatKillsItsWatcherHasFailed() {
        Launch launch = running(new SpecDraft("echo up; kill -9 $PPID; exec sleep 1000"));

        Stage.End end = stage.end(launch);

        assertThat(end.outcome()).isEqualTo(Outcome.FAILED);
        assertThat(end.exit().code()).isNull();
        assertThat(end.exit().detail()).contains("the process that watches over it was killed");
    }

    @Test
    void twoHundredChildrenAreEndedToo() {
        Launch launch = running(
                new SpecDraft(
                        "trap '' TERM; i=0; while [ $i -lt 200 ]; do setsid sleep 1000 & i=$((i+1)); done; echo up; sleep 1000"));

        stage.engine.kill(1, 1);

        assertThat(stage.end(launch).outcome()).isEqualTo(Outcome.CANCELLED);
        assertThat(stage.alive()).isEmpty();
    }

    @Test
    void aJobThatDeletesItsFolderStillEndsWithItsCode() {
        Launch launch = stage.start(1, new SpecDraft("rm -rf \"${FERMATA_REPORT%/*}\"; exit 5"));

        Stage.End end = stage.end(launch);

        assertThat(end.outcome()).isEqualTo(Outcome.FAILED);
        assertThat(end.exit().code()).isEqualTo(5);
    }

    @Test
    void aJobThatDeletesItsFolderCanBeCancelled() {
        Launch launch = stage.run(1, new SpecDraft("cd /; rm -rf \"${FERMATA_REPORT%/*}\"; trap '' TERM; " + LOOP));
        Stage.until(() -> !Files.exists(stage.folder(launch)));

        stage.engine.kill(1, 1);

        assertThat(stage.end(launch).outcome()).isEqualTo(Outcome.CANCELLED);
    }

    @Test
    void aJobThatDeletedItsFolderIsEndedByTheNextDaemon() {
        Launch launch = stage.run(1, new SpecDraft("cd /; rm -rf \"${FERMATA_REPORT%/*}\"; " + LOOP));
        Stage.until(() -> !Files.exists(stage.folder(launch)));

        stage.reopen(launch);

        Stage.End end = stage.end(launch);
        assertThat(end.outcome()).isEqualTo(Outcome.FAILED);
        assertThat(end.exit().detail()).contains("deleted its own folder");
    }

    @Test
    void linksInPlaceOfLogsAreNotFollowed() throws IOException {
        Path secret = Files.writeString(data.resolve("secret"), "token");
        Launch launch = running(new SpecDraft("echo up; cd \"$FERMATA_RUN_DIR/..\"; rm -f stderr.0; ln -s " + secret
                + " stderr.0; ln -s " + secret + " stdout.7; exit 1"));

        Stage.End end = stage.end(launch);

        assertThat(end.exit().detail()).doesNotContain("token");
        assertThat(stage.engine.logs().open(1, 1, "stderr", 0)).isEmpty();
        for (String stream : List.of("../../secret", "stdout/../../../secret", "exit", "pid", "", "env")) {
            assertThat(stage.engine.logs().open(1, 1, stream, 0)).isEmpty();
        }
        assertThat(stage.engine.logs().open(-1, 1, "stdout", 0)).isEmpty();
        try (var output = stage.engine.logs().open(1, 1, "stdout", 0).orElseThrow()) {
            assertThat(output.end()).isEqualTo(3);
        }
    }

    @Test
    void aShellThatDiesOfTheSignalLeavesItsChildTheGrace() {
        Launch launch = running(
                new SpecDraft(
                        "#!/bin/bash\nbash -c 'trap \"sleep 0.5; echo saved; exit 0\" TERM; echo up; while :; do sleep 0.01; done'\necho not reached\n"));

        stage.engine.pause(1, 1, 10_000);

        assertThat(stage.end(launch).outcome()).isEqualTo(Outcome.PAUSED);
        assertThat(stage.stdout(launch)).contains("saved").doesNotContain("not reached");
    }

    @Test
    void workersBelowAListenerAreNotAsked() {
        Launch launch = running(new SpecDraft("""
                #!/usr/bin/env python3
                import os, signal, subprocess, sys, time
                worker = subprocess.Popen(["sleep", "1000"])
                def asked(*_):
                    print("worker alive" if worker.poll() is None else "worker dead", flush=True)
                    sys.exit(0)
                signal.signal(signal.SIGTERM, asked)
                print("up", flush=True)
                while True:
                    time.sleep(0.01)
                """));

        stage.engine.pause(1, 1, 10_000);

        // the worker stays behind until the grace is over: it was not asked
        Stage.until(() -> stage.stdout(launch).contains("worker alive"));
        stage.engine.kill(1, 1);
        assertThat(stage.end(launch).outcome()).isEqualTo(Outcome.CANCELLED);
    }
}
