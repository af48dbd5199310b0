package dev.fermata.report.page;

import dev.fermata.insight.experiment.MeasuredRun;
import dev.fermata.insight.format.HumanFormat;
import dev.fermata.insight.format.ResultTable;
import dev.fermata.report.comparison.Comparison;
import dev.fermata.report.comparison.ComparisonFigures;
import dev.fermata.report.comparison.MetricSummaries;
import dev.fermata.report.comparison.PreemptionSummaries;
import dev.fermata.report.comparison.SensitivityFigures;
import dev.fermata.report.figure.GanttPlot;
import dev.fermata.report.html.HtmlPage;
import dev.fermata.report.html.HtmlTable;
import dev.fermata.report.html.HtmlWriter;
import dev.fermata.report.html.ReportOrigin;
import dev.fermata.report.html.SvgCanvas;
import dev.fermata.report.html.SvgWriter;
import dev.fermata.report.plot.Plot;
import java.util.ArrayList;
import java.util.List;

/** The page of one run or a comparison: tables first, then figures. */
public final class ExperimentPage {
    /** A part of the page about one setting. */
    private record Section(String id, String name, List<ResultTable> sheets, List<? extends Plot> plots) {
        boolean empty() {
            return sheets.isEmpty() && plots.isEmpty();
        }
    }

    private final Comparison comparison;
    private final ReportOrigin origin;
    private final List<String> remarks;
    private final PageIntroduction introduction;
    private final List<Plot> sensitivity;
    private final List<List<Section>> sections = new ArrayList<>();

    public ExperimentPage(Comparison comparison, ReportOrigin origin, List<String> remarks) {
        this(comparison, origin, remarks, PageIntroduction.NONE);
    }

    public ExperimentPage(
            Comparison comparison, ReportOrigin origin, List<String> remarks, PageIntroduction introduction) {
        this.introduction = introduction;
        this.comparison = comparison;
        this.origin = origin;
        this.remarks = remarks;
        this.sensitivity = SensitivityFigures.of(comparison);
        comparison.groups().forEach(panel -> sections.add(sections(panel)));
    }

    private List<Section> sections(Comparison.Group panel) {
        ComparisonFigures figures = new ComparisonFigures(comparison, panel);
        List<Plot> pauses = figures.preemptions();
        List<ResultTable> preemptions = new ArrayList<>();
        if (panel.rows().stream()
                .anyMatch(row -> row.runs().stream().anyMatch(r -> r.summary().preemptions() > 0))) {
            preemptions.add(PreemptionSummaries.totals(panel));
            preemptions.addAll(PreemptionSummaries.outliers(panel));
        }
        return List.of(
                        new Section("summary", "Summary", MetricSummaries.of(panel), List.of()),
                        new Section("distributions", "Distributions", List.of(), figures.distributions()),
                        new Section("series", "Over time", List.of(), figures.series()),
                        new Section("gantt", "On the GPUs", List.of(), figures.ganttPlots()),
                        new Section("waits", "Waiting jobs", List.of(), figures.waits()),
                        new Section("classes", "Trial and batch", MetricSummaries.classes(panel), List.of()),
                        new Section("pauses", "Pauses", preemptions, pauses))
                .stream()
                .filter(section -> !section.empty())
                .toList();
    }

    public String html() {
        List<HtmlPage.TocEntry> contents = new ArrayList<>();
        if (!introduction.sheets().isEmpty()) {
            contents.add(new HtmlPage.TocEntry("preface", introduction.name()));
        }
        if (!sensitivity.isEmpty()) {
            contents.add(new HtmlPage.TocEntry("sensitivity", "Sensitivity"));
        }
        for (int i = 0; i < sections.size(); i++) {
            int panel = i;
            List<HtmlPage.TocEntry> parts = sections.get(i).stream()
                    .map(s -> new HtmlPage.TocEntry(id(panel, s.id()), s.name()))
                    .toList();
            String variation = comparison.groups().get(i).variation();
            contents.addAll(
                    comparison.varied() ? List.of(new HtmlPage.TocEntry(id(i, "setting"), variation, parts)) : parts);
        }
        contents.add(new HtmlPage.TocEntry("notes", "Notes"));
        return HtmlPage.write(title(), contents, origin, true, this::body);
    }

    private static String id(int panel, String what) {
        return panel == 0 ? what : what + "-" + (panel + 1);
    }

    private String title() {
        if (!introduction.title().isEmpty()) {
            return introduction.title();
        }
        List<Comparison.Row> rows = comparison.groups().get(0).rows();
        return "Fermata: " + (rows.size() == 1 ? rows.get(0).policy().text() : rows.size() + " policies compared");
    }

    private void body(HtmlWriter html) {
        html.open("header").leaf("h1", title());
        html.leaf("p", setting(), "class", "lead").close();
        if (!introduction.sheets().isEmpty()) {
            introduction.section().write(html);
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
        ReadingNotes.write(html, comparison, remarks);
    }

    private String setting() {
        MeasuredRun first = comparison.groups().get(0).first();
        return first.result().cluster() + " ("
                + HumanFormat.amount(first.setting().cluster().topology().gpuCount(), "GPU") + "), "
                + first.result().workload() + " (" + HumanFormat.amount(first.jobs(), "job") + "), estimator "
                + first.setting().estimator() + ", costs "
                + first.setting().workload().costs()
                + (comparison.varied() ? "; the first of " + comparison.groups().size() + " settings" : "");
    }

    private static void section(HtmlWriter html, int panel, Section section) {
        html.open("section", "id", id(panel, section.id())).leaf("h2", section.name());
        section.plots().forEach(plot -> figure(html, plot, id(panel, plot.name())));
        section.sheets().forEach(sheet -> new HtmlTable(sheet, "").write(html));
        html.close();
    }

    static void figure(HtmlWriter html, Plot plot, String id) {
        if (plot instanceof GanttPlot gantt) {
            html.open(
                    "figure",
                    "class",
                    "gantt",
                    "data-from",
                    SvgWriter.number(gantt.fromSeconds()),
                    "data-to",
                    SvgWriter.number(gantt.toSeconds()));
        } else {
            html.open("figure");
        }
        html.leaf("figcaption", plot.title());
        html.leaf("p", plot.description(), "class", "figure-note");
        html.open("div", "class", "scroll");
        SvgCanvas.draw(html, plot, "plot-" + id);
        html.close().close();
    }
}
