package dev.fermata.engine.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.live.engine.JobSpecBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The limits written for an attempt, in folders that only look like control groups. */
class ControlGroupsTest {
    @TempDir
    Path folder;

    private Path createdFolder(boolean unified, JobSpecBuilder builder) throws IOException {
        Path base = Files.createDirectory(folder.resolve("base"));
        try (LocalEngineFixture fixture =
                new LocalEngineFixture(folder.resolve("data"), settings -> settings.useControlGroups(false))) {
            new ControlGroups(
                            List.of(new ControlGroups.BaseGroup(
                                    base, EnumSet.allOf(ControlGroups.Controller.class), unified)),
                            new ControlGroups.DefaultLimits(3000, 500))
                    .create("7.1", fixture.launch(7, 1, builder));
        }
        return base.resolve("7.1");
    }

    @Test
    void quotaCoversAllGpusOfTheAttempt() throws IOException {
        Path group = createdFolder(true, new JobSpecBuilder("true").gpus(4).cpusAndMemory(2000, 1024));

        assertThat(group.resolve("cpu.max")).hasContent("800000 100000");
        assertThat(group.resolve("memory.max")).hasContent(Long.toString(4096L << 20));
    }

    @Test
    void versionOneFilesHaveTheSameLimits() throws IOException {
        Path group = createdFolder(false, new JobSpecBuilder("true").gpus(3).cpusAndMemory(1000, 512));

        assertThat(group.resolve("cpu.cfs_quota_us")).hasContent("300000");
        assertThat(group.resolve("cpu.cfs_period_us")).hasContent("100000");
        assertThat(group.resolve("memory.limit_in_bytes")).hasContent(Long.toString(1536L << 20));
    }

    @Test
    void jobWithoutDemandHasTheDefaultLimits() throws IOException {
        Path group = createdFolder(true, new JobSpecBuilder("true").gpus(2));

        assertThat(group.resolve("memory.max")).hasContent(Long.toString(3000L << 20));
        assertThat(group.resolve("pids.max")).hasContent("500");
        assertThat(group.resolve("cpu.max")).doesNotExist();
    }

    @ParameterizedTest
    @CsvSource({"1000, 500", "16384, 15360", "1048576, 996148"})
    void someMemoryIsLeftToTheDaemon(long machineMib, long jobMib) {
        assertThat(LocalEngineSettings.Containment.DEFAULT.limits(machineMib).memoryMib())
                .isEqualTo(jobMib);
    }
}
