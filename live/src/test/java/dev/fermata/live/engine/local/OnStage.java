package dev.fermata.live.engine.local;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Every test has a local engine on a folder of its own, and leaves nothing behind. */
abstract class OnStage {
    @TempDir
    Path data;

    Stage stage;

    @BeforeEach
    void open() {
        stage = new Stage(data);
    }

    @AfterEach
    void close() {
        stage.close();
    }
}
