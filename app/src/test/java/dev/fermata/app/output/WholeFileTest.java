package dev.fermata.app.output;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WholeFileTest {
    @TempDir
    private Path folder;

    @Test
    void appearsWhenCommitted() throws IOException {
        Path file = folder.resolve("out.csv");
        Files.writeString(file, "old");
        try (WholeFile whole = WholeFile.open(file.toString())) {
            whole.writer().write("new");
            assertThat(file).hasContent("old");
            whole.commit();
        }
        assertThat(file).hasContent("new");
        assertThat(folder).isDirectoryNotContaining("glob:**.part");
    }

    @Test
    void leavesNothingBehindOtherwise() throws IOException {
        try (WholeFile whole = WholeFile.open(folder.resolve("out.csv").toString())) {
            whole.writer().write("half");
        }
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void aFolderCannotBeWritten() {
        assertThatThrownBy(() -> WholeFile.open(folder.toString())).hasMessageContaining("it is a folder");
    }
}
