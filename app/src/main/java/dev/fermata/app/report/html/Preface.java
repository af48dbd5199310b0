package dev.fermata.app.report.html;

import dev.fermata.app.report.plot.Plot;
import dev.fermata.sim.reproduce.Sheet;
import java.util.List;

/**
 * What stands before the comparison, where there is more to say than who did best: its own title, pictures, tables whose rows are
 * unlike each other, and sentences.
 */
public record Preface(String title, String name, List<Plot> plots, List<Sheet> sheets, List<String> words) {
    public static final Preface NONE = new Preface("", "", List.of(), List.of(), List.of());

    TopicPage.Section section() {
        return new TopicPage.Section("preface", name, plots, sheets, false, words);
    }
}
