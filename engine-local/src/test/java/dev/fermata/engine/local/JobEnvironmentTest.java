package dev.fermata.engine.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Outcome;
import dev.fermata.live.engine.EngineOrder;
import dev.fermata.live.engine.JobSpecBuilder;
import dev.fermata.live.engine.Launch;
import dev.fermata.live.spec.JobSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a job finds at its start: variables, folders, limits, its account. */
class JobEnvironmentTest {
    private static final boolean ROOT = "root".equals(System.getProperty("user.name"));

    @TempDir
    Path data;

    private LocalEngineFixture fixture;

    @BeforeEach
    void open() throws IOException {
        Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwx--x--x"));
        fixture = new LocalEngineFixture(data);
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private Map<String, String> environment(Launch launch) {
        fixture.engine.submit(new EngineOrder.Start(launch));
        assertThat(fixture.awaitEnd(launch).outcome()).isEqualTo(Outcome.COMPLETED);
        return fixture.stdout(launch)
                .lines()
                .filter(line -> line.contains("="))
                .collect(Collectors.toMap(
                        line -> line.substring(0, line.indexOf('=')),
                        line -> line.substring(line.indexOf('=') + 1),
                        (first, second) -> first));
    }

    @Test
    void daemonFoldersGetTheirModeForAnyUmask() throws IOException {
        Launch launch = fixture.launch(1, 1, new JobSpecBuilder("true"));
        Path job = Files.createDirectories(fixture.folder(launch)).getParent();
        Files.setPosixFilePermissions(job, PosixFilePermissions.fromString("rwxrwxrwx"));

        fixture.engine.submit(new EngineOrder.Start(launch));

        assertThat(fixture.awaitEnd(launch).outcome()).isEqualTo(Outcome.COMPLETED);
        assertThat(Files.getPosixFilePermissions(job)).isEqualTo(PosixFilePermissions.fromString("rwx------"));
    }

    @Test
    void aJobThatSplitsItsBatchFindsTheShareOfEachGpu() {
        Launch like = fixture.launch(1, 1, new JobSpecBuilder("env").gpus(2));
        Launch split = new Launch(
                1,
                1,
                -1,
                like.user(),
                like.spec(),
                like.allocation(),
                Launch.PriorWork.NONE,
                new Launch.LearnedLimits(0, 0, List.of(2.0 / 3, 1.0 / 3)));

        assertThat(environment(split)).containsEntry("FERMATA_GPU_SHARES", "0.666667,0.333333");
        assertThat(environment(fixture.launch(2, 1, new JobSpecBuilder("env").gpus(2))))
                .doesNotContainKey("FERMATA_GPU_SHARES");
    }

    @Test
    void oneRankPerGpuIsStartedOnRequest() {
        Launch launch = fixture.start(
                1,
                new JobSpecBuilder("echo $RANK of $WORLD_SIZE $SLURM_JOB_ID$SLURM_NTASKS")
                        .gpus(3)
                        .ranks(JobSpec.RANK_PER_GPU));

        assertThat(fixture.awaitEnd(launch).outcome()).isEqualTo(Outcome.COMPLETED);
        for (int rank = 0; rank < 3; rank++) {
            assertThat(fixture.readFile(fixture.folder(launch).resolve("stdout-" + rank + ".0")))
                    .isEqualTo(rank + " of 3\n");
        }
    }

    @Test
    void jobSeesItsIdentityAndPlacement() {
        Launch launch = fixture.launch(
                7,
                2,
                new JobSpecBuilder("env")
                        .gpus(3)
                        .signal("USR1")
                        .grace(90_000)
                        .intervalMillis(60_000)
                        .array(4, 9)
                        .env("LR", "1e-4")
                        .env("PYTHONPATH", "lib"));

        assertThat(environment(launch))
                .containsEntry("FERMATA_JOB_ID", "7")
                .containsEntry("FERMATA_JOB_NAME", "a job")
                .containsEntry("FERMATA_ATTEMPT", "2")
                .containsEntry("FERMATA_RESUMED", "1")
                .containsEntry("FERMATA_GRACE_SECONDS", "90")
                .containsEntry("FERMATA_CHECKPOINT_SECONDS", "60")
                .containsEntry("FERMATA_SIGNAL", "USR1")
                .containsEntry("FERMATA_GPUS", "3")
                .containsEntry("CUDA_VISIBLE_DEVICES", "0,1,2")
                .containsEntry("FERMATA_ARRAY_ID", "7")
                .containsEntry("FERMATA_ARRAY_INDEX", "4")
                .containsEntry("FERMATA_ARRAY_SIZE", "9")
                .containsEntry("LR", "1e-4")
                .containsEntry("PYTHONPATH", "lib:" + data.resolve("python"))
                .containsKeys("PATH", "HOME", "USER", "LANG", "FERMATA_ATTEMPT_ID", "FERMATA_REPORT");
    }

    /** Slurm sets the variables of tasks in its steps only: in the script they would make one process one of several. */
    @Test
    void aBatchScriptHasTheVariablesOfSbatchButNotOfATask() {
        Launch launch = fixture.launch(
                7,
                2,
                new JobSpecBuilder("#!/bin/sh\n#SBATCH --gres=gpu:3\nset -u\ncd $SLURM_SUBMIT_DIR\nenv\n")
                        .gpus(3)
                        .array(4, 9));

        Map<String, String> seen = environment(launch);
        assertThat(seen)
                .containsEntry("SLURM_JOB_ID", "7")
                .containsEntry("SLURM_RESTART_COUNT", "1")
                .containsEntry("SLURM_ARRAY_TASK_ID", "4")
                .containsEntry("SLURM_GPUS_ON_NODE", "3")
                .containsEntry("SLURM_JOB_NUM_NODES", "1")
                .containsEntry("SLURM_SUBMIT_DIR", seen.get("PWD"))
                .containsKeys("SLURM_JOB_NODELIST", "SLURM_CPUS_ON_NODE", "SLURM_JOB_PARTITION")
                .doesNotContainKeys(
                        "SLURM_NTASKS", "SLURM_PROCID", "SLURM_LOCALID", "RANK", "LOCAL_RANK", "WORLD_SIZE");
    }

    @Test
    void daemonEnvironmentDoesNotReachJobs() {
        assertThat(System.getenv()).hasSizeGreaterThan(3);
        Map<String, String> seen = environment(fixture.launch(1, 1, new JobSpecBuilder("env")));
        assertThat(seen.keySet())
                .allMatch(name -> name.matches(
                        "PATH|HOME|USER|LOGNAME|SHELL|LANG|TZ|PWD|OLDPWD|_|SHLVL|PYTHONPATH|(FERMATA|CUDA)_.*"));
        assertThat(seen).doesNotContainKeys("FERMATA_TOKEN", "PGPASSWORD");
    }

    @Test
    void userTextIsPassedVerbatim() {
        String nasty = "a'b\"c$(touch hacked)`touch hacked`\\ $HOME;exit 9 \u00e4\u4e2d";
        Launch launch = fixture.launch(1, 1, new JobSpecBuilder("printf '%s' \"$NASTY\"").env("NASTY", nasty));
        fixture.engine.submit(new EngineOrder.Start(launch));

        assertThat(fixture.awaitEnd(launch).outcome()).isEqualTo(Outcome.COMPLETED);
        assertThat(fixture.stdout(launch)).isEqualTo(nasty);
        assertThat(fixture.workFolder(launch).resolve("hacked")).doesNotExist();
    }

    @Test
    void unsettableVariableNamesAreRejected() {
        String user = System.getProperty("user.name");
        assertThat(fixture.engine.rejectionReason(
                        new JobSpecBuilder("x").env("A;B", "1").build(), user))
                .contains("A;B");
        assertThat(fixture.engine.rejectionReason(
                        new JobSpecBuilder("x").env("PPID", "1").build(), user))
                .contains("PPID");
        assertThat(fixture.engine.rejectionReason(
                        new JobSpecBuilder("x").env("GOOD_1", "1").build(), user))
                .isNull();
    }

    @Test
    void workAndCheckpointsAreKeptForTheNextAttempt() {
        JobSpecBuilder builder = new JobSpecBuilder(
                        "ls; ls \"$FERMATA_CHECKPOINT_DIR\"; echo $FERMATA_ATTEMPT >work-$FERMATA_ATTEMPT; echo x >\"$FERMATA_CHECKPOINT_DIR/step-$FERMATA_ATTEMPT\"")
                .checkpointDir("ckpt/deep");
        fixture.awaitEnd(fixture.start(1, builder));
        Launch second = fixture.launch(1, 2, builder);
        fixture.engine.submit(new EngineOrder.Start(second));

        fixture.awaitEnd(second);

        assertThat(fixture.stdout(second)).isEqualTo("work-1\nstep-1\n");
        assertThat(data.resolve("attempts/1/ckpt/deep/step-2")).exists();
    }

    @Test
    void checkpointFolderNeverReplacesAnAttemptFolder() {
        Launch launch =
                fixture.start(1, new JobSpecBuilder("echo x >\"$FERMATA_CHECKPOINT_DIR/y\"").checkpointDir("2/deep"));

        assertThat(fixture.awaitEnd(launch).outcome()).isEqualTo(Outcome.COMPLETED);

        assertThat(data.resolve("attempts/1/2")).doesNotExist();
        assertThat(data.resolve("attempts/1/checkpoints/2/deep/y")).exists();
    }

    @Test
    void missingWorkingDirectoryFailsWithAMessage() {
        Launch launch = fixture.start(1, new JobSpecBuilder("echo hi").workdir("/no/such/place"));

        LocalEngineFixture.AttemptEndRecord end = fixture.awaitEnd(launch);

        assertThat(end.outcome()).isEqualTo(Outcome.FAILED);
        assertThat(end.exit().detail()).contains("cannot enter the working directory /no/such/place");
    }

    @Test
    void eachRankIsAProcessWithItsOwnLog() throws IOException {
        Launch launch = fixture.start(1, new JobSpecBuilder("echo rank $RANK of $WORLD_SIZE").ranks(3));

        assertThat(fixture.awaitEnd(launch).outcome()).isEqualTo(Outcome.COMPLETED);

        for (int rank = 0; rank < 3; rank++) {
            assertThat(fixture.readFile(fixture.folder(launch).resolve("stdout-" + rank + ".0")))
                    .isEqualTo("rank " + rank + " of 3\n");
            assertThat(fixture.engine.logs().open(1, 1, "stdout", rank)).isPresent();
        }
        assertThat(fixture.engine.logs().open(1, 1, "stdout", 3)).isEmpty();
    }

    @Test
    void firstFailingRankEndsTheOthers() {
        Launch launch = fixture.start(
                1, new JobSpecBuilder("if [ $RANK = 1 ]; then echo rank 1 broke >&2; exit 9; fi; sleep 1000").ranks(3));

        LocalEngineFixture.AttemptEndRecord end = fixture.awaitEnd(launch);

        assertThat(end.outcome()).isEqualTo(Outcome.FAILED);
        assertThat(end.exit().code()).isEqualTo(9);
        assertThat(end.exit().detail()).contains("rank 1 broke");
        assertThat(fixture.aliveProcesses()).isEmpty();
    }

    @Test
    void ranksThatSaveAtDifferentSpeedsAllGetTheGrace() {
        Launch launch = fixture.startAndAwaitRunning(
                1,
                new JobSpecBuilder(
                                "trap 'sleep 0.$RANK; echo saved; exit 75' TERM; echo up; while :; do sleep 0.01; done")
                        .ranks(4));
        for (int rank = 0; rank < 4; rank++) {
            fixture.awaitFile(fixture.folder(launch).resolve("stdout-" + rank + ".0"));
        }

        fixture.preempt(1, 1, 60_000);

        assertThat(fixture.awaitEnd(launch).outcome()).isEqualTo(Outcome.PREEMPTED);
        for (int rank = 0; rank < 4; rank++) {
            assertThat(fixture.readFile(fixture.folder(launch).resolve("stdout-" + rank + ".0")))
                    .contains("saved");
        }
    }

    @Test
    void jobMemoryIsLimited() {
        Launch launch = fixture.start(
                1,
                new JobSpecBuilder(
                                "#!/usr/bin/env python3\nblocks = []\nwhile True:\n    blocks.append(bytearray(1 << 20))\n")
                        .cpusAndMemory(500, 64));

        LocalEngineFixture.AttemptEndRecord end = fixture.awaitEnd(launch);

        assertThat(end.outcome()).isEqualTo(Outcome.OOM);
        boolean whole = fixture.engine.notices().stream().noneMatch(remark -> remark.contains("ulimit"));
        assertThat(end.exit().detail()).contains(whole ? "more than its 64 MiB of memory" : "MemoryError");
    }

    @Test
    void memoryIsGrantedPerGpu() {
        fixture.close();
        for (boolean limits : new boolean[] {true, false}) {
            fixture = new LocalEngineFixture(
                    data.resolve("limits-" + limits), settings -> settings.useControlGroups(limits));
            Launch launch = fixture.start(
                    1,
                    new JobSpecBuilder("#!/usr/bin/env python3\nblock = bytearray(200 << 20)\n")
                            .gpus(4)
                            .cpusAndMemory(0, 100));

            assertThat(fixture.awaitEnd(launch).outcome())
                    .as("limits %s", limits)
                    .isEqualTo(Outcome.COMPLETED);
            fixture.close();
        }
    }

    @Test
    void withoutControlGroupsMemoryIsLimitedPerProcess() {
        fixture.close();
        fixture = new LocalEngineFixture(data, settings -> settings.useControlGroups(false));
        Launch launch = fixture.start(
                1, new JobSpecBuilder("#!/usr/bin/env python3\nblock = bytearray(200 << 20)\n").cpusAndMemory(0, 64));

        LocalEngineFixture.AttemptEndRecord end = fixture.awaitEnd(launch);

        assertThat(end.exit().detail()).contains("MemoryError");
        assertThat(fixture.engine.notices()).anyMatch(remark -> remark.contains("ulimit"));
    }

    @Test
    void kernelEndsJobsBeforeTheDaemonWhenMemoryIsShort() {
        Launch launch = fixture.start(1, new JobSpecBuilder("cat /proc/self/oom_score_adj"));

        fixture.awaitEnd(launch);

        assertThat(fixture.stdout(launch)).isEqualTo("500\n");
    }

    @Test
    void jobsRunAsTheirUsersWhenTheDaemonIsRoot() throws IOException {
        Launch launch = LocalEngineFixture.forUser(
                "daemon",
                fixture.launch(
                        1,
                        1,
                        new JobSpecBuilder(
                                "id -u; echo $USER; cat /proc/self/status | grep -E 'CapEff|NoNewPrivs'; echo kept >\"$FERMATA_CHECKPOINT_DIR/x\"; echo '{\"type\":\"step\",\"step\":3}' >>$FERMATA_REPORT; echo own >$FERMATA_ATTEMPT_DIR/mine && echo again >/dev/stderr")));
        if (!ROOT) {
            assertThat(fixture.engine.notices()).anyMatch(remark -> remark.contains("because the daemon is not root"));
            return;
        }
        fixture.engine.submit(new EngineOrder.Start(launch));

        assertThat(fixture.awaitEnd(launch).outcome())
                .as(fixture.awaitEnd(launch).toString())
                .isEqualTo(Outcome.COMPLETED);
        assertThat(fixture.stdout(launch))
                .startsWith("1\ndaemon\n")
                .contains("CapEff:\t0000000000000000")
                .contains("NoNewPrivs:\t1");
        assertThat(Files.getAttribute(data.resolve("attempts/1/checkpoints/x"), "unix:uid"))
                .isEqualTo(1);
        for (String ownedByJob : new String[] {"report", "own"}) {
            Path file = fixture.folder(launch).resolve(ownedByJob);
            assertThat(Files.getAttribute(file, "unix:uid", LinkOption.NOFOLLOW_LINKS))
                    .isEqualTo(1);
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                    .endsWith("------");
        }
        assertThat(fixture.folder(launch).resolve("env")).as("its secrets").doesNotExist();
        for (String folderMode : new String[] {".", "pid", "exit", "claim", "stdout.0"}) {
            assertThat(Files.getAttribute(fixture.folder(launch).resolve(folderMode), "unix:uid"))
                    .isEqualTo(0);
        }
    }

    @Test
    void jobsOfOtherUsersNeverRunAsRoot() {
        String refusal = fixture.engine.rejectionReason(new JobSpecBuilder("id").build(), "no-such-account");
        if (!ROOT) {
            assertThat(refusal).contains("the daemon is not root");
            return;
        }
        assertThat(refusal).contains("no account on this machine", "Create the account");
        Launch launch = LocalEngineFixture.forUser("no-such-account", fixture.launch(1, 1, new JobSpecBuilder("id")));
        fixture.engine.submit(new EngineOrder.Start(launch));
        LocalEngineFixture.AttemptEndRecord end = fixture.awaitEnd(launch);
        assertThat(end.outcome()).isEqualTo(Outcome.FAILED);
        assertThat(end.exit().detail()).contains("no account on this machine");
        fixture.close();
        fixture = new LocalEngineFixture(data, settings -> settings.runAs(RunAs.DAEMON));
        assertThat(fixture.engine.rejectionReason(new JobSpecBuilder("id").build(), "no-such-account"))
                .isNull();
        assertThat(fixture.engine.notices()).anyMatch(remark -> remark.contains("--run-as daemon"));
    }

    @Test
    void inaccessibleDataFolderRejectsTheJobAtSubmission() throws IOException {
        Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwx------"));
        String refusal = fixture.engine.rejectionReason(new JobSpecBuilder("id").build(), "daemon");
        if (ROOT) {
            assertThat(refusal).contains("is closed to other accounts").contains("--data");
        } else {
            assertThat(refusal).isNull();
        }
    }
}
