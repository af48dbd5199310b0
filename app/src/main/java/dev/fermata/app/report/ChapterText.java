package dev.fermata.app.report;

import dev.fermata.app.input.SeedList;
import dev.fermata.app.output.Humane;
import dev.fermata.app.output.Screen;
import dev.fermata.app.output.Table;
import dev.fermata.app.output.Words;
import dev.fermata.app.run.Reproducing;
import dev.fermata.sim.reproduce.Chapter;
import dev.fermata.sim.reproduce.Finding;
import dev.fermata.sim.reproduce.Parameter;
import dev.fermata.sim.reproduce.Sheet;
import java.io.PrintWriter;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Reproductions for people: claim, setting, policies side by side, and what was published beside what came out. */
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

    public void print(Chapter chapter) {
        List<String> heading = Words.wrap(chapter.paper() + ": " + chapter.title(), width());
        heading.forEach(line -> out.println(screen.strong(line)));
        out.println("=".repeat(heading.stream().mapToInt(String::length).max().orElse(0)));
        if (!chapter.parameters().isEmpty()) {
            print(parameters(chapter.parameters()));
        }
        for (Sheet sheet : chapter.sheets()) {
            strong(sheet.title());
            print(table(sheet));
        }
        List<String> settings =
                chapter.findings().stream().map(Finding::setting).distinct().toList();
        boolean oneSetting = settings.size() == 1 && !settings.get(0).isBlank();
        strong("Published and measured" + (oneSetting ? ": " + settings.get(0) : ""));
        print(findings(chapter.findings(), !oneSetting));
        if (hidden > 0) {
            paragraph(Humane.amount(hidden, "column") + " did not fit: -o wide shows everything.");
            out.println();
        }
        out.flush();
    }

    /** What the reader of the chapters above needs to know. */
    public void printEnd(List<Chapter> chapters, List<Long> seeds) {
        if (chapters.isEmpty()) {
            return;
        }
        if (chapters.size() > 1) {
            Table table = new Table().words("paper").words("findings that hold").words("that do not");
            chapters.forEach(c -> table.row(c.paper(), names(c, true), names(c, false)));
            print(table);
        }
        List<Finding> findings =
                chapters.stream().flatMap(c -> c.findings().stream()).toList();
        paragraph(Reproducing.holding(findings) + ", over seeds "
                + SeedList.show(seeds) + ". ±: 95 % confidence."
                + " A setting is published (in the paper), authors' code (in what they released), calibrated (set so that a"
                + " published figure comes out) or assumed (ours).");
        out.flush();
    }

    private static String names(Chapter chapter, boolean holds) {
        return chapter.findings().stream()
                .filter(f -> f.holds() == holds)
                .map(f -> new MetricName(f.metric()).words())
                .distinct()
                .collect(Collectors.joining(", "));
    }

    private static Table parameters(List<Parameter> parameters) {
        Table table = new Table().words("setting").words("value").words("source");
        parameters.forEach(p -> table.row(p.name(), p.value(), p.source().words()));
        return table;
    }

    /** The first column names the row; the further right another one stands, the sooner it gives way. */
    private static Table table(Sheet sheet) {
        Table table = new Table();
        for (int c = 0; c < sheet.columns().size(); c++) {
            if (CellNumber.isNumeric(sheet, c)) {
                table.numbers(sheet.columns().get(c), Math.max(1, Table.ALWAYS - c));
            } else {
                table.words(sheet.columns().get(c));
            }
        }
        sheet.rows().forEach(row -> table.row(row.stream().map(Table.Cell::of).toList()));
        return table;
    }

    private static Table findings(List<Finding> findings, boolean withSetting) {
        Table table = new Table()
                .words("finding")
                .words("policy")
                .words("against")
                .numbers("published", Table.ALWAYS)
                .numbers("measured", Table.ALWAYS)
                .words("holds")
                .numbers("seeds", 1);
        for (Finding finding : findings) {
            MetricName metric = new MetricName(finding.metric());
            double half = finding.measured().halfWidth();
            table.row(
                    metric.words(),
                    finding.policy(),
                    finding.baseline(),
                    finding.published().isPresent()
                            ? metric.show(finding.published().getAsDouble())
                            : "–",
                    metric.show(finding.measured().mean())
                            + (half > 0
                                    ? " ±"
                                            + metric.showHalf(
                                                    half, finding.measured().mean())
                                    : ""),
                    finding.holds() ? "yes" : "NO",
                    Integer.toString(finding.seeds()));
            Stream.of(withSetting ? finding.setting() : "", finding.note())
                    .filter(words -> !words.isBlank())
                    .forEach(table::remark);
        }
        return table;
    }

    private void print(Table table) {
        // A wide table is asked for whole, whatever the screen.
        table.render(wide ? screen.unlimited() : screen).forEach(out::println);
        hidden = Math.max(hidden, table.hidden());
        out.println();
    }

    private int width() {
        return Math.min(WIDEST_TEXT, screen.columns());
    }

    private void strong(String text) {
        Words.wrap(text, width()).forEach(line -> out.println(screen.strong(line)));
    }

    private void paragraph(String text) {
        Words.wrap(text, width()).forEach(line -> out.println(screen.faint(line)));
    }
}
