package dev.fermata.cli.option;

import dev.fermata.insight.exit.UserError;
import dev.fermata.report.page.ReportFiles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The files that a command is about to write. No two may be the same, and none may be an input. */
public final class OutputFiles {
    private final @Nullable String report;
    private final Map<Path, String> flags = new HashMap<>();

    public OutputFiles() {
        report = null;
    }

    public OutputFiles(ReportOption option) {
        report = option.file;
        add("--report", report);
    }

    public OutputFiles add(String flag, @Nullable String name) {
        if (name == null || isDevice(Path.of(name))) {
            return this;
        }
        Path file = normalized(Path.of(name));
        String other = flags.putIfAbsent(file, flag);
        if (other != null) {
            throw UserError.invalid(other + " and " + flag + " (" + name + ") must be different files");
        }
        if (belongsToReport(file)) {
            throw UserError.invalid(flag + " (" + name + ") is a file that --report (" + report + ") writes itself");
        }
        return this;
    }

    /** Checks that a workload is not among them. */
    public void requireNotWritten(Path workload) {
        Path file = normalized(workload);
        if (flags.containsKey(file) || belongsToReport(file)) {
            throw UserError.invalid("'" + workload + "' is the workload; it would be overwritten");
        }
    }

    private boolean belongsToReport(Path file) {
        return report != null && ReportFiles.writes(normalized(Path.of(report)), file);
    }

    /** What is no file is not overwritten: /dev/null takes everything. */
    private static boolean isDevice(Path file) {
        return Files.exists(file) && !Files.isRegularFile(file);
    }

    private static Path normalized(Path file) {
        return file.toAbsolutePath().normalize();
    }
}
