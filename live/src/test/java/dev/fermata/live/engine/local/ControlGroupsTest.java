package dev.fermata.live.engine.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which limits are written for an attempt, in folders that only look like control groups. */
class ControlGroupsTest {
    @TempDir
    Path folder;

    private Path made(boolean unified, SpecDraft draft) throws IOException {
        Path base = Files.createDirectory(folder.resolve("base"));
        try (Stage stage = new Stage(folder.resolve("data"), settings -> settings.limits(false))) {
            new ControlGroups(List.of(new ControlGroups.Base(base, true, true, unified)))
                    .make("7.1", stage.launch(7, 1, draft));
        }
        return base.resolve("7.1");
    }

    @Test
    void theQuotaIsThatOfAllItsGpusTogether() throws IOException {
        Path group = made(true, new SpecDraft("true").gpus(4).host(2000, 1024));

        assertThat(group.resolve("cpu.max")).hasContent("800000 100000");
        assertThat(group.resolve("memory.max")).hasContent(Long.toString(4096L << 20));
    }

    @Test
    void theOlderFilesSayTheSame() throws IOException {
        Path group = made(false, new SpecDraft("true").gpus(3).host(1000, 512));

        assertThat(group.resolve("cpu.cfs_quota_us")).hasContent("300000");
        assertThat(group.resolve("cpu.cfs_period_us")).hasContent("100000");
        assertThat(group.resolve("memory.limit_in_bytes")).hasContent(Long.toString(1536L << 20));
    }

    @Test
    void whoAsksForNothingIsHeldToNothing() throws IOException {
        assertThat(made(true, new SpecDraft("true").gpus(2))).isEmptyDirectory();
    }
}
