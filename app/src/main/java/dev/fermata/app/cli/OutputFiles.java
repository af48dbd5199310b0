package dev.fermata.app.cli;

import dev.fermata.app.exit.Complaint;
import dev.fermata.app.report.ReportFiles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The files that a command is about to write: no two may be one, and none may be what it reads. */
final class OutputFiles {
    private final @Nullable String report;
    private final Map<Path, String> flags = new HashMap<>();

    OutputFiles() {
        report = null;
    }

    OutputFiles(ReportOption option) {
        report = option.file;
        add("--report", report);
    }

    OutputFiles add(String flag, @Nullable String name) {
        if (name == null || device(Path.of(name))) {
            return this;
        }
        Path file = plain(Path.of(name));
        String other = flags.putIfAbsent(file, flag);
        if (other != null) {
            throw Complaint.invalid(other + " and " + flag + " (" + name + ") must be different files");
        }
        if (besideReport(file)) {
            throw Complaint.invalid(flag + " (" + name + ") is a file that --report (" + report + ") writes itself");
        }
        return this;
    }

    /** Checks that a workload is not among them. */
    void spare(Path workload) {
        Path file = plain(workload);
        if (flags.containsKey(file) || besideReport(file)) {
            throw Complaint.invalid("'" + workload + "' is the workload; it would be overwritten");
        }
    }

    private boolean besideReport(Path file) {
        return report != null && ReportFiles.writesBeside(plain(Path.of(report)), file);
    }

    /** What is no file is not overwritten: /dev/null takes everything. */
    private static boolean device(Path file) {
        return Files.exists(file) && !Files.isRegularFile(file);
    }

    private static Path plain(Path file) {
        return file.toAbsolutePath().normalize();
    }
}
