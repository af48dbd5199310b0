package dev.fermata.live.store;

import static dev.fermata.live.store.StoreProcess.JOBS_PER_BATCH;
import static org.assertj.core.api.Assertions.assertThat;

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

/** What was promised is there, whatever happens to the process or the disk. */
class DurabilityTest {
    private static final int KILLS = 20;

    @TempDir
    Path folder;

    @ParameterizedTest
    @EnumSource
    void whatAKilledProcessWasPromisedIsThereAndBatchesAreWhole(Place place) throws Exception {
        String where = place.fresh();
        Path data = folder.resolve("data");
        Random random = new Random(7);
        long kept = 0;
        for (int round = 0; round < KILLS; round++) {
            long promised;
            try (StoreProcess process = new StoreProcess(List.of(), where, data)) {
                assertThat(process.awaits("leads ")).isEqualTo("leads " + (kept + 1));
                process.awaits("stored ");
                // The moment of death is to be anywhere in a batch, so it is drawn in steps shorter than one.
                Thread.sleep(random.nextInt(40), random.nextInt(1_000_000));
                promised = process.kill();
            }
            try (Store store = Stores.open(where, data)) {
                Recovery recovery = store.recover(() -> true).orElseThrow();
                kept = recovery.nextSeq() - 1;
                assertThat(kept).as("round %d", round).isGreaterThanOrEqualTo(promised);
                assertThat(kept % JOBS_PER_BATCH)
                        .as("lines of a part of a batch")
                        .isZero();
                assertThat(recovery.lines())
                        .extracting(Line::seq)
                        .containsExactlyElementsOf(
                                LongStream.rangeClosed(1, kept).boxed().toList());
                assertThat(recovery.live()).hasSize((int) kept);
            }
        }
    }

    /** How a disk may be made full here: a limit on the size of files always, a small disk where we may mount one. */
    static List<String> ways() throws IOException, InterruptedException {
        List<String> ways = new ArrayList<>(List.of("limit"));
        boolean mountable = new ProcessBuilder("unshare", "-m", "true").start().waitFor() == 0;
        if (mountable) {
            ways.add("disk");
        }
        return ways;
    }

    @ParameterizedTest
    @MethodSource("ways")
    void aFullDiskIsToldAndPassesByItself(String way) throws Exception {
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
            process.awaits("stored ");
            Path filler = Path.of("/proc/" + process.pid() + "/root" + data, "filler");
            if (way.equals("disk")) {
                fill(filler);
                assertThat(process.awaits("refused "))
                        .isEqualTo("refused true the disk of " + data + "/fermata.db is full");
            } else {
                limit(process.pid(), Files.size(data.resolve("fermata.db-wal")) + 50_000);
                assertThat(process.awaits("refused ")).startsWith("refused true ");
            }
            process.awaits("refused ");
            if (way.equals("disk")) {
                Files.delete(filler);
            } else {
                limit(process.pid(), -1);
            }
            long stored = Long.parseLong(process.awaits("stored ").substring("stored ".length()));
            if (way.equals("limit")) {
                process.kill();
                try (Store store = Stores.open("sqlite", data)) {
                    Recovery recovery = store.recover(() -> false).orElseThrow();
                    assertThat(recovery.lines()).hasSize((int) recovery.nextSeq() - 1);
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

    private static void limit(long pid, long bytes) throws IOException, InterruptedException {
        String size = bytes < 0 ? "unlimited" : Long.toString(bytes);
        Process process = new ProcessBuilder("prlimit", "--pid", Long.toString(pid), "--fsize=" + size + ":unlimited")
                .inheritIO()
                .start();
        assertThat(process.waitFor()).as("exit code of prlimit").isZero();
    }
}
