package dev.fermata.report.page;

import dev.fermata.insight.format.ResultTable;
import dev.fermata.report.html.HtmlPage;
import dev.fermata.report.html.HtmlTable;
import dev.fermata.report.html.HtmlWriter;
import dev.fermata.report.html.ReportOrigin;
import dev.fermata.report.plot.Plot;
import java.util.ArrayList;
import java.util.List;

/** A page about one topic: a lead sentence, then sections with figures, tables and text. */
public final class TopicPage {
    /**
     * A part of the page.
     *
     * @param comparable whether the rows of its tables are comparable, so that bars next to their numbers make sense
     */
    public record Section(
            String id,
            String name,
            List<? extends Plot> plots,
            List<ResultTable> sheets,
            boolean comparable,
            List<String> paragraphs) {
        boolean empty() {
            return plots.isEmpty() && sheets.isEmpty() && paragraphs.isEmpty();
        }

        void write(HtmlWriter html) {
            html.open("section", "id", id).leaf("h2", name);
            plots.forEach(plot -> ExperimentPage.figure(html, plot, plot.name()));
            sheets.forEach(sheet -> new HtmlTable(sheet, "", comparable).write(html));
            paragraphs.forEach(word -> html.leaf("p", word));
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

    /** Adds a section, unless it is empty. */
    public TopicPage with(Section section) {
        if (!section.empty()) {
            sections.add(section);
        }
        return this;
    }

    public TopicPage with(String id, String name, List<? extends Plot> plots) {
        return with(new Section(id, name, plots, List.of(), false, List.of()));
    }

    public TopicPage withSheets(String id, String name, List<ResultTable> sheets) {
        return with(new Section(id, name, List.of(), sheets, true, List.of()));
    }

    public TopicPage withParagraphs(String id, String name, List<String> words) {
        return with(new Section(id, name, List.of(), List.of(), false, words));
    }

    public String html(ReportOrigin origin) {
        List<HtmlPage.TocEntry> contents = sections.stream()
                .map(section -> new HtmlPage.TocEntry(section.id(), section.name()))
                .toList();
        return HtmlPage.write(title, contents, origin, html -> {
            html.open("header").leaf("h1", title);
            html.leaf("p", lead, "class", "lead").close();
            sections.forEach(section -> section.write(html));
        });
    }
}
