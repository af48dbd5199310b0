package dev.fermata.app.report.html;

import dev.fermata.app.output.Humane;
import dev.fermata.app.report.Comparison;
import dev.fermata.app.report.LedgerSheets;
import dev.fermata.app.report.SummarySheets;
import dev.fermata.app.report.figure.Figures;
import dev.fermata.app.report.figure.GanttPlot;
import dev.fermata.app.report.figure.Sensitivity;
import dev.fermata.app.report.plot.Plot;
import dev.fermata.app.run.Measured;
import dev.fermata.sim.reproduce.Sheet;
import java.util.ArrayList;
import java.util.List;

/** One run or a comparison as one page: figures first, then pictures of how they came about. */
public final class ExperimentPage {
    /** A part of the page about one setting. */
    private record Section(String id, String name, List<Sheet> sheets, List<? extends Plot> plots) {
        boolean empty() {
            return sheets.isEmpty() && plots.isEmpty();
        }
    }

    private final Comparison comparison;
    private final Origin origin;
    private final List<String> remarks;
    private final Preface preface;
    private final List<Plot> sensitivity;
    private final List<List<Section>> sections = new ArrayList<>();

    public ExperimentPage(Comparison comparison, Origin origin, List<String> remarks) {
        this(comparison, origin, remarks, Preface.NONE);
    }

    public ExperimentPage(Comparison comparison, Origin origin, List<String> remarks, Preface preface) {
        this.preface = preface;
        this.comparison = comparison;
        this.origin = origin;
        this.remarks = remarks;
        this.sensitivity = Sensitivity.of(comparison);
        comparison.groups().forEach(panel -> sections.add(sections(panel)));
    }

    private List<Section> sections(Comparison.Group panel) {
        Figures figures = new Figures(comparison, panel);
        List<Plot> pauses = figures.pauses();
        List<Sheet> ledger = new ArrayList<>();
        if (panel.rows().stream()
                .anyMatch(row -> row.runs().stream().anyMatch(r -> r.summary().preemptions() > 0))) {
            ledger.add(LedgerSheets.totals(panel));
            ledger.addAll(LedgerSheets.standingOut(panel));
        }
        return List.of(
                        new Section("summary", "Summary", SummarySheets.of(panel), List.of()),
                        new Section("distributions", "Distributions", List.of(), figures.distributions()),
                        new Section("series", "Over time", List.of(), figures.series()),
                        new Section("gantt", "On the GPUs", List.of(), figures.gantts()),
                        new Section("waits", "Who waited", List.of(), figures.waits()),
                        new Section("classes", "Trial and batch", SummarySheets.classes(panel), List.of()),
                        new Section("pauses", "Pauses", ledger, pauses))
                .stream()
                .filter(section -> !section.empty())
                .toList();
    }

    public String html() {
        List<Page.Part> contents = new ArrayList<>();
        if (!preface.sheets().isEmpty()) {
            contents.add(new Page.Part("preface", preface.name()));
        }
        if (!sensitivity.isEmpty()) {
            contents.add(new Page.Part("sensitivity", "Sensitivity"));
        }
        for (int i = 0; i < sections.size(); i++) {
            int panel = i;
            List<Page.Part> parts = sections.get(i).stream()
                    .map(s -> new Page.Part(id(panel, s.id()), s.name()))
                    .toList();
            String variation = comparison.groups().get(i).variation();
            contents.addAll(comparison.varied() ? List.of(new Page.Part(id(i, "setting"), variation, parts)) : parts);
        }
        contents.add(new Page.Part("notes", "Notes"));
        return Page.write(title(), contents, origin, true, this::body);
    }

    private static String id(int panel, String what) {
        return panel == 0 ? what : what + "-" + (panel + 1);
    }

    private String title() {
        if (!preface.title().isEmpty()) {
            return preface.title();
        }
        List<Comparison.Row> rows = comparison.groups().get(0).rows();
        return "Fermata: " + (rows.size() == 1 ? rows.get(0).policy().text() : rows.size() + " policies compared");
    }

    private void body(Html html) {
        html.open("header").leaf("h1", title());
        html.leaf("p", setting(), "class", "lead").close();
        if (!preface.sheets().isEmpty()) {
            preface.section().write(html);
        }
        if (!sensitivity.isEmpty()) {
            html.open("section", "id", "sensitivity").leaf("h2", "Sensitivity");
            sensitivity.forEach(plot -> figure(html, plot, plot.name()));
            html.close();
        }
        for (int i = 0; i < sections.size(); i++) {
            if (comparison.varied()) {
                html.open("section", "id", id(i, "setting"), "class", "chapter");
                html.leaf("h2", comparison.groups().get(i).variation()).close();
            }
            for (Section section : sections.get(i)) {
                section(html, i, section);
            }
        }
        Notes.write(html, comparison, remarks);
    }

    private String setting() {
        Measured first = comparison.groups().get(0).first();
        return first.result().cluster() + " ("
                + Humane.amount(first.setting().cluster().topology().gpuCount(), "GPU") + "), "
                + first.result().workload() + " (" + Humane.amount(first.jobs(), "job") + "), estimator "
                + first.setting().estimator() + ", costs "
                + first.setting().workload().costs()
                + (comparison.varied() ? "; the first of " + comparison.groups().size() + " settings" : "");
    }

    private static void section(Html html, int panel, Section section) {
        html.open("section", "id", id(panel, section.id())).leaf("h2", section.name());
        section.plots().forEach(plot -> figure(html, plot, id(panel, plot.name())));
        section.sheets().forEach(sheet -> new SheetTable(sheet, "").write(html));
        html.close();
    }

    static void figure(Html html, Plot plot, String id) {
        if (plot instanceof GanttPlot gantt) {
            html.open(
                    "figure",
                    "class",
                    "gantt",
                    "data-from",
                    Svg.number(gantt.fromSeconds()),
                    "data-to",
                    Svg.number(gantt.toSeconds()));
        } else {
            html.open("figure");
        }
        html.leaf("figcaption", plot.title());
        html.leaf("p", plot.description(), "class", "told-below");
        html.open("div", "class", "scroll");
        SvgCanvas.draw(html, plot, "plot-" + id);
        html.close().close();
    }
}
