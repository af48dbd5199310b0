package dev.fermata.research.report;

import dev.fermata.insight.format.HumanFormat;
import dev.fermata.report.html.HtmlPage;
import dev.fermata.report.html.HtmlTable;
import dev.fermata.report.html.HtmlWriter;
import dev.fermata.report.html.ReportOrigin;
import dev.fermata.report.text.WordWrap;
import dev.fermata.research.ComparisonCount;
import dev.fermata.research.Finding;
import dev.fermata.research.FindingKind;
import dev.fermata.research.ReproductionParameter;
import dev.fermata.research.ReproductionReport;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The reproductions as one page: comparisons on published figures first, then a chapter for each paper. */
public final class ReproductionPage {
    private static final String TITLE = "Fermata: papers reproduced";

    private final List<ReproductionReport> chapters;
    private final ReportOrigin origin;

    public ReproductionPage(List<ReproductionReport> chapters, ReportOrigin origin) {
        this.chapters = chapters;
        this.origin = origin;
    }

    public String html() {
        List<HtmlPage.TocEntry> contents = new ArrayList<>(List.of(new HtmlPage.TocEntry("summary", "Summary")));
        chapters.forEach(c -> contents.add(new HtmlPage.TocEntry(c.paper(), c.paper(), parts(c))));
        contents.add(new HtmlPage.TocEntry("reading", "How to read this"));
        return HtmlPage.write(TITLE, contents, origin, this::body);
    }

    private static List<HtmlPage.TocEntry> parts(ReproductionReport chapter) {
        List<HtmlPage.TocEntry> parts = new ArrayList<>();
        parts.add(new HtmlPage.TocEntry(chapter.paper() + "-findings", "Published and measured"));
        if (hasOwn(chapter)) {
            parts.add(new HtmlPage.TocEntry(chapter.paper() + "-own", "Our own measurements"));
        }
        if (!chapter.tables().isEmpty()) {
            parts.add(new HtmlPage.TocEntry(chapter.paper() + "-sheets", "Side by side"));
        }
        if (!chapter.parameters().isEmpty()) {
            parts.add(new HtmlPage.TocEntry(chapter.paper() + "-setting", "Setting"));
        }
        return parts;
    }

    private void body(HtmlWriter html) {
        List<Finding> all =
                chapters.stream().flatMap(c -> c.findings().stream()).toList();
        html.open("header").leaf("h1", TITLE);
        html.leaf(
                "p",
                "Each paper’s own experiment, run again: published next to measured results. "
                        + ComparisonCount.of(all).text().replace(' ', '\u00a0') + ".",
                "class",
                "lead");
        html.close();
        summary(html);
        chapters.forEach(chapter -> chapter(html, chapter));
        writeReadingGuide(html);
    }

    private void summary(HtmlWriter html) {
        html.open("section", "id", "summary").leaf("h2", "Summary");
        for (ReproductionReport chapter : chapters) {
            html.open("div", "class", "paper");
            html.open("p")
                    .open("a", "href", "#" + chapter.paper())
                    .leaf("strong", chapter.paper())
                    .close();
            html.text(" " + WordWrap.keepTogether(chapter.title())).close().open("ul", "class", "outcomes");
            for (int i = 0; i < chapter.findings().size(); i++) {
                Finding finding = chapter.findings().get(i);
                if (isPublished(finding)) {
                    findingOutcome(html, finding, id(chapter, i));
                }
            }
            if (hasOwn(chapter)) {
                html.open("li", "class", "measured");
                html.leaf(
                        "a",
                        HumanFormat.amount(
                                ComparisonCount.of(chapter.findings()).own(), "own measurement"),
                        "href",
                        "#" + chapter.paper() + "-own");
                html.leaf("span", "no figure is published: not counted").close();
            }
            html.close().close();
        }
        html.close();
    }

    private static void findingOutcome(HtmlWriter html, Finding finding, String id) {
        html.open("li", "class", finding.comparison().label());
        html.leaf("a", finding.comparison().label() + ": " + new MetricName(finding.metric()).text(), "href", "#" + id);
        html.leaf("span", against(finding) + ": " + figures(finding)).close();
    }

    private static String figures(Finding finding) {
        MetricName metric = new MetricName(finding.metric());
        return WordWrap.keepTogether(metric.format(finding.measured().mean())
                + (finding.published().isPresent()
                        ? ", published " + metric.format(finding.published().getAsDouble())
                        : ""));
    }

    private static boolean isPublished(Finding finding) {
        return finding.kind() == FindingKind.PUBLISHED;
    }

    private static boolean hasOwn(ReproductionReport chapter) {
        return chapter.findings().stream().anyMatch(f -> !isPublished(f));
    }

    private static String id(ReproductionReport chapter, int finding) {
        return chapter.paper() + "-finding-" + (finding + 1);
    }

