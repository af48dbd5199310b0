package dev.fermata.live.engine.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Outcome;
import dev.fermata.live.engine.Launch;
import dev.fermata.live.spec.JobSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a job finds when it starts: variables, folders, limits, its account. */
class JobSurroundingsTest {
    private static final boolean ROOT = "root".equals(System.getProperty("user.name"));

    @TempDir
    Path data;

    private Stage stage;

    @BeforeEach
    void open() throws IOException {
        Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwx--x--x"));
        stage = new Stage(data);
    }

    @AfterEach
    void close() {
        stage.close();
    }

    private Map<String, String> environment(Launch launch) {
        stage.engine.start(launch);
        assertThat(stage.end(launch).outcome()).isEqualTo(Outcome.COMPLETED);
        return stage.stdout(launch)
                .lines()
                .filter(line -> line.contains("="))
                .collect(Collectors.toMap(
                        line -> line.substring(0, line.indexOf('=')),
                        line -> line.substring(line.indexOf('=') + 1),
                        (first, second) -> first));
    }

    @Test
    void foldersOfOursGetTheirModeHoweverTheyWereMade() throws IOException {
        Launch launch = stage.launch(1, 1, new SpecDraft("true"));
        Path job = Files.createDirectories(stage.folder(launch)).getParent();
        Files.setPosixFilePermissions(job, PosixFilePermissions.fromString("rwxrwxrwx"));

        stage.engine.start(launch);

        assertThat(stage.end(launch).outcome()).isEqualTo(Outcome.COMPLETED);
        assertThat(Files.getPosixFilePermissions(job)).isEqualTo(PosixFilePermissions.fromString("rwx------"));
    }

    @Test
    void oneProcessIsStartedOnEachGpuWhereThatIsAskedFor() {
        Launch launch = stage.start(
                1,
                new SpecDraft("echo $RANK of $WORLD_SIZE $SLURM_NTASKS").gpus(3).ranks(JobSpec.RANK_PER_GPU));

        assertThat(stage.end(launch).outcome()).isEqualTo(Outcome.COMPLETED);
        for (int rank = 0; rank < 3; rank++) {
            assertThat(stage.file(stage.folder(launch).resolve("stdout-" + rank + ".0")))
                    .isEqualTo(rank + " of 3 3\n");
        }
    }

