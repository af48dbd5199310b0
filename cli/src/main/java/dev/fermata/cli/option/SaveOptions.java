package dev.fermata.cli.option;

import dev.fermata.insight.saved.SaveLocation;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The flags for saving finished runs and resuming from saved ones. */
public final class SaveOptions {
    @Option(
            names = "--save",
            paramLabel = "FILE",
            description = {
                "Keep finished runs in FILE and do not repeat those it holds",
                "(default: in the cache folder until the comparison is complete)."
            })
    @Nullable
    public String save;

    @Option(names = "--resume", description = "Continue from the saved runs of an interrupted comparison.")
    private boolean resume;

    public SaveLocation saveLocation(Map<String, String> environment) {
        return new SaveLocation(save == null ? null : Path.of(save), resume, environment);
    }
}
