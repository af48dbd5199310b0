package dev.fermata.cli.browser;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.cli.Fermata;
import dev.fermata.cli.option.Invocation;
import dev.fermata.insight.exit.Interruption;
import dev.fermata.report.text.Screen;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page as people see it: in a real browser, from a file, without a network. */
class ReportInBrowserTest {
    private static final String NASTY = "</title><script>document.title='owned'</script>";
    private static final String VIEW = "document.querySelector('figure.gantt').dataset.view.split(' ').map(Number)";

    @TempDir
    private static Path folder;

    private static Browser browser;

    @BeforeAll
    static void writeAPageAndOpenABrowser() throws Exception {
        Path trace = folder.resolve("trace.csv");
        StringBuilder jobs = new StringBuilder("id,submit_s,gpus,duration_s,name,class\n");
        for (int i = 0; i < 60; i++) {
            String name = i % 3 == 0 ? NASTY : i % 3 == 1 ? "\u05e9\u05dc\u05d5\u05dd \ud83d\ude80" : "plain";
            jobs.append("j" + i + "," + i * 50 + "," + (1 + i % 4) + "," + (100 + i * 37 % 900) + ",\"" + name + "\","
                    + (i % 5 == 0 ? "trial" : "batch") + "\n");
        }
        jobs.append("toolarge,10,4000,5,never,batch\n");
        Files.writeString(trace, jobs);
        StringWriter err = new StringWriter();
        int code = Fermata.execute(
                new Invocation(Map.of(), folder, Screen.PIPE, new Interruption()),
                new PrintWriter(new StringWriter()),
                new PrintWriter(err),
                "compare",
                "--workload",
                trace.toString(),
                "--cluster",
                "2x4",
                "--policies",
                "fifo,srtf,fermata",
                "--vary",
                "costs=none,scale:4",
                "--report",
                folder.resolve("page.html").toString());
        assertThat(code).as(err.toString()).isZero();
        browser = Browser.start();
    }

    @AfterAll
    static void closeIt() throws Exception {
        if (browser != null) {
            browser.close();
        }
    }

    @BeforeEach
    void open() throws Exception {
        browser.open(folder.resolve("page.html"), 1200, 900);
    }

    @Test
    void opensWithoutErrorsOrRequests() throws Exception {
        assertThat(browser.evaluate("document.title").asText()).isEqualTo("Fermata: 3 policies compared");
        assertThat(browser.evaluate("document.querySelectorAll('svg.chart').length")
                        .asInt())
                .isGreaterThan(15);
        assertThat(browser.consoleErrors()).isEmpty();
        assertThat(browser.requests()).isNotEmpty().allMatch(url -> url.endsWith("/page.html"));
    }

    @Test
    void zoomsAndMovesByButtonsKeysAndMouse() throws Exception {
        JsonNode whole = browser.evaluate(VIEW);
        browser.evaluate("document.querySelector('.controls button').click()");
        JsonNode closer = browser.evaluate(VIEW);
        assertThat(closer.get(1).asDouble()).isEqualTo(whole.get(1).asDouble() / 2);

        browser.evaluate("document.querySelector('figure.gantt svg.chart').focus()");
        browser.key("+");
        JsonNode closest = browser.evaluate(VIEW);
        assertThat(closest.get(1).asDouble()).isEqualTo(whole.get(1).asDouble() / 4);
        browser.key("ArrowRight");
        assertThat(browser.evaluate(VIEW).get(0).asDouble())
                .isGreaterThan(closest.get(0).asDouble());
        JsonNode area = browser.evaluate("(function () { var w = document.querySelector('figure.gantt svg.window');"
                + "w.scrollIntoView({block: 'center', behavior: 'instant'});"
                + "var b = w.getBoundingClientRect(); return [b.left + b.width / 2, b.top + b.height / 2]; })()");
        double before = browser.evaluate(VIEW).get(0).asDouble();
        browser.mouse("mousePressed", area.get(0).asDouble(), area.get(1).asDouble(), 1);
        browser.mouse("mouseMoved", area.get(0).asDouble() + 60, area.get(1).asDouble(), 1);
        browser.mouse("mouseReleased", area.get(0).asDouble() + 60, area.get(1).asDouble(), 0);
        assertThat(browser.evaluate(VIEW).get(0).asDouble()).as("dragged").isLessThan(before);
        String labels = browser.evaluate("document.querySelector('figure.gantt g.ticks text').textContent")
                .asText();
        browser.key("0");
        assertThat(browser.evaluate(VIEW)).isEqualTo(whole);
        assertThat(browser.evaluate("document.querySelector('figure.gantt g.ticks text').textContent")
                        .asText())
                .isEqualTo("0")
                .isNotEqualTo(labels);
        assertThat(browser.consoleErrors()).isEmpty();
    }

    @Test
    void hoveringAJobShowsItsDetails() throws Exception {
        JsonNode place = browser.evaluate("(function () {"
                + "var r = document.querySelector('figure.gantt g.described rect');"
                + "r.scrollIntoView({block: 'center', behavior: 'instant'});"
                + "var b = r.getBoundingClientRect(); return [b.left + b.width / 2, b.top + b.height / 2]; })()");

        browser.mouse("mouseMoved", place.get(0).asDouble(), place.get(1).asDouble(), 0);

        assertThat(browser.evaluate("document.querySelector('figure.gantt output').textContent")
                        .asText())
                .startsWith("job ")
                .contains("GPU");
        assertThat(browser.consoleErrors()).isEmpty();
    }

    @Test
    void darkModeHasLightText() throws Exception {
        String letters = "getComputedStyle(document.querySelector('svg.chart text')).fill";
        String light = browser.evaluate(letters).asText();
        browser.emulateDarkMode(true);

        assertThat(browser.evaluate(letters).asText()).isNotEqualTo(light);
        assertThat(browser.evaluate("getComputedStyle(document.body).backgroundColor")
                        .asText())
                .isEqualTo("rgb(20, 23, 27)");
        browser.emulateDarkMode(false);
    }

    @Test
    void onAPhoneThePageIsNoWiderThanTheScreen() throws Exception {
        browser.open(folder.resolve("page.html"), 360, 800);

        assertThat(browser.evaluate("document.documentElement.scrollWidth").asInt())
                .isLessThanOrEqualTo(360);
    }
}
