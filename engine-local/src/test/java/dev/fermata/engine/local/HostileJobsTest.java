package dev.fermata.engine.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Outcome;
import dev.fermata.live.engine.EngineEvent;
import dev.fermata.live.engine.EngineOrder;
import dev.fermata.live.engine.JobSpecBuilder;
import dev.fermata.live.engine.Launch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs that do what no job should do. Each ends in a clear state, leaves nothing behind, and the next job runs. */
class HostileJobsTest extends LocalEngineTestBase {
    private static final String LOOP = "while :; do sleep 0.01; done";

    /** Prints how many children it got. */
    private static final String FORK_BOMB = """
        #!/usr/bin/env python3
        import os, time
        n = 0
        try:
            while n < 200:
                if os.fork() == 0:
                    time.sleep(1000)
                n += 1
        except OSError:
            pass
        print(n, flush=True)
        os._exit(0)
        """;

    @AfterEach
    void nextJobRuns() {
        Launch next = fixture.start(99, new JobSpecBuilder("echo next"));
        assertThat(fixture.awaitEnd(next).outcome()).isEqualTo(Outcome.COMPLETED);
        assertThat(fixture.aliveProcesses()).isEmpty();
    }

    private Launch startRunning(JobSpecBuilder builder) {
        Launch launch = fixture.startAndAwaitRunning(1, builder);
        LocalEngineFixture.awaitUntil(() -> fixture.stdout(launch).contains("up"));
        return launch;
    }

    @Test
    void jobThatIgnoresTheSignalIsKilledAfterItsGrace() {
        Launch launch = startRunning(new JobSpecBuilder("trap '' TERM; echo up; " + LOOP));

        fixture.preempt(1, 1, 300);

        LocalEngineFixture.AttemptEndRecord end = fixture.awaitEnd(launch);
        assertThat(end.outcome()).isEqualTo(Outcome.LOST);
        assertThat(end.exit().detail()).contains("did not exit within its grace");
        assertThat(end.usage().preemptMillis()).isGreaterThanOrEqualTo(300);
        assertThat(end.usage().savedWorkMillis()).isZero();
    }

    @Test
    void jobThatHandlesTheSignalAndStaysIsKilledAfterItsGrace() {
        Launch launch = startRunning(new JobSpecBuilder("trap 'echo heard' TERM; echo up; " + LOOP));

        fixture.preempt(1, 1, 300);

        assertThat(fixture.awaitEnd(launch).outcome()).isEqualTo(Outcome.LOST);
        assertThat(fixture.stdout(launch)).contains("heard");
    }

    @Test
    void jobThatStopsItselfOnSignalIsKilledAfterItsGrace() {
        Launch launch = startRunning(new JobSpecBuilder("trap 'kill -STOP $$' TERM; echo up; " + LOOP));

        fixture.preempt(1, 1, 300);

        assertThat(fixture.awaitEnd(launch).outcome()).isEqualTo(Outcome.LOST);
    }

    @Test
    void jobWithoutSignalHandlerLosesUnsavedWork() {
        Launch launch = startRunning(new JobSpecBuilder("echo up; sleep 1000"));

        fixture.preempt(1, 1, 60_000);

        LocalEngineFixture.AttemptEndRecord end = fixture.awaitEnd(launch);
        assertThat(end.outcome()).isEqualTo(Outcome.LOST);
        assertThat(end.exit().detail()).contains("none of its processes handles TERM");
        assertThat(end.exit().signal()).isEqualTo(15);
    }

    @ParameterizedTest
    @CsvSource({
        "exit 0, PREEMPTED",
        "exit 1, PREEMPTED",
        "exit 75, PREEMPTED",
        "exit 74, LOST",
        "trap - TERM; kill -TERM $$, PREEMPTED"
    })
    void endWithinGraceIsPreemptedForAnyExit(String how, Outcome outcome) {
        Launch launch = startRunning(new JobSpecBuilder("trap '" + how + "' TERM; echo up; " + LOOP));

        fixture.preempt(1, 1, 60_000);

        assertThat(fixture.awaitEnd(launch).outcome()).isEqualTo(outcome);
    }

