package dev.fermata.research.report;

import dev.fermata.insight.format.HumanFormat;
import dev.fermata.insight.format.ResultTable;
import dev.fermata.insight.input.SeedList;
import dev.fermata.report.html.CellNumber;
import dev.fermata.report.text.Screen;
import dev.fermata.report.text.TextTable;
import dev.fermata.report.text.WordWrap;
import dev.fermata.research.Comparison;
import dev.fermata.research.ComparisonCount;
import dev.fermata.research.Finding;
import dev.fermata.research.FindingKind;
import dev.fermata.research.ReproductionParameter;
import dev.fermata.research.ReproductionReport;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
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
        List<Finding> published = chapter.findings().stream()
                .filter(f -> f.kind() == FindingKind.PUBLISHED)
                .toList();
        List<Finding> own = chapter.findings().stream()
                .filter(f -> f.kind() != FindingKind.PUBLISHED)
                .toList();
        section("Published and measured", published, true);
        section("Our own measurements", own, false);
        if (hidden > 0) {
            paragraph(HumanFormat.amount(hidden, "column") + " did not fit: -o wide shows everything.");
            out.println();
        }
        out.flush();
    }

    private void section(String title, List<Finding> findings, boolean published) {
        if (findings.isEmpty()) {
            return;
        }
        List<String> settings =
                findings.stream().map(Finding::setting).distinct().toList();
        boolean oneSetting = settings.size() == 1 && !settings.get(0).isBlank();
        bold(title + (oneSetting ? ": " + settings.get(0) : ""));
        print(findings(findings, published, !oneSetting));
    }

    /** The legend of the chapters above. */
    public void printEnd(List<ReproductionReport> chapters, List<Long> seeds) {
        if (chapters.isEmpty()) {
            return;
        }
        if (chapters.size() > 1) {
            TextTable table = new TextTable().textColumn("paper");
            Comparison.PUBLISHED.forEach(comparison -> table.numberColumn(comparison.label(), TextTable.ALWAYS));
            table.numberColumn("our own", TextTable.ALWAYS);
            for (ReproductionReport chapter : chapters) {
                ComparisonCount count = ComparisonCount.of(chapter.findings());
                table.row(
                        chapter.paper(),
                        Long.toString(count.inside()),
                        Long.toString(count.better()),
                        Long.toString(count.worse()),
                        Long.toString(count.own()));
            }
            print(table);
        }
        ComparisonCount count = ComparisonCount.of(
                chapters.stream().flatMap(c -> c.findings().stream()).toList());
        paragraph(capitalized(count.text()) + ", over seeds " + SeedList.format(seeds)
                + ". Inside: the published figure is in our 95 % interval (±). "
                + HumanFormat.amount(count.own(), "own measurement") + " not counted."
                + " A setting is published (in the paper), authors' code (in what they released), calibrated (set so that a"
                + " published figure comes out) or assumed (ours).");
        out.flush();
    }

    private static String capitalized(String text) {
        return Character.toUpperCase(text.charAt(0)) + text.substring(1);
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

    private static TextTable findings(List<Finding> findings, boolean published, boolean withSetting) {
        TextTable table =
                new TextTable().textColumn("finding").textColumn("policy").textColumn("against");
        if (published) {
            table.numberColumn("published", TextTable.ALWAYS);
        }
        table.numberColumn("measured", TextTable.ALWAYS).textColumn("result").textColumn("samples");
        for (Finding finding : findings) {
            MetricName metric = new MetricName(finding.metric());
            double half = finding.measured().halfWidth();
            List<String> row = new ArrayList<>(List.of(metric.text(), finding.policy(), finding.baseline()));
            finding.published().ifPresent(value -> row.add(metric.format(value)));
            row.add(metric.format(finding.measured().mean())
                    + (half > 0
                            ? " ±"
                                    + metric.formatHalfWidth(
                                            half, finding.measured().mean())
                            : ""));
            row.add(finding.comparison().label());
            row.add(HumanFormat.amount(
                    finding.measured().samples(), finding.measured().unit()));
            table.row(row.toArray(String[]::new));
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
