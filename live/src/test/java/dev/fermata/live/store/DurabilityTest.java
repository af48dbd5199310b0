package dev.fermata.live.store;

import static dev.fermata.live.store.StoreProcess.JOBS_PER_BATCH;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.history.HistoryEntry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Acknowledged entries survive a crash of the process and a full disk. */
class DurabilityTest {
    private static final int KILLS = 20;

    @TempDir
    Path folder;

    @ParameterizedTest
    @EnumSource
    void acknowledgedBatchesSurviveAKillAndAreComplete(StoreLocation location) throws Exception {
        String address = location.newAddress();
        Path data = folder.resolve("data");
        Random random = new Random(7);
        long kept = 0;
        for (int round = 0; round < KILLS; round++) {
            long acknowledged;
            try (StoreProcess process = new StoreProcess(List.of(), address, data)) {
                assertThat(process.awaitLine("leads ")).isEqualTo("leads " + (kept + 1));
                process.awaitLine("stored ");
                // The crash must happen at any point of a batch, so its time is drawn in steps shorter than a batch.
                Thread.sleep(random.nextInt(40), random.nextInt(1_000_000));
                acknowledged = process.kill();
            }
            try (Store store = StoreFactory.open(address, data)) {
                RecoveredState recovery = store.recover(() -> true).orElseThrow();
                kept = recovery.nextSeq() - 1;
                assertThat(kept).as("round %d", round).isGreaterThanOrEqualTo(acknowledged);
                assertThat(kept % JOBS_PER_BATCH)
                        .as("lines of a part of a batch")
                        .isZero();
                assertThat(recovery.entries())
                        .extracting(HistoryEntry::seq)
                        .containsExactlyElementsOf(
                                LongStream.rangeClosed(1, kept).boxed().toList());
                assertThat(recovery.liveJobs()).hasSize((int) kept);
            }
        }
    }

    /** How to get a full disk: a file size limit always, a small disk where mounting is permitted. */
    static List<String> fullDiskCases() throws IOException, InterruptedException {
        List<String> ways = new ArrayList<>(List.of("limit"));
        boolean mountable = new ProcessBuilder("unshare", "-m", "true").start().waitFor() == 0;
        if (mountable) {
            ways.add("disk");
        }
        return ways;
    }

    @ParameterizedTest
    @MethodSource("fullDiskCases")
    void fullDiskIsReportedAndRecovers(String way) throws Exception {
        Path data = Files.createDirectory(folder.resolve("data"));
        List<String> before = way.equals("disk")
                ? List.of(
                        "unshare",
                        "-m",
                        "sh",
                        "-c",
                        "mount -t tmpfs -o size=8m none '" + data + "' && exec \"$@\"",
                        "sh")
                : List.of();
        try (StoreProcess process = new StoreProcess(before, "sqlite", data)) {
            process.awaitLine("stored ");
            Path filler = Path.of("/proc/" + process.pid() + "/root" + data, "filler");
            if (way.equals("disk")) {
                fill(filler);
                assertThat(process.awaitLine("refused "))
                        .isEqualTo("refused true the disk of " + data + "/fermata.db is full");
            } else {
                limitFileSize(process.pid(), Files.size(data.resolve("fermata.db-wal")) + 50_000);
                assertThat(process.awaitLine("refused ")).startsWith("refused true ");
            }
            process.awaitLine("refused ");
            if (way.equals("disk")) {
                Files.delete(filler);
            } else {
                limitFileSize(process.pid(), -1);
            }
            long stored = Long.parseLong(process.awaitLine("stored ").substring("stored ".length()));
            if (way.equals("limit")) {
                process.kill();
                try (Store store = StoreFactory.open("sqlite", data)) {
                    RecoveredState recovery = store.recover(() -> false).orElseThrow();
                    assertThat(recovery.entries()).hasSize((int) recovery.nextSeq() - 1);
                    assertThat(recovery.nextSeq()).isGreaterThan(stored);
                }
            }
        }
    }

    private static void fill(Path filler) throws IOException {
        try (var out = Files.newOutputStream(filler)) {
            byte[] block = new byte[4096];
            for (int i = 0; i < 4096; i++) {
                out.write(block);
            }
            throw new AssertionError("the small disk is not small");
        } catch (IOException full) {
            assertThat(full).hasMessageContaining("space");
        }
    }

    private static void limitFileSize(long pid, long bytes) throws IOException, InterruptedException {
        String size = bytes < 0 ? "unlimited" : Long.toString(bytes);
        Process process = new ProcessBuilder("prlimit", "--pid", Long.toString(pid), "--fsize=" + size + ":unlimited")
                .inheritIO()
                .start();
        assertThat(process.waitFor()).as("exit code of prlimit").isZero();
    }
}
