package dev.fermata.research.report;

import dev.fermata.insight.format.HumanFormat;
import dev.fermata.report.html.HtmlPage;
import dev.fermata.report.html.HtmlTable;
import dev.fermata.report.html.HtmlWriter;
import dev.fermata.report.html.ReportOrigin;
import dev.fermata.report.text.WordWrap;
import dev.fermata.research.Finding;
import dev.fermata.research.ReproductionParameter;
import dev.fermata.research.ReproductionReport;
import dev.fermata.research.run.ReproductionRunner;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The reproductions as one page: what holds and what does not first, then a chapter for each paper. */
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
        parts.add(new HtmlPage.TocEntry(chapter.paper() + "-findings", "Findings"));
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
                        + ReproductionRunner.findingsText(all).replace(' ', '\u00a0') + ".",
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
            int further = 0;
            for (int i = 0; i < chapter.findings().size(); i++) {
                Finding finding = chapter.findings().get(i);
                if (finding.published().isEmpty() && finding.holds()) {
                    further++; // our own target, and met: the chapter has it
                } else {
                    findingOutcome(html, finding, id(chapter, i));
                }
            }
            if (further > 0) {
                html.open("li", "class", "holds");
                html.leaf(
                        "a",
                        "✓ " + HumanFormat.amount(further, "more finding"),
                        "href",
                        "#" + chapter.paper() + "-findings");
                html.leaf("span", "where nothing was published, and our own bar is met")
                        .close();
            }
            html.close().close();
        }
        html.close();
    }

    private static void findingOutcome(HtmlWriter html, Finding finding, String id) {
        html.open("li", "class", outcomeClass(finding));
        html.leaf("a", findingOutcome(finding) + " " + new MetricName(finding.metric()).text(), "href", "#" + id);
        html.leaf("span", against(finding) + ": " + figures(finding)).close();
    }

    private static String figures(Finding finding) {
        MetricName metric = new MetricName(finding.metric());
        return WordWrap.keepTogether(metric.format(finding.measured().mean())
                + (finding.published().isPresent()
                        ? ", published " + metric.format(finding.published().getAsDouble())
                        : ""));
    }

    private static String findingOutcome(Finding finding) {
        return finding.holds() ? "✓" : "✗";
    }

    private static String outcomeClass(Finding finding) {
        return finding.holds() ? "holds" : "fails";
    }

    private static String id(ReproductionReport chapter, int finding) {
        return chapter.paper() + "-finding-" + (finding + 1);
    }

    private static void chapter(HtmlWriter html, ReproductionReport chapter) {
        html.open("section", "id", chapter.paper(), "class", "chapter");
        html.leaf("h2", chapter.paper()).leaf("p", WordWrap.keepTogether(chapter.title()), "class", "claim");
        html.leaf("h3", "Findings", "id", chapter.paper() + "-findings");
        for (int i = 0; i < chapter.findings().size(); i++) {
            finding(html, chapter.findings().get(i), id(chapter, i));
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

    private static void finding(HtmlWriter html, Finding finding, String id) {
        MetricName metric = new MetricName(finding.metric());
        html.open("article", "id", id, "class", "finding " + outcomeClass(finding));
        html.open("div", "class", "what").leaf("strong", metric.text());
        html.leaf("span", against(finding), "class", "against").close();
        html.open("dl", "class", "figures");
        html.leaf("dt", "published")
                .leaf(
                        "dd",
                        finding.published().isPresent()
                                ? metric.format(finding.published().getAsDouble())
                                : "–");
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
        html.leaf("div", findingOutcome(finding) + (finding.holds() ? " holds" : " does not hold"), "class", "outcome");
        html.open("p", "class", "note");
        html.leaf(
                "span",
                (finding.setting().isBlank() ? "" : finding.setting() + " · ")
                        + HumanFormat.amount(finding.seeds(), "seed"),
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
                                + " policies are compared, the ratio is taken seed by seed, on the same jobs. Improvements are positive.");
        html.leaf("dt", "Drawings")
                .open("dd")
                .text("A dot is what was measured, the line through it the interval; an open"
                        + " diamond is what was published. Each drawing has its own scale, and all of them show zero.");
        html.close();
        html.leaf("dt", "Holds")
                .leaf(
                        "dd",
                        "The bar is met: the published figure, or one of ours where nothing was published. Where it is not,"
                                + " the note says why, as far as we know.");
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
