package dev.fermata.bench.measure;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.bench.measure.DaemonSpeed.Measurement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** Measures the restart of a daemon, in the heap with which it is shipped, on a data folder with many jobs. */
public final class RestartSpeed {
    private static final int GPUS = 8;

    private RestartSpeed() {}

    /** Makes the history in this folder, unless it has one, through the scheduler loop and the store of the daemon. */
    public static List<Measurement> measure(
            Path folder, int ended, int live, BooleanSupplier stop, Consumer<String> progress)
            throws IOException, InterruptedException {
        if (isEmpty(folder)) {
            progress.accept("running " + ended + " jobs");
            HistoryGenerator.live(folder, ended, 0, stop);
            progress.accept("queueing " + live + " jobs");
            HistoryGenerator.queue(folder, live, stop);
        }
        progress.accept("restarting");
        try (ChildDaemon daemon = ChildDaemon.start(folder, GPUS)) {
            JsonNode diag = daemon.api().get("diag");
            return List.of(
                    new Measurement(
                            "restart to first decision",
                            diag.path("recoverySeconds").asDouble(),
                            "s",
                            5,
                            true),
                    new Measurement("from the command to ready", daemon.readySeconds, "s", 10, true),
                    new Measurement("CPU until then", daemon.cpuSeconds(), "s", 20, true),
                    new Measurement(
                            "heap in use with them, after collection",
                            daemon.heapMebibytes(),
                            "MiB",
                            ChildDaemon.HEAP_MIB,
                            true));
        }
    }

    private static boolean isEmpty(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.findAny().isEmpty();
        }
    }
}
