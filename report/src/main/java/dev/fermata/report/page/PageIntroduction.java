package dev.fermata.report.page;

import dev.fermata.insight.format.ResultTable;
import dev.fermata.report.plot.Plot;
import java.util.List;

/**
 * What precedes the comparison, where there is more to say than which policy did best. It has its own title, pictures,
 * tables whose rows are unlike each other, and sentences.
 */
public record PageIntroduction(
        String title, String name, List<Plot> plots, List<ResultTable> sheets, List<String> paragraphs) {
    public static final PageIntroduction NONE = new PageIntroduction("", "", List.of(), List.of(), List.of());

    TopicPage.Section section() {
        return new TopicPage.Section("preface", name, plots, sheets, false, paragraphs);
    }
}
