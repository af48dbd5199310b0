package dev.fermata.app.cli;

import dev.fermata.app.exit.Complaint;
import dev.fermata.app.output.ShellCommand;
import dev.fermata.app.run.Cell;
import dev.fermata.app.run.Shelf;
import dev.fermata.app.save.SavedRuns;
import dev.fermata.app.save.Saving;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The saved runs of the comparison under way, and what its user is told about them. */
final class SavedComparison implements AutoCloseable {
    private static final String RESUME = "--resume";

    private final Saving saving;
    private final Optional<SavedRuns> runs;
    private final int all;
    private final List<String> typed;
    private final PrintWriter err;

    private SavedComparison(Saving saving, Optional<SavedRuns> runs, int all, List<String> typed, PrintWriter err) {
        this.saving = saving;
        this.runs = runs;
        this.all = all;
        this.typed = typed;
        this.err = err;
    }

    static SavedComparison open(Saving saving, List<Cell> cells, List<String> typed, PrintWriter err, boolean quiet) {
        SavedComparison saved = new SavedComparison(saving, saving.open(cells), cells.size(), typed, err);
        saved.runs.ifPresent(found -> {
            if (!found.trouble().isEmpty()) {
                err.println("fermata: warning: " + found.trouble());
            }
            if (found.count() > 0 && !quiet) {
                err.println(found.count() + " of " + cells.size() + " runs are saved already"
                        + (found.reused() ? "" : ": " + RESUME + " would go on from there"));
            }
        });
        err.flush();
        return saved;
    }

    Shelf shelf() {
        return runs.isPresent() ? runs.get() : Shelf.NONE;
    }

    /** How much is done of a comparison that was cut off, and how to go on. */
    String wayOn(int done) {
        int safe = runs.map(SavedRuns::count).orElse(0);
        String progress = done + " of " + all + " runs were done";
        return safe == 0 ? progress : progress + ", " + safe + " are saved. To go on:\n  " + command();
    }

    /** Said when a run has failed: the others are not lost. */
    void mourn() {
        int safe = runs.map(SavedRuns::count).orElse(0);
        if (safe > 0) {
            err.println(safe + " of " + all + " runs are saved. To go on:\n  " + command());
        }
    }

    private String command() {
        List<String> again = new ArrayList<>(typed);
        if (!again.contains(RESUME)) {
            again.add(RESUME);
        }
        return ShellCommand.of(again);
    }

    /** Every run is made. */
    void complete() {
        if (!saving.stays()) {
            runs.ifPresent(SavedRuns::remove);
        } else if (runs.isPresent() && !runs.get().trouble().isEmpty()) {
            throw Complaint.failed("--save is incomplete: " + runs.get().count() + " of " + all
                    + " runs are in the file. What was printed is whole; make room and say " + RESUME
                    + " to save the rest");
        }
    }

    @Override
    public void close() {
        runs.ifPresent(SavedRuns::close);
    }
}
