package dev.fermata.app.report.html;

import dev.fermata.app.report.plot.Plot;
import dev.fermata.sim.reproduce.Sheet;
import java.util.ArrayList;
import java.util.List;

/** A page about one thing: a sentence that leads in, then sections with pictures, tables and words. */
public final class TopicPage {
    /**
     * A part of the page.
     *
     * @param comparable whether the rows of its tables tell of the same thing, so that bars beside their numbers make sense
     */
    public record Section(
            String id,
            String name,
            List<? extends Plot> plots,
            List<Sheet> sheets,
            boolean comparable,
            List<String> words) {
        boolean empty() {
            return plots.isEmpty() && sheets.isEmpty() && words.isEmpty();
        }

        void write(Html html) {
            html.open("section", "id", id).leaf("h2", name);
            plots.forEach(plot -> ExperimentPage.figure(html, plot, plot.name()));
            sheets.forEach(sheet -> new SheetTable(sheet, "", comparable).write(html));
            words.forEach(word -> html.leaf("p", word));
            html.close();
        }
    }

    private final String title;
    private final String lead;
    private final List<Section> sections = new ArrayList<>();

    public TopicPage(String title, String lead) {
        this.title = title;
        this.lead = lead;
    }

    /** One more section, unless there is nothing in it. */
    public TopicPage with(Section section) {
        if (!section.empty()) {
            sections.add(section);
        }
        return this;
    }

    public TopicPage with(String id, String name, List<? extends Plot> plots) {
        return with(new Section(id, name, plots, List.of(), false, List.of()));
    }

    public TopicPage withSheets(String id, String name, List<Sheet> sheets) {
        return with(new Section(id, name, List.of(), sheets, true, List.of()));
    }

    public TopicPage withWords(String id, String name, List<String> words) {
        return with(new Section(id, name, List.of(), List.of(), false, words));
    }

    public String html(Origin origin) {
        List<Page.Part> contents = sections.stream()
                .map(section -> new Page.Part(section.id(), section.name()))
                .toList();
        return Page.write(title, contents, origin, html -> {
            html.open("header").leaf("h1", title);
            html.leaf("p", lead, "class", "lead").close();
            sections.forEach(section -> section.write(html));
        });
    }
}
