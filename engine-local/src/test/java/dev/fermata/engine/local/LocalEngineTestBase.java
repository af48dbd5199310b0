package dev.fermata.engine.local;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Every test has a local engine on its own folder, and leaves nothing behind. */
abstract class LocalEngineTestBase {
    @TempDir
    Path data;

    LocalEngineFixture fixture;

    @BeforeEach
    void open() {
        fixture = new LocalEngineFixture(data);
    }

    @AfterEach
    void close() {
        fixture.close();
    }
}
