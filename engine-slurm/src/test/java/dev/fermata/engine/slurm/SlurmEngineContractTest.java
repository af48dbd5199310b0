package dev.fermata.engine.slurm;

import dev.fermata.live.engine.EngineContract;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** The contract for the engine on Slurm, with a real Slurm. */
class SlurmEngineContractTest extends EngineContract {
    @TempDir
    private Path folder;

    @Override
    protected Bench newBench() {
        return new SlurmBench(TestSlurm.shared(), folder);
    }
}
