package dev.fermata.cli.browser;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.cli.remote.RunningDaemon;
import java.net.URI;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The page of a running daemon as people use it: in a real browser, with real jobs. */
class WebPageInBrowserTest {
    private static final String NASTY = "<img src=x onerror=document.title=1>";

    @TempDir
    private static Path folder;

    private static RunningDaemon daemon;
    private static Browser browser;
    private static String running;
    private static String waiting;

    @BeforeAll
    static void startADaemonWithJobsAndLogIn() throws Exception {
        daemon = RunningDaemon.start(folder);
        running = daemon.submit("--gpus", "2", "--name", "first", "--time", "10m", "--", "echo hello; sleep 600");
        waiting = daemon.submit("--gpus", "2", "--name", NASTY, "--time", "10m", "--", "sleep 600");
        browser = Browser.start();
        open(daemon.run("web", "--print").out().strip());
        browser.waitFor("document.querySelector('.figure')");
    }

    @AfterAll
    static void stop() throws Exception {
        browser.close();
        daemon.close();
    }

    private static void open(String address) throws Exception {
        browser.open(URI.create(address), 1280, 900);
    }

    private static String text() throws Exception {
        return browser.evaluate("document.body.innerText").asText();
    }

    @Test
    void theCodeIsGoneFromTheAddressAndTheOverviewIsShown() throws Exception {
        open(daemon.url() + "/");
        browser.waitFor("document.querySelectorAll('table tbody tr').length === 2");

        assertThat(browser.evaluate("location.href").asText()).isEqualTo(daemon.url() + "/");
        assertThat(text()).contains("2 of 2 GPUs busy", "1 job waiting", "1 job on GPUs", "first", NASTY);
    }

    @ParameterizedTest
    @CsvSource({
        "/jobs, .list-row:nth-child(2)",
        "/jobs?state=ended, .filters",
        "/pauses, .filters",
        "/shares, table tbody tr",
        "/nodes, .gpus li.busy",
        "/trust, .card"
    })
    void everyViewIsDrawnWithoutErrorsAndFitsAPhone(String path, String element) throws Exception {
        open(daemon.url() + path);
        browser.waitFor("document.querySelector('" + element + "')");
        assertThat(browser.evaluate("document.querySelectorAll('h1').length").asInt())
                .isEqualTo(1);

        browser.open(URI.create(daemon.url() + path), 320, 700);
        browser.waitFor("document.querySelector('h1')");
        assertThat(browser.evaluate("document.documentElement.scrollWidth").asInt())
                .isLessThanOrEqualTo(320);
        assertThat(browser.consoleErrors()).isEmpty();
        assertThat(browser.requests()).allMatch(url -> url.startsWith(daemon.url() + "/") || url.startsWith("about:"));
    }

    @Test
    void aJobSaysWhyItWaitsAndWhoIsInItsWayAndTextOfUsersStaysText() throws Exception {
        open(daemon.url() + "/jobs/" + waiting);
        browser.waitFor("document.querySelectorAll('.card').length >= 3");

        assertThat(text()).contains("RESOURCES", "needs 2 GPUs", "In the way", NASTY);
        assertThat(browser.evaluate("document.querySelectorAll('main img').length")
                        .asInt())
                .isZero();
        assertThat(browser.evaluate("[...document.querySelectorAll('table a')].map(a => a.textContent).join()")
                        .asText())
                .contains(running);
        assertThat(browser.evaluate("document.title").asText()).contains(NASTY);
    }

    @Test
    void aHeldJobAndACancelledOneAreShownWithoutReload() throws Exception {
        String job = daemon.submit("--gpus", "1", "--name", "third", "--", "sleep 600");
        open(daemon.url() + "/jobs/" + job);
        browser.waitFor("[...document.querySelectorAll('button')].some(b => b.textContent === 'Hold')");
        click("Hold");
        browser.waitFor("document.body.innerText.includes('is on hold')");
        click("Cancel");
        assertThat(text()).contains("Ends the job.");
        click("Cancel");
        browser.waitFor("document.body.innerText.includes('cancelled')");

        assertThat(daemon.run("describe", job).out()).contains("CANCELLED");
    }

    private static void click(String label) throws Exception {
        browser.evaluate("[...document.querySelectorAll('main button')].find(b => b.textContent.trim() === '" + label
                + "').click()");
    }

    @Test
    void whatIsSubmittedElsewhereAppears() throws Exception {
        open(daemon.url() + "/jobs");
        browser.waitFor("document.querySelector('.list-row:nth-child(2)')");
        String job = daemon.submit("--gpus", "1", "--name", "newcomer", "--", "sleep 600");

        browser.waitFor("document.body.innerText.includes('newcomer')");
        daemon.run("cancel", job);
    }

    @Test
    void linksChangeTheViewWithoutLoadingThePageAgain() throws Exception {
        open(daemon.url() + "/");
        browser.waitFor("document.querySelector('nav a')");
        browser.evaluate("window.mark = 7");
        browser.evaluate("[...document.querySelectorAll('nav a')].find(a => a.textContent === 'Nodes').click()");
        browser.waitFor("document.querySelector('.gpus li')");
        assertThat(browser.evaluate("location.pathname + window.mark").asText()).isEqualTo("/nodes7");
        browser.evaluate("history.back()");
        browser.waitFor("location.pathname === '/' && document.querySelector('.bar')");
    }
}
