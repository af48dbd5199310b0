package dev.fermata.app.report.html;

import dev.fermata.app.output.Humane;
import dev.fermata.app.output.Words;
import dev.fermata.app.report.MetricName;
import dev.fermata.app.run.Reproducing;
import dev.fermata.sim.reproduce.Chapter;
import dev.fermata.sim.reproduce.Finding;
import dev.fermata.sim.reproduce.Parameter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The reproductions as one page: what holds and what does not first, then a chapter for each paper. */
public final class ReproductionPage {
    private static final String TITLE = "Fermata: papers reproduced";

    private final List<Chapter> chapters;
    private final Origin origin;

    public ReproductionPage(List<Chapter> chapters, Origin origin) {
        this.chapters = chapters;
        this.origin = origin;
    }

    public String html() {
        List<Page.Part> contents = new ArrayList<>(List.of(new Page.Part("summary", "Summary")));
        chapters.forEach(c -> contents.add(new Page.Part(c.paper(), c.paper(), parts(c))));
        contents.add(new Page.Part("reading", "How to read this"));
        return Page.write(TITLE, contents, origin, this::body);
    }

    private static List<Page.Part> parts(Chapter chapter) {
        List<Page.Part> parts = new ArrayList<>();
        parts.add(new Page.Part(chapter.paper() + "-findings", "Findings"));
        if (!chapter.sheets().isEmpty()) {
            parts.add(new Page.Part(chapter.paper() + "-sheets", "Side by side"));
        }
        if (!chapter.parameters().isEmpty()) {
            parts.add(new Page.Part(chapter.paper() + "-setting", "Setting"));
        }
        return parts;
    }

    private void body(Html html) {
        List<Finding> all =
                chapters.stream().flatMap(c -> c.findings().stream()).toList();
        html.open("header").leaf("h1", TITLE);
        html.leaf(
                "p",
                "Each paper’s own experiment, run again: what was published beside what came out. "
                        + Reproducing.holding(all).replace(' ', '\u00a0') + ".",
                "class",
                "lead");
        html.close();
        summary(html);
        chapters.forEach(chapter -> chapter(html, chapter));
        reading(html);
    }

    private void summary(Html html) {
        html.open("section", "id", "summary").leaf("h2", "Summary");
        for (Chapter chapter : chapters) {
            html.open("div", "class", "paper");
            html.open("p")
                    .open("a", "href", "#" + chapter.paper())
                    .leaf("strong", chapter.paper())
                    .close();
            html.text(" " + Words.together(chapter.title())).close().open("ul", "class", "verdicts");
            int further = 0;
            for (int i = 0; i < chapter.findings().size(); i++) {
                Finding finding = chapter.findings().get(i);
                if (finding.published().isEmpty() && finding.holds()) {
                    further++; // of our own making and as it should be: the chapter has it
                } else {
                    verdict(html, finding, id(chapter, i));
                }
            }
            if (further > 0) {
                html.open("li", "class", "holds");
                html.leaf(
                        "a",
                        "✓ " + Humane.amount(further, "more finding"),
                        "href",
                        "#" + chapter.paper() + "-findings");
                html.leaf("span", "where nothing was published, and our own bar is met")
                        .close();
            }
            html.close().close();
        }
        html.close();
    }

    private static void verdict(Html html, Finding finding, String id) {
        html.open("li", "class", verdictClass(finding));
        html.leaf("a", verdict(finding) + " " + new MetricName(finding.metric()).words(), "href", "#" + id);
        html.leaf("span", against(finding) + ": " + figures(finding)).close();
    }

    private static String figures(Finding finding) {
        MetricName metric = new MetricName(finding.metric());
        return Words.together(metric.show(finding.measured().mean())
                + (finding.published().isPresent()
                        ? ", published " + metric.show(finding.published().getAsDouble())
                        : ""));
    }

    private static String verdict(Finding finding) {
        return finding.holds() ? "✓" : "✗";
    }