    @Test
    void aJobKnowsWhoAndWhereItIs() {
        Launch launch = stage.launch(
                7,
                2,
                new SpecDraft("env")
                        .gpus(3)
                        .signal("USR1")
                        .grace(90_000)
                        .everyMillis(60_000)
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
                .containsEntry("RANK", "0")
                .containsEntry("LOCAL_RANK", "0")
                .containsEntry("WORLD_SIZE", "1")
                .containsEntry("MASTER_ADDR", "127.0.0.1")
                .containsEntry("SLURM_JOB_ID", "7")
                .containsEntry("SLURM_PROCID", "0")
                .containsEntry("SLURM_RESTART_COUNT", "1")
                .containsEntry("SLURM_ARRAY_TASK_ID", "4")
                .containsEntry("LR", "1e-4")
                .containsEntry("PYTHONPATH", "lib:" + data.resolve("python"))
                .containsKeys("PATH", "HOME", "USER", "LANG", "MASTER_PORT", "FERMATA_RUN_ID", "FERMATA_REPORT");
    }

    @Test
    void nothingOfTheDaemonsOwnEnvironmentReachesAJob() {
        assertThat(System.getenv()).hasSizeGreaterThan(3);
        Map<String, String> seen = environment(stage.launch(1, 1, new SpecDraft("env")));
        assertThat(seen.keySet())
                .allMatch(
                        name -> name.matches(
                                "PATH|HOME|USER|LOGNAME|SHELL|LANG|TZ|PWD|OLDPWD|_|SHLVL|PYTHONPATH|RANK|LOCAL_RANK|WORLD_SIZE|(MASTER|FERMATA|SLURM|CUDA)_.*"));
        assertThat(seen).doesNotContainKeys("FERMATA_TOKEN", "PGPASSWORD");
    }

    @Test
    void whateverAUserWritesIsTakenAsItIs() {
        String nasty = "a'b\"c$(touch hacked)`touch hacked`\\ $HOME;exit 9 \u00e4\u4e2d";
        Launch launch = stage.launch(1, 1, new SpecDraft("printf '%s' \"$NASTY\"").env("NASTY", nasty));
        stage.engine.start(launch);

        assertThat(stage.end(launch).outcome()).isEqualTo(Outcome.COMPLETED);
        assertThat(stage.stdout(launch)).isEqualTo(nasty);
        assertThat(stage.work(launch).resolve("hacked")).doesNotExist();
    }

    @Test
    void namesThatNoShellCanSetAreRefused() {
        String user = System.getProperty("user.name");
        assertThat(stage.engine.refusal(new SpecDraft("x").env("A;B", "1").spec(), user))
                .contains("A;B");
        assertThat(stage.engine.refusal(new SpecDraft("x").env("PPID", "1").spec(), user))
                .contains("PPID");
        assertThat(stage.engine.refusal(new SpecDraft("x").env("GOOD_1", "1").spec(), user))
                .isNull();
    }

    @Test
    void workAndCheckpointsStayForTheNextAttempt() {
        SpecDraft draft = new SpecDraft(
                        "ls; ls \"$FERMATA_CHECKPOINT_DIR\"; echo $FERMATA_ATTEMPT >work-$FERMATA_ATTEMPT; echo x >\"$FERMATA_CHECKPOINT_DIR/step-$FERMATA_ATTEMPT\"")
                .checkpointDir("ckpt/deep");
        stage.end(stage.start(1, draft));
        Launch second = stage.launch(1, 2, draft);
        stage.engine.start(second);

        stage.end(second);

        assertThat(stage.stdout(second)).isEqualTo("work-1\nstep-1\n");
        assertThat(data.resolve("runs/1/ckpt/deep/step-2")).exists();
    }

    @Test
    void aCheckpointFolderNeverTakesThePlaceOfAnAttempt() {
        Launch launch = stage.start(1, new SpecDraft("echo x >\"$FERMATA_CHECKPOINT_DIR/y\"").checkpointDir("2/deep"));

        assertThat(stage.end(launch).outcome()).isEqualTo(Outcome.COMPLETED);

        assertThat(data.resolve("runs/1/2")).doesNotExist();
        assertThat(data.resolve("runs/1/checkpoints/2/deep/y")).exists();
    }

    @Test
    void aWorkingDirectoryThatIsNotThereIsAClearFailure() {
        Launch launch = stage.start(1, new SpecDraft("echo hi").workdir("/no/such/place"));

        Stage.End end = stage.end(launch);

        assertThat(end.outcome()).isEqualTo(Outcome.FAILED);
        assertThat(end.exit().detail()).contains("cannot enter the working directory /no/such/place");
    }

    @Test
    void eachRankIsAProcessWithItsOwnLog() throws IOException {
        Launch launch = stage.start(1, new SpecDraft("echo rank $RANK of $WORLD_SIZE").ranks(3));

        assertThat(stage.end(launch).outcome()).isEqualTo(Outcome.COMPLETED);

        for (int rank = 0; rank < 3; rank++) {
            assertThat(stage.file(stage.folder(launch).resolve("stdout-" + rank + ".0")))
                    .isEqualTo("rank " + rank + " of 3\n");
            assertThat(stage.engine.logs().open(1, 1, "stdout", rank)).isPresent();
        }
        assertThat(stage.engine.logs().open(1, 1, "stdout", 3)).isEmpty();
    }

    @Test
    void theFirstRankThatFailsEndsTheOthers() {
        Launch launch = stage.start(
                1, new SpecDraft("if [ $RANK = 1 ]; then echo rank 1 broke >&2; exit 9; fi; sleep 1000").ranks(3));

        Stage.End end = stage.end(launch);

        assertThat(end.outcome()).isEqualTo(Outcome.FAILED);
        assertThat(end.exit().code()).isEqualTo(9);
        assertThat(end.exit().detail()).contains("rank 1 broke");
        assertThat(stage.alive()).isEmpty();
    }

    @Test
    void ranksThatSaveAtDifferentSpeedAllHaveTheirGrace() {
        Launch launch = stage.run(
                1,
                new SpecDraft("trap 'sleep 0.$RANK; echo saved; exit 75' TERM; echo up; while :; do sleep 0.01; done")
                        .ranks(4));
        for (int rank = 0; rank < 4; rank++) {
            stage.awaitFile(stage.folder(launch).resolve("stdout-" + rank + ".0"));
        }

        stage.engine.pause(1, 1, 10_000);

        assertThat(stage.end(launch).outcome()).isEqualTo(Outcome.PAUSED);
        for (int rank = 0; rank < 4; rank++) {
            assertThat(stage.file(stage.folder(launch).resolve("stdout-" + rank + ".0")))
                    .contains("saved");
        }
    }

    @Test
    void aJobIsHeldToItsMemory() {
        Launch launch = stage.start(
                1,
                new SpecDraft(
                                "#!/usr/bin/env python3\nblocks = []\nwhile True:\n    blocks.append(bytearray(1 << 20))\n")
                        .host(500, 64));

        Stage.End end = stage.end(launch);

        assertThat(end.outcome()).isEqualTo(Outcome.OOM);
        boolean whole = stage.engine.remarks().stream().noneMatch(remark -> remark.contains("ulimit"));
        assertThat(end.exit().detail()).contains(whole ? "more than its 64 MiB of memory" : "MemoryError");
    }

    @Test
    void memoryIsGivenBesideEachGpu() {
        stage.close();
        for (boolean limits : new boolean[] {true, false}) {
            stage = new Stage(data.resolve("limits-" + limits), settings -> settings.limits(limits));
            Launch launch = stage.start(
                    1,
                    new SpecDraft("#!/usr/bin/env python3\nblock = bytearray(200 << 20)\n")
                            .gpus(4)
                            .host(0, 100));

            assertThat(stage.end(launch).outcome()).as("limits %s", limits).isEqualTo(Outcome.COMPLETED);
            stage.close();
        }
    }

    @Test
    void withoutControlGroupsMemoryIsLimitedByProcess() {
        stage.close();
        stage = new Stage(data, settings -> settings.limits(false));
        Launch launch =
                stage.start(1, new SpecDraft("#!/usr/bin/env python3\nblock = bytearray(200 << 20)\n").host(0, 64));

        Stage.End end = stage.end(launch);

        assertThat(end.exit().detail()).contains("MemoryError");
        assertThat(stage.engine.remarks()).anyMatch(remark -> remark.contains("ulimit"));
    }

    @Test
    void jobsRunAsTheirUsersWhereTheDaemonMayDoThat() throws IOException {
        Launch launch = Stage.by(
                "nobody",
                stage.launch(
                        1,
                        1,
                        new SpecDraft(
                                "id -u; echo $USER; cat /proc/self/status | grep CapEff; echo kept >\"$FERMATA_CHECKPOINT_DIR/x\"; echo '{\"kind\":\"step\",\"step\":3}' >>$FERMATA_REPORT; echo own >$FERMATA_RUN_DIR/mine && echo again >/dev/stderr")));
        if (!ROOT) {
            assertThat(stage.engine.remarks()).anyMatch(remark -> remark.contains("because the daemon is not root"));
            return;
        }
        stage.engine.start(launch);

        assertThat(stage.end(launch).outcome()).as(stage.end(launch).toString()).isEqualTo(Outcome.COMPLETED);
        assertThat(stage.stdout(launch)).startsWith("65534\nnobody\n").contains("CapEff:\t0000000000000000");
        assertThat(Files.getAttribute(data.resolve("runs/1/checkpoints/x"), "unix:uid"))
                .isEqualTo(65534);
        for (String theirs : new String[] {"env", "report", "own"}) {
            Path file = stage.folder(launch).resolve(theirs);
            assertThat(Files.getAttribute(file, "unix:uid", LinkOption.NOFOLLOW_LINKS))
                    .isEqualTo(65534);
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                    .endsWith("------");
        }
        for (String ours : new String[] {".", "pid", "exit", "claim", "stdout.0"}) {
            assertThat(Files.getAttribute(stage.folder(launch).resolve(ours), "unix:uid"))
                    .isEqualTo(0);
        }
    }

    @Test
    void nobodyRunsAsRootForSomebodyElse() {
        String refusal = stage.engine.refusal(new SpecDraft("id").spec(), "no-such-account");
        if (!ROOT) {
            assertThat(refusal).isNull();
            return;
        }
        assertThat(refusal).contains("no account on this machine").contains("--run-as daemon");
        Launch launch = Stage.by("no-such-account", stage.launch(1, 1, new SpecDraft("id")));
        stage.engine.start(launch);
        Stage.End end = stage.end(launch);
        assertThat(end.outcome()).isEqualTo(Outcome.FAILED);
        assertThat(end.exit().detail()).contains("--run-as daemon");
        stage.close();
        stage = new Stage(data, settings -> settings.runAs(RunAs.DAEMON));
        assertThat(stage.engine.refusal(new SpecDraft("id").spec(), "no-such-account"))
                .isNull();
        assertThat(stage.engine.remarks()).anyMatch(remark -> remark.contains("--run-as daemon"));
    }

    @Test
    void aClosedDataFolderIsToldBeforeAJobIsAccepted() throws IOException {
        Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwx------"));
        String refusal = stage.engine.refusal(new SpecDraft("id").spec(), "nobody");
        if (ROOT) {
            assertThat(refusal).contains("is closed to other accounts").contains("--data");
        } else {
            assertThat(refusal).isNull();
        }
    }
}
