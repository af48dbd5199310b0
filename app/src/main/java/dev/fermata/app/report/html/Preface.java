package dev.fermata.app.report.html;

import dev.fermata.sim.reproduce.Sheet;
import java.util.List;

/** What stands before the comparison, where there is more to say than who did best: its own title, tables and sentences. */
public record Preface(String title, String name, List<Sheet> sheets, List<String> words) {
    public static final Preface NONE = new Preface("", "", List.of(), List.of());
}
