package dev.fermata.app.report.html;

import dev.fermata.app.report.plot.Plot;
import dev.fermata.sim.reproduce.Sheet;
import java.util.ArrayList;
import java.util.List;

/** The preemption ledger of a live history: sums, pictures, and every entry. */
public final class LedgerPage {
    private final String title;
    private final String lead;
    private final List<Sheet> sums;
    private final List<Plot> plots;
    private final List<Sheet> entries;
    private final List<String> notes;

    public LedgerPage(
            String title, String lead, List<Sheet> sums, List<Plot> plots, List<Sheet> entries, List<String> notes) {
        this.title = title;
        this.lead = lead;
        this.sums = sums;
        this.plots = plots;
        this.entries = entries;
        this.notes = notes;
    }

    public String html(Origin origin) {
        List<Page.Part> contents = new ArrayList<>();
        if (!sums.isEmpty()) {
            contents.add(new Page.Part("sums", "Sums"));
        }
        if (!plots.isEmpty()) {
            contents.add(new Page.Part("pictures", "Gain and cost"));
        }
        if (!entries.isEmpty()) {
            contents.add(new Page.Part("entries", "Entries"));
        }
        contents.add(new Page.Part("notes", "Notes"));
        return Page.write(title, contents, origin, this::body);
    }

    private void body(Html html) {
        html.open("header").leaf("h1", title);
        html.leaf("p", lead, "class", "lead").close();
        sheets(html, "sums", "Sums", sums);
        if (!plots.isEmpty()) {
            html.open("section", "id", "pictures").leaf("h2", "Gain and cost");
            plots.forEach(plot -> ExperimentPage.figure(html, plot, plot.name()));
            html.close();
        }
        sheets(html, "entries", "Entries", entries);
        html.open("section", "id", "notes").leaf("h2", "Notes");
        notes.forEach(note -> html.leaf("p", note));
        html.close();
    }

    private static void sheets(Html html, String id, String name, List<Sheet> sheets) {
        if (!sheets.isEmpty()) {
            html.open("section", "id", id).leaf("h2", name);
            sheets.forEach(sheet -> new SheetTable(sheet, "").write(html));
            html.close();
        }
    }
}
