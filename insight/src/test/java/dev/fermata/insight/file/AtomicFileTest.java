package dev.fermata.insight.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AtomicFileTest {
    @TempDir
    private Path folder;

    @Test
    void fileAppearsWhenCommitted() throws IOException {
        Path file = folder.resolve("out.csv");
        Files.writeString(file, "old");
        try (AtomicFile whole = AtomicFile.open(file.toString())) {
            whole.writer().write("new");
            assertThat(file).hasContent("old");
            whole.commit();
        }
        assertThat(file).hasContent("new");
        assertThat(folder).isDirectoryNotContaining("glob:**.part");
    }

    @Test
    void nothingIsLeftBehindWithoutCommit() throws IOException {
        try (AtomicFile whole = AtomicFile.open(folder.resolve("out.csv").toString())) {
            whole.writer().write("half");
        }
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void aFolderCannotBeWritten() {
        assertThatThrownBy(() -> AtomicFile.open(folder.toString())).hasMessageContaining("it is a folder");
    }
}
