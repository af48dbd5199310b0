package dev.fermata.app.cli;

import dev.fermata.app.exit.Complaint;
import dev.fermata.core.text.Quantity;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How much of the machine is used. */
final class ThreadOptions {
    private static final int MOST = 1024;

    @Option(names = "--threads", paramLabel = "N", description = "Runs at a time (default: all cores).")
    private @Nullable String threads;

    int count() {
        String given = threads;
        return given == null
                ? Runtime.getRuntime().availableProcessors()
                : Complaint.ifInvalid(() -> (int) Quantity.whole("--threads", given, 1, MOST));
    }
}