    private static String verdictClass(Finding finding) {
        return finding.holds() ? "holds" : "fails";
    }

    private static String id(Chapter chapter, int finding) {
        return chapter.paper() + "-finding-" + (finding + 1);
    }

    private static void chapter(Html html, Chapter chapter) {
        html.open("section", "id", chapter.paper(), "class", "chapter");
        html.leaf("h2", chapter.paper()).leaf("p", Words.together(chapter.title()), "class", "claim");
        html.leaf("h3", "Findings", "id", chapter.paper() + "-findings");
        for (int i = 0; i < chapter.findings().size(); i++) {
            finding(html, chapter.findings().get(i), id(chapter, i));
        }
        if (!chapter.sheets().isEmpty()) {
            html.leaf("h3", "Side by side", "id", chapter.paper() + "-sheets");
            chapter.sheets().forEach(sheet -> new SheetTable(sheet, chapter.paper()).write(html));
        }
        if (!chapter.parameters().isEmpty()) {
            html.leaf("h3", "Setting", "id", chapter.paper() + "-setting");
            parameters(html, chapter.parameters());
        }
        html.close();
    }

    private static void finding(Html html, Finding finding, String id) {
        MetricName metric = new MetricName(finding.metric());
        html.open("article", "id", id, "class", "finding " + verdictClass(finding));
        html.open("div", "class", "what").leaf("strong", metric.words());
        html.leaf("span", against(finding), "class", "against").close();
        html.open("dl", "class", "figures");
        html.leaf("dt", "published")
                .leaf(
                        "dd",
                        finding.published().isPresent()
                                ? metric.show(finding.published().getAsDouble())
                                : "–");
        html.leaf("dt", "measured")
                .open("dd")
                .leaf("strong", metric.show(finding.measured().mean()));
        if (finding.measured().halfWidth() > 0) {
            html.leaf(
                    "span",
                    " ±\u00a0"
                            + metric.showHalf(
                                    finding.measured().halfWidth(),
                                    finding.measured().mean()),
                    "class",
                    "plusminus");
        }
        html.close().close();
        IntervalPlot.draw(html, finding);
        html.leaf("div", verdict(finding) + (finding.holds() ? " holds" : " does not hold"), "class", "verdict");
        html.open("p", "class", "note");
        html.leaf(
                "span",
                (finding.setting().isBlank() ? "" : finding.setting() + " · ") + Humane.amount(finding.seeds(), "seed"),
                "class",
                "where");
        if (!finding.note().isBlank()) {
            html.text(Words.together(finding.note()));
        }
        html.close().close();
    }

    private static String against(Finding finding) {
        return finding.policy() + (finding.baseline().isBlank() ? "" : " against " + finding.baseline());
    }

    private static void parameters(Html html, List<Parameter> parameters) {
        html.open("div", "class", "scroll").open("table", "class", "setting").open("tbody");
        for (Parameter parameter : parameters) {
            html.open("tr").leaf("th", parameter.name(), "scope", "row").leaf("td", parameter.value());
            html.open("td");
            tag(html, parameter.source());
            html.close().close();
        }
        html.close().close().close();
    }

    private static void tag(Html html, Parameter.Source source) {
        String cssClass = source.name().toLowerCase(Locale.ROOT).replace('_', '-');
        html.leaf("span", source.words(), "class", "tag " + cssClass);
    }

    private static void reading(Html html) {
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
        for (Parameter.Source source : Parameter.Source.values()) {
            html.open("p");
            tag(html, source);
            html.text(" " + meaning(source)).close();
        }
        html.close().close().close();
    }

    private static String meaning(Parameter.Source source) {
        return switch (source) {
            case PUBLISHED -> "stands in the paper.";
            case AUTHORS_CODE -> "stands in what the authors released.";
            case CALIBRATED -> "set so that a figure in the paper comes out.";
            case ASSUMED -> "ours: nothing was said.";
        };
    }
}
