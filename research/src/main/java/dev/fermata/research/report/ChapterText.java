package dev.fermata.research.report;

import dev.fermata.insight.format.HumanFormat;
import dev.fermata.insight.format.ResultTable;
import dev.fermata.insight.input.SeedList;
import dev.fermata.report.html.CellNumber;
import dev.fermata.report.text.Screen;
import dev.fermata.report.text.TextTable;
import dev.fermata.report.text.WordWrap;
import dev.fermata.research.Finding;
import dev.fermata.research.ReproductionParameter;
import dev.fermata.research.ReproductionReport;
import dev.fermata.research.run.ReproductionRunner;
import java.io.PrintWriter;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Reproductions as text: claim, setting, policies side by side, and published next to measured results. */
public final class ChapterText {
    private static final int WIDEST_TEXT = 110;

    private final boolean wide;
    private final Screen screen;
    private final PrintWriter out;
    private int hidden;

    public ChapterText(boolean wide, Screen screen, PrintWriter out) {
        this.wide = wide;
        this.screen = screen;
        this.out = out;
    }

    public void print(ReproductionReport chapter) {
        List<String> heading = WordWrap.wrap(chapter.paper() + ": " + chapter.title(), width());
        heading.forEach(line -> out.println(screen.bold(line)));
        out.println("=".repeat(heading.stream().mapToInt(String::length).max().orElse(0)));
        if (!chapter.parameters().isEmpty()) {
            print(parameters(chapter.parameters()));
        }
        for (ResultTable sheet : chapter.tables()) {
            bold(sheet.title());
            print(table(sheet));
        }
        List<String> settings =
                chapter.findings().stream().map(Finding::setting).distinct().toList();
        boolean oneSetting = settings.size() == 1 && !settings.get(0).isBlank();
        bold("Published and measured" + (oneSetting ? ": " + settings.get(0) : ""));
        print(findings(chapter.findings(), !oneSetting));
        if (hidden > 0) {
            paragraph(HumanFormat.amount(hidden, "column") + " did not fit: -o wide shows everything.");
            out.println();
        }
        out.flush();
    }

    /** The legend of the chapters above. */
    public void printEnd(List<ReproductionReport> chapters, List<Long> seeds) {
        if (chapters.isEmpty()) {
            return;
        }
        if (chapters.size() > 1) {
            TextTable table = new TextTable()
                    .textColumn("paper")
                    .textColumn("findings that hold")
                    .textColumn("that do not");
            chapters.forEach(c -> table.row(c.paper(), names(c, true), names(c, false)));
            print(table);
        }
        List<Finding> findings =
                chapters.stream().flatMap(c -> c.findings().stream()).toList();
        paragraph(ReproductionRunner.findingsText(findings) + ", over seeds "
                + SeedList.format(seeds) + ". ±: 95 % confidence."
                + " A setting is published (in the paper), authors' code (in what they released), calibrated (set so that a"
                + " published figure comes out) or assumed (ours).");
        out.flush();
    }

    private static String names(ReproductionReport chapter, boolean holds) {
        return chapter.findings().stream()
                .filter(f -> f.holds() == holds)
                .map(f -> new MetricName(f.metric()).text())
                .distinct()
                .collect(Collectors.joining(", "));
    }

    private static TextTable parameters(List<ReproductionParameter> parameters) {
        TextTable table =
                new TextTable().textColumn("setting").textColumn("value").textColumn("source");
        parameters.forEach(p -> table.row(p.name(), p.value(), p.source().label()));
        return table;
    }

    /** The first column names the row; columns further right are dropped first. */
    private static TextTable table(ResultTable sheet) {
        TextTable table = new TextTable();
        for (int c = 0; c < sheet.columns().size(); c++) {
            if (CellNumber.isNumeric(sheet, c)) {
                table.numberColumn(sheet.columns().get(c), Math.max(1, TextTable.ALWAYS - c));
            } else {
                table.textColumn(sheet.columns().get(c));
            }
        }
        sheet.rows()
                .forEach(row -> table.row(row.stream().map(TextTable.Cell::of).toList()));
        return table;
    }

    private static TextTable findings(List<Finding> findings, boolean withSetting) {
        TextTable table = new TextTable()
                .textColumn("finding")
                .textColumn("policy")
                .textColumn("against")
                .numberColumn("published", TextTable.ALWAYS)
                .numberColumn("measured", TextTable.ALWAYS)
                .textColumn("holds")
                .numberColumn("seeds", 1);
        for (Finding finding : findings) {
            MetricName metric = new MetricName(finding.metric());
            double half = finding.measured().halfWidth();
            table.row(
                    metric.text(),
                    finding.policy(),
                    finding.baseline(),
                    finding.published().isPresent()
                            ? metric.format(finding.published().getAsDouble())
                            : "–",
                    metric.format(finding.measured().mean())
                            + (half > 0
                                    ? " ±"
                                            + metric.formatHalfWidth(
                                                    half, finding.measured().mean())
                                    : ""),
                    finding.holds() ? "yes" : "NO",
                    Integer.toString(finding.seeds()));
            Stream.of(withSetting ? finding.setting() : "", finding.note())
                    .filter(words -> !words.isBlank())
                    .forEach(table::note);
        }
        return table;
    }

    private void print(TextTable table) {
        // Wide output was requested, whatever the screen.
        table.render(wide ? screen.unlimited() : screen).forEach(out::println);
        hidden = Math.max(hidden, table.hidden());
        out.println();
    }

    private int width() {
        return Math.min(WIDEST_TEXT, screen.columns());
    }

    private void bold(String text) {
        WordWrap.wrap(text, width()).forEach(line -> out.println(screen.bold(line)));
    }

    private void paragraph(String text) {
        WordWrap.wrap(text, width()).forEach(line -> out.println(screen.dim(line)));
    }
}