    @Test
    void jobThatEndsByItselfDuringTheRequestIsCompleted() throws IOException {
        Launch launch = startRunning(new JobSpecBuilder("trap '' TERM; echo up; until [ -e go ]; do sleep 0.01; done"));

        fixture.preempt(1, 1, 60_000);
        Files.writeString(fixture.workFolder(launch).resolve("go"), "");

        assertThat(fixture.awaitEnd(launch).outcome()).isEqualTo(Outcome.COMPLETED);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void daemonizedChildrenAreKilled(boolean limits) {
        fixture.close();
        fixture = new LocalEngineFixture(data, settings -> settings.useControlGroups(limits));
        Launch launch = startRunning(new JobSpecBuilder("(setsid sh -c '(sleep 1000 &) ; echo >there; sleep 1000' &) ;"
                + " until [ -e there ]; do sleep 0.01; done; echo up; exit 0"));

        LocalEngineFixture.AttemptEndRecord end = fixture.awaitEnd(launch);

        assertThat(end.outcome()).isEqualTo(Outcome.COMPLETED);
        assertThat(end.exit().detail()).contains("left behind");
        assertThat(fixture.aliveProcesses()).isEmpty();
    }

    @Test
    void forkBombHitsItsLimitOfProcesses() {
        fixture.close();
        fixture = new LocalEngineFixture(
                data, settings -> settings.containment(new LocalEngineSettings.Containment(true, 0, 40)));
        Launch launch = fixture.start(1, new JobSpecBuilder(FORK_BOMB));

        assertThat(fixture.awaitEnd(launch).outcome()).isEqualTo(Outcome.COMPLETED);

        boolean limited = fixture.engine.notices().stream().noneMatch(remark -> remark.contains("number of processes"));
        assertThat(Integer.parseInt(fixture.stdout(launch).strip())).isEqualTo(limited ? 39 : 200);
    }

    @Test
    void daemonWithClearedEnvironmentIsFoundByControlGroupOrNamedInARemark() throws IOException {
        Path pid = data.resolve("hidden");
        Launch launch = startRunning(new JobSpecBuilder(
                "env -i setsid setsid sh -c 'echo $$ >" + pid + "; exec sleep 1000' & echo up; while [ ! -s " + pid
                        + " ]; do sleep 0.01; done; setsid sleep 0; exit 0"));
        fixture.awaitEnd(launch);

        int hidden = Integer.parseInt(Files.readString(pid).strip());
        Proc left = Proc.find(hidden);
        boolean alive = left != null && left.isAlive();
        if (left != null && alive) {
            left.kill();
        }
        assertThat(alive)
                .isEqualTo(fixture.engine.notices().stream().anyMatch(remark -> remark.contains("undetected")));
    }

    @Test
    void outputOfFastPrintingJobIsBoundedOnDisk() throws IOException {
        fixture.close();
        fixture = new LocalEngineFixture(
                data, settings -> settings.logs(new LocalEngineSettings.LogLimits(64 * 1024, 1, 2)));
        Launch launch = startRunning(
                new JobSpecBuilder("echo up; head -c 6000000 /dev/zero | tr '\\0' 'x'; echo; echo the end"));

        assertThat(fixture.awaitEnd(launch).outcome()).isEqualTo(Outcome.COMPLETED);

        long kept = 0;
        try (var files = Files.newDirectoryStream(fixture.folder(launch), "stdout.*")) {
            for (Path file : files) {
                kept += Files.size(file);
            }
        }
        assertThat(kept).isLessThan(5 * 80 * 1024);
        try (var output = fixture.engine.logs().open(1, 1, "stdout", 0).orElseThrow()) {
            assertThat(output.firstOffset()).isZero();
            assertThat(output.endOffset()).isEqualTo(3 + 6_000_000 + 1 + 8);
            byte[] some = new byte[8];
            assertThat(output.read(output.endOffset() - 8, some)).isEqualTo(8);
            assertThat(new String(some, java.nio.charset.StandardCharsets.UTF_8))
                    .isEqualTo("the end\n");
            assertThat(output.read(2_000_000, some)).isZero();
            assertThat(output.nextAvailable(2_000_000)).isGreaterThan(5_000_000);
            assertThat(output.nextAvailable(2)).isEqualTo(2);
        }
    }

    @Test
    void jobThatPrintsForeverCanBeKilled() {
        Launch launch = fixture.startAndAwaitRunning(
                1, new JobSpecBuilder("trap '' TERM; while :; do echo yyyyyyyyyyyyyyyyyyyyyyyyyyyy; done"));

        fixture.kill(1, 1);

        assertThat(fixture.awaitEnd(launch).outcome()).isEqualTo(Outcome.CANCELLED);
    }

    @Test
    void jobThatHangsAtStartIsEndedByItsTimeLimit() {
        Launch launch = fixture.start(
                1, new JobSpecBuilder("trap '' TERM; " + LOOP).limitMillis(300).grace(200));

        LocalEngineFixture.AttemptEndRecord end = fixture.awaitEnd(launch);

        assertThat(end.outcome()).isEqualTo(Outcome.TIMEOUT);
        assertThat(end.exit().detail()).contains("time limit");
    }

    @Test
    void jobThatHangsAtStartIsEndedByCancel() {
        Launch launch = fixture.start(1, new JobSpecBuilder("trap '' TERM INT HUP; " + LOOP));

        fixture.kill(1, 1);

        assertThat(fixture.awaitEnd(launch).outcome()).isEqualTo(Outcome.CANCELLED);
    }

    @Test
    void corruptCheckpointFailsWithItsLastErrorLine() {
        Launch launch = fixture.launch(
                1,
                2,
                new JobSpecBuilder(
                        "if [ $FERMATA_RESUMED = 1 ]; then echo 'checkpoint is corrupt: bad magic' >&2; exit 1; fi"));
        fixture.engine.submit(new EngineOrder.Start(launch));

        LocalEngineFixture.AttemptEndRecord end = fixture.awaitEnd(launch);

        assertThat(end.outcome()).isEqualTo(Outcome.FAILED);
        assertThat(end.exit().code()).isEqualTo(1);
        assertThat(end.exit().detail()).isEqualTo("checkpoint is corrupt: bad magic");
    }

    @Test
    void controlCharactersAreRemovedFromMessages() {
        Launch launch = fixture.start(
                1,
                new JobSpecBuilder(
                        "printf '\\033[2J\\033]0;owned\\007\\033[31mred\\r\\n\\342\\200\\256evil\\n' >&2; exit 1"));

        LocalEngineFixture.AttemptEndRecord end = fixture.awaitEnd(launch);

        assertThat(end.outcome()).isEqualTo(Outcome.FAILED);
        assertThat(end.exit().detail()).isEqualTo("evil");
    }

    @Test
    void veryLongLastLineIsTruncated() {
        Launch launch = fixture.start(1, new JobSpecBuilder("head -c 100000 /dev/zero | tr '\\0' 'e' >&2; exit 1"));

        assertThat(fixture.awaitEnd(launch).exit().detail()).hasSize(200).endsWith("…");
    }

    @Test
    void gpusOfUnkillableProcessAreDownUntilItExits() {
        fixture.close();
        fixture = new LocalEngineFixture(
                data, settings -> settings.stuckTimeoutMillis(-1)); // no timeout: every remaining process is stuck
        Launch launch = startRunning(new JobSpecBuilder(
                        "setsid sh -c 'echo >there; sleep 1000' & until [ -e there ]; do sleep 0.01; done; echo up")
                .gpus(2));

        LocalEngineFixture.AttemptEndRecord end = fixture.awaitEnd(launch);

        assertThat(end.outcome()).isEqualTo(Outcome.COMPLETED);
        assertThat(end.exit().detail()).contains("could not be ended: ");
        assertThat(events()).containsSubsequence(new Event.GpuDown(0), new Event.GpuDown(1));
        LocalEngineFixture.awaitUntil(() -> events().containsAll(List.of(new Event.GpuUp(0), new Event.GpuUp(1))));
        assertThat(fixture.aliveProcesses()).isEmpty();
        fixture.close();
        fixture = new LocalEngineFixture(data);
    }

    private List<Event> events() {
        return fixture.events.stream()
                .filter(EngineEvent.StateChanged.class::isInstance)
                .map(event -> ((EngineEvent.StateChanged) event).event())
                .toList();
    }

    @Test
    void jobThatClosesItsOutputContinues() {
        Launch launch = startRunning(new JobSpecBuilder("echo up; exec >&- 2>&- <&-; sleep 0.3; exit 4"));

        LocalEngineFixture.AttemptEndRecord end = fixture.awaitEnd(launch);

        assertThat(end.exit().code()).isEqualTo(4);
    }

    @Test
    void jobThatKillsItsShimFails() {
        Launch launch = startRunning(new JobSpecBuilder("echo up; kill -9 $PPID; exec sleep 1000"));

        LocalEngineFixture.AttemptEndRecord end = fixture.awaitEnd(launch);

        assertThat(end.outcome()).isEqualTo(Outcome.FAILED);
        assertThat(end.exit().code()).isNull();
        assertThat(end.exit().detail()).contains("the process that supervises it was killed");
    }

    @Test
    void twoHundredChildrenAreKilled() {
        Launch launch = startRunning(new JobSpecBuilder(
                "trap '' TERM; i=0; while [ $i -lt 200 ]; do setsid sleep 1000 & i=$((i+1)); done; echo up;"
                        + " sleep 1000"));

        fixture.kill(1, 1);

        assertThat(fixture.awaitEnd(launch).outcome()).isEqualTo(Outcome.CANCELLED);
        assertThat(fixture.aliveProcesses()).isEmpty();
    }

    @Test
    void jobThatDeletesItsFolderEndsWithItsExitCode() {
        Launch launch = fixture.start(1, new JobSpecBuilder("rm -rf \"${FERMATA_REPORT%/*}\"; exit 5"));

        LocalEngineFixture.AttemptEndRecord end = fixture.awaitEnd(launch);

        assertThat(end.outcome()).isEqualTo(Outcome.FAILED);
        assertThat(end.exit().code()).isEqualTo(5);
    }

    @Test
    void jobThatDeletesItsFolderCanBeCancelled() {
        Launch launch = fixture.startAndAwaitRunning(
                1, new JobSpecBuilder("cd /; rm -rf \"${FERMATA_REPORT%/*}\"; trap '' TERM; " + LOOP));
        LocalEngineFixture.awaitUntil(() -> !Files.exists(fixture.folder(launch)));

        fixture.kill(1, 1);

        assertThat(fixture.awaitEnd(launch).outcome()).isEqualTo(Outcome.CANCELLED);
    }

    @Test
    void jobThatDeletedItsFolderIsKilledByTheNextDaemon() {
        Launch launch =
                fixture.startAndAwaitRunning(1, new JobSpecBuilder("cd /; rm -rf \"${FERMATA_REPORT%/*}\"; " + LOOP));
        LocalEngineFixture.awaitUntil(() -> !Files.exists(fixture.folder(launch)));

        fixture.reopen(launch);

        LocalEngineFixture.AttemptEndRecord end = fixture.awaitEnd(launch);
        assertThat(end.outcome()).isEqualTo(Outcome.FAILED);
        assertThat(end.exit().detail()).contains("deleted its attempt folder");
    }

    @Test
    void symbolicLinksInPlaceOfLogsAreNotFollowed() throws IOException {
        Path secret = Files.writeString(data.resolve("secret"), "token");
        Launch launch =
                startRunning(new JobSpecBuilder("echo up; cd \"$FERMATA_ATTEMPT_DIR/..\"; rm -f stderr.0; ln -s "
                        + secret + " stderr.0; ln -s " + secret + " stdout.7; exit 1"));

        LocalEngineFixture.AttemptEndRecord end = fixture.awaitEnd(launch);

        assertThat(end.exit().detail()).doesNotContain("token");
        assertThat(fixture.engine.logs().open(1, 1, "stderr", 0)).isEmpty();
        for (String stream : List.of("../../secret", "stdout/../../../secret", "exit", "pid", "", "env")) {
            assertThat(fixture.engine.logs().open(1, 1, stream, 0)).isEmpty();
        }
        assertThat(fixture.engine.logs().open(-1, 1, "stdout", 0)).isEmpty();
        try (var output = fixture.engine.logs().open(1, 1, "stdout", 0).orElseThrow()) {
            assertThat(output.endOffset()).isEqualTo(3);
        }
    }

    @Test
    void childOfShellKilledBySignalKeepsTheGrace() {
        Launch launch = startRunning(new JobSpecBuilder("#!/bin/bash\n"
                + "bash -c 'trap \"sleep 0.5; echo saved; exit 0\" TERM; echo up; while :; do sleep 0.01;"
                + " done'\n"
                + "echo not reached\n"));

        fixture.preempt(1, 1, 60_000);

        assertThat(fixture.awaitEnd(launch).outcome()).isEqualTo(Outcome.PREEMPTED);
        assertThat(fixture.stdout(launch)).contains("saved").doesNotContain("not reached");
    }

    @Test
    void workersBelowSignalHandlerAreNotSignalled() {
        Launch launch = startRunning(new JobSpecBuilder("""
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

        fixture.preempt(1, 1, 60_000);

        // the worker remains until the grace time is over: it was not signalled
        LocalEngineFixture.awaitUntil(() -> fixture.stdout(launch).contains("worker alive"));
        fixture.kill(1, 1);
        assertThat(fixture.awaitEnd(launch).outcome()).isEqualTo(Outcome.CANCELLED);
    }

    @ParameterizedTest
    @ValueSource(strings = {"exit", "job", "pid", "exit-request"})
    void jobThatPoisonsAFileOfItsFolderEndsAtItsLimit(String file) {
        Launch launch = fixture.start(
                1,
                new JobSpecBuilder("cd \"$FERMATA_ATTEMPT_DIR/..\"; rm -f " + file + "; echo 9999999999999999999"
                                + " 99999999999999999999 9999999999999999999 >" + file
                                + "; echo 99999999999999999999 >>" + file + "; trap '' TERM; " + LOOP)
                        .limitMillis(300)
                        .grace(200));

        assertThat(fixture.awaitEnd(launch).outcome()).isEqualTo(Outcome.TIMEOUT);
    }

    @Test
    void jobThatPoisonsItsExitRecordEnds() {
        Launch launch = fixture.start(
                1,
                new JobSpecBuilder("cd \"$FERMATA_ATTEMPT_DIR/..\"; rm exit; echo 99999999999999999999 >exit; exit 0"));

        assertThat(fixture.awaitEnd(launch).exit().code()).isNull();
    }
}
