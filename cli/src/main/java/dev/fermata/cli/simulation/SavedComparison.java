package dev.fermata.cli.simulation;

import dev.fermata.insight.exit.UserError;
import dev.fermata.insight.experiment.MatrixCell;
import dev.fermata.insight.experiment.RunCache;
import dev.fermata.insight.saved.SaveLocation;
import dev.fermata.insight.saved.SavedRuns;
import dev.fermata.report.text.ShellCommand;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The saved runs of the current comparison, and the messages about them. */
final class SavedComparison implements AutoCloseable {
    private static final String RESUME = "--resume";

    private final SaveLocation location;
    private final Optional<SavedRuns> runs;
    private final int total;
    private final List<String> typed;
    private final PrintWriter err;

    private SavedComparison(
            SaveLocation location, Optional<SavedRuns> runs, int all, List<String> typed, PrintWriter err) {
        this.location = location;
        this.runs = runs;
        this.total = all;
        this.typed = typed;
        this.err = err;
    }

    static SavedComparison open(
            SaveLocation location, List<MatrixCell> cells, List<String> typed, PrintWriter err, boolean quiet) {
        SavedComparison saved = new SavedComparison(location, location.open(cells), cells.size(), typed, err);
        saved.runs.ifPresent(found -> {
            if (!found.problem().isEmpty()) {
                err.println("fermata: warning: " + found.problem());
            }
            if (found.count() > 0 && !quiet) {
                err.println(found.count() + " of " + cells.size() + " runs saved already"
                        + (found.reused() ? "" : ": " + RESUME + " would go on from there"));
            }
        });
        err.flush();
        return saved;
    }

    RunCache runCache() {
        return runs.isPresent() ? runs.get() : RunCache.NONE;
    }

    /** The progress of an interrupted comparison, and the command that resumes it. */
    String resumeHint(int done) {
        int safe = runs.map(SavedRuns::count).orElse(0);
        String progress = done + " of " + total + " runs done";
        return safe == 0 ? progress : progress + ", " + safe + " saved. To continue:\n  " + resumeCommand();
    }

    /** Said when a run has failed: the others are not lost. */
    void printResumeHint() {
        int safe = runs.map(SavedRuns::count).orElse(0);
        if (safe > 0) {
            err.println(safe + " of " + total + " runs saved. To continue:\n  " + resumeCommand());
        }
    }

    private String resumeCommand() {
        List<String> again = new ArrayList<>(typed);
        if (!again.contains(RESUME)) {
            again.add(RESUME);
        }
        return ShellCommand.of(again);
    }

    /** Every run is made. */
    void complete() {
        if (!location.isPermanent()) {
            runs.ifPresent(SavedRuns::remove);
        } else if (runs.isPresent() && !runs.get().problem().isEmpty()) {
            throw UserError.failed("--save is incomplete: " + runs.get().count() + " of " + total
                    + " runs are in the file. What was printed is whole; free some space and use " + RESUME
                    + " to save the rest");
        }
    }

    @Override
    public void close() {
        runs.ifPresent(SavedRuns::close);
    }
}
