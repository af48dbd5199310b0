package dev.fermata.app.cli;

import dev.fermata.app.save.Saving;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Where finished runs are kept, and whether those of before are used. */
final class SaveOptions {
    @Option(
            names = "--save",
            paramLabel = "FILE",
            description = {
                "Keep finished runs in FILE and do not repeat those it holds",
                "(default: in the cache folder until the comparison is complete)."
            })
    @Nullable
    String save;

    @Option(names = "--resume", description = "Go on from the saved runs of a comparison that was cut off.")
    private boolean resume;

    Saving saving(Map<String, String> environment) {
        return new Saving(save == null ? null : Path.of(save), resume, environment);
    }
}
