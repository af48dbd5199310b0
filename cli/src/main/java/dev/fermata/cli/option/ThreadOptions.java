package dev.fermata.cli.option;

import dev.fermata.core.text.Quantity;
import dev.fermata.insight.exit.UserError;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The flag for the number of threads. */
public final class ThreadOptions {
    private static final int MAX = 1024;

    @Option(names = "--threads", paramLabel = "N", description = "Runs at a time (default: all cores).")
    private @Nullable String threads;

    public int count() {
        String given = threads;
        return given == null
                ? Runtime.getRuntime().availableProcessors()
                : UserError.wrapInvalid(() -> (int) Quantity.integer("--threads", given, 1, MAX));
    }
}
