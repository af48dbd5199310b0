package dev.fermata.research.report;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.insight.format.ResultTable;
import dev.fermata.report.html.ReportOrigin;
import dev.fermata.research.Finding;
import dev.fermata.research.Measurement;
import dev.fermata.research.ReproductionParameter;
import dev.fermata.research.ReproductionReport;
import dev.fermata.sim.experiment.ConfidenceInterval;
import java.io.ByteArrayInputStream;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

class ReproductionPageTest {
    private static final String NASTY = "</style><script src=\"http://evil.example/x.js\">alert('&')</script>";

    @Test
    void thePageIsWellFormedAndItsLinksLeadSomewhere() throws Exception {
        Document page = parse(page(chapter("one"), chapter("two")));

        List<String> ids = attributes(page, "*", "id");
        assertThat(ids).doesNotHaveDuplicates().contains("summary", "one", "two", "one-finding-1", "two-setting");
        List<String> links = attributes(page, "a", "href");
        assertThat(links)
                .hasSizeGreaterThan(8)
                .allMatch(link -> link.startsWith("#") && ids.contains(link.substring(1)));
    }

    @Test
    void nothingIsLoadedFromElsewhere() throws Exception {
        String html = page(chapter("one"));
        Document page = parse(html);

        for (String tag : List.of("script", "link", "img", "iframe", "object", "embed", "base")) {
            assertThat(page.getElementsByTagName(tag).getLength()).as(tag).isZero();
        }
        assertThat(attributes(page, "*", "src")).isEmpty();
        assertThat(page.getElementsByTagName("style").item(0).getTextContent())
                .doesNotContain("url(", "@import", "http:", "https:");
    }

    @Test
    void foreignTextIsEscaped() throws Exception {
        Document page = parse(page(chapter("one")));

        assertThat(page.getElementsByTagName("h2").item(2).getTextContent()).isEqualTo("one");
        assertThat(page.getDocumentElement().getTextContent()).contains(NASTY);
    }

    @Test
    void theDrawingShowsPublishedMeasuredAndInterval() throws Exception {
        Document page = parse(page(chapter("one")));

        NodeList plots = page.getElementsByTagName("svg");
        assertThat(plots.getLength()).as("nothing to draw for a lone number").isEqualTo(1);
        Element plot = (Element) plots.item(0);
        assertThat(plot.getAttribute("aria-label"))
                .isEqualTo("published 50.0 %, measured 40.0 %, between 30.0 % and 50.0 %");
        // 0 to 53 % over 216 units from 22 on
        Element dot = (Element) plot.getElementsByTagName("circle").item(0);
        assertThat(dot.getAttribute("cx")).isEqualTo("185.02");
        assertThat(((Element) plot.getElementsByTagName("path").item(0)).getAttribute("d"))
                .startsWith("M225.77 ");
    }

    @Test
    void publishedFiguresAndOurOwnMeasurementsStandApart() throws Exception {
        Document page = parse(page(chapter("one")));

        assertThat(attributes(page, "article", "class")).containsExactly("finding inside", "finding measured");
        assertThat(attributes(page, "h3", "id")).containsSubsequence("one-findings", "one-own");
        assertThat(page.getDocumentElement().getTextContent())
                .contains("published\u00a0figures:\u00a01\u00a0inside", "1 own measurement", "3 queues");
    }

    @Test
    void barsAreAsLongAsTheirNumbers() throws Exception {
        Document page = parse(page(chapter("one")));

        assertThat(attributes(page, "i", "style")).containsExactly("width:100%", "width:25%");
        List<String> rows = attributes(page, "tr", "class");
        assertThat(rows).contains("own");
    }

    @Test
    void theFooterSaysWhatMadeIt() {
        assertThat(page(chapter("one"))).contains("fermata reproduce &#39;a b&#39;", "fermata 9.9", "1..3");
    }

    private static String page(ReproductionReport... chapters) {
        ReportOrigin origin = ReportOrigin.of(List.of("reproduce", "a b"), "fermata 9.9", List.of(1L, 2L, 3L));
        return new ReproductionPage(List.of(chapters), origin).html();
    }

    private static ReproductionReport chapter(String paper) {
        return new ReproductionReport(
                paper,
                NASTY,
                List.of(ReproductionParameter.calibrated(NASTY, NASTY)),
                List.of(new ResultTable(
                        NASTY,
                        List.of("policy", "mean JCT", NASTY),
                        List.of(List.of(paper, "4m00s", NASTY), List.of("fifo", "1m00s", "")))),
                List.of(
                        Finding.published(
                                paper,
                                "jctReduction",
                                paper,
                                "fifo",
                                0.5,
                                new Measurement(new ConfidenceInterval(0.4, 0.1), 3, "queue"),
                                NASTY,
                                NASTY),
                        Finding.measurement(
                                paper,
                                "oomFailures",
                                paper,
                                new Measurement(new ConfidenceInterval(0, 0), 3, "queue"),
                                "",
                                "")));
    }

    private static Document parse(String html) throws Exception {
        DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
        return factory.newDocumentBuilder().parse(new ByteArrayInputStream(html.getBytes(UTF_8)));
    }

    private static List<String> attributes(Document page, String tag, String name) {
        List<String> values = new ArrayList<>();
        NodeList elements = page.getElementsByTagName(tag);
        for (int i = 0; i < elements.getLength(); i++) {
            Element element = (Element) elements.item(i);
            if (element.hasAttribute(name)) {
                values.add(element.getAttribute(name));
            }
        }
        return values;
    }
}