    private static void chapter(HtmlWriter html, ReproductionReport chapter) {
        html.open("section", "id", chapter.paper(), "class", "chapter");
        html.leaf("h2", chapter.paper()).leaf("p", WordWrap.keepTogether(chapter.title()), "class", "claim");
        html.leaf("h3", "Published and measured", "id", chapter.paper() + "-findings");
        findings(html, chapter, true);
        if (hasOwn(chapter)) {
            html.leaf("h3", "Our own measurements", "id", chapter.paper() + "-own");
            findings(html, chapter, false);
        }
        if (!chapter.tables().isEmpty()) {
            html.leaf("h3", "Side by side", "id", chapter.paper() + "-sheets");
            chapter.tables().forEach(sheet -> new HtmlTable(sheet, chapter.paper()).write(html));
        }
        if (!chapter.parameters().isEmpty()) {
            html.leaf("h3", "Setting", "id", chapter.paper() + "-setting");
            parameters(html, chapter.parameters());
        }
        html.close();
    }

    private static void findings(HtmlWriter html, ReproductionReport chapter, boolean published) {
        for (int i = 0; i < chapter.findings().size(); i++) {
            if (isPublished(chapter.findings().get(i)) == published) {
                finding(html, chapter.findings().get(i), id(chapter, i));
            }
        }
    }

    private static void finding(HtmlWriter html, Finding finding, String id) {
        MetricName metric = new MetricName(finding.metric());
        html.open(
                "article", "id", id, "class", "finding " + finding.comparison().label());
        html.open("div", "class", "what").leaf("strong", metric.text());
        html.leaf("span", against(finding), "class", "against").close();
        html.open("dl", "class", "figures");
        finding.published().ifPresent(published -> html.leaf("dt", "published").leaf("dd", metric.format(published)));
        html.leaf("dt", "measured")
                .open("dd")
                .leaf("strong", metric.format(finding.measured().mean()));
        if (finding.measured().halfWidth() > 0) {
            html.leaf(
                    "span",
                    " ±\u00a0"
                            + metric.formatHalfWidth(
                                    finding.measured().halfWidth(),
                                    finding.measured().mean()),
                    "class",
                    "plusminus");
        }
        html.close().close();
        IntervalPlot.draw(html, finding);
        html.leaf("div", finding.comparison().label(), "class", "outcome");
        html.open("p", "class", "note");
        html.leaf(
                "span",
                (finding.setting().isBlank() ? "" : finding.setting() + " · ")
                        + HumanFormat.amount(
                                finding.measured().samples(), finding.measured().unit()),
                "class",
                "where");
        if (!finding.note().isBlank()) {
            html.text(WordWrap.keepTogether(finding.note()));
        }
        html.close().close();
    }

    private static String against(Finding finding) {
        return finding.policy() + (finding.baseline().isBlank() ? "" : " against " + finding.baseline());
    }

    private static void parameters(HtmlWriter html, List<ReproductionParameter> parameters) {
        html.open("div", "class", "scroll").open("table", "class", "setting").open("tbody");
        for (ReproductionParameter parameter : parameters) {
            html.open("tr").leaf("th", parameter.name(), "scope", "row").leaf("td", parameter.value());
            html.open("td");
            tag(html, parameter.source());
            html.close().close();
        }
        html.close().close().close();
    }

    private static void tag(HtmlWriter html, ReproductionParameter.Provenance source) {
        String cssClass = source.name().toLowerCase(Locale.ROOT).replace('_', '-');
        html.leaf("span", source.label(), "class", "tag " + cssClass);
    }

    private static void writeReadingGuide(HtmlWriter html) {
        html.open("section", "id", "reading").leaf("h2", "How to read this").open("dl", "class", "legend");
        html.leaf("dt", "Figures")
                .leaf(
                        "dd",
                        "The mean over the seeds, and behind ± half of its 95 % confidence interval (Student’s t). Where two"
                                + " policies are compared, the ratio is taken seed by seed, on the same jobs. Where a figure is the most"
                                + " or least of several cells, half of the seeds choose the cell and the others measure it. Improvements are positive.");
        html.leaf("dt", "Drawings")
                .open("dd")
                .text("A dot is what was measured, the line through it the interval; an open"
                        + " diamond is what was published. Each drawing has its own scale, and all of them show zero.");
        html.close();
        html.leaf("dt", "Comparison")
                .leaf(
                        "dd",
                        "inside: the published figure lies in our interval; better or worse: our whole interval lies on that"
                                + " side of it. Where nothing is published: ahead, level (the interval includes no difference) or"
                                + " behind. Undecided: one sample has no interval. Only published figures are counted.");
        html.leaf("dt", "Setting").open("dd");
        for (ReproductionParameter.Provenance source : ReproductionParameter.Provenance.values()) {
            html.open("p");
            tag(html, source);
            html.text(" " + meaning(source)).close();
        }
        html.close().close().close();
    }

    private static String meaning(ReproductionParameter.Provenance source) {
        return switch (source) {
            case PUBLISHED -> "stands in the paper.";
            case AUTHORS_CODE -> "stands in what the authors released.";
            case CALIBRATED -> "set so that a figure in the paper comes out.";
            case ASSUMED -> "ours: the paper states none.";
        };
    }
}
