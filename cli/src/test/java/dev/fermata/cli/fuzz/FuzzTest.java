package dev.fermata.cli.fuzz;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A coverage-guided fuzzer (Jazzer) on the readers and on the HTTP API, for some seconds. With {@code
 * -Dfermata.fuzz.seconds=600} it runs for that time; what it finds is written to the folder of {@code
 * -Dfermata.fuzz.folder}.
 */
class FuzzTest {
    private static final Logger LOG = LoggerFactory.getLogger(FuzzTest.class);
    private static final long SECONDS = Long.getLong("fermata.fuzz.seconds", 15);
    private static final String FOLDER = System.getProperty("fermata.fuzz.folder", "");
    private static final Pattern DONE = Pattern.compile("Done (\\d+) (?:runs )?in (\\d+) second");
    private static final Pattern COVERAGE = Pattern.compile("(?s).*cov: (\\d+) ft: (\\d+) corp: (\\d+)");

    @TempDir
    Path temporary;

    @Test
    void readersAnswerOrRefuseEveryInput() throws Exception {
        run(ReaderFuzz.class, FuzzSeeds.TEXTS);
    }

    @Test
    void daemonAnswersEveryRequest() throws Exception {
        run(HttpFuzz.class, FuzzSeeds.REQUESTS);
    }

    private void run(Class<?> target, List<String> seeds) throws Exception {
        Path folder = (FOLDER.isEmpty() ? temporary : Path.of(FOLDER)).resolve(target.getSimpleName());
        Path corpus = Files.createDirectories(folder.resolve("corpus"));
        FuzzSeeds.write(corpus, seeds);
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx512m",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                "com.code_intelligence.jazzer.Jazzer",
                "--target_class=" + target.getName(),
                "--instrumentation_includes=dev.fermata.**",
                // A pattern of a user is a regular expression on purpose, with a bounded cost; the target calls its own
                // daemon.
                "--disabled_hooks=com.code_intelligence.jazzer.sanitizers.RegexInjection"
                        + ":com.code_intelligence.jazzer.sanitizers.ServerSideRequestForgery",
                "-seed=1",
                "-max_len=4096",
                "-timeout=60",
                "-rss_limit_mb=3000"));
        command.add("-max_total_time=" + SECONDS);
        command.add(corpus.toString());
        Path out = folder.resolve("out");
        Process fuzzer = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(out.toFile())
                .start();
        int code = fuzzer.waitFor();

        String text = Files.readString(out, java.nio.charset.StandardCharsets.ISO_8859_1);
        LOG.info("{}: {}", target.getSimpleName(), summary(text));
        assertThat(code).as(finding(text)).isZero();
        assertThat(text).as("it has run").containsPattern(DONE);
    }

    private static String summary(String text) {
        Matcher coverage = COVERAGE.matcher(text);
        Matcher done = DONE.matcher(text);
        return (done.find() ? done.group() : "not done")
                + (coverage.find() ? ", coverage " + coverage.group(1) + " edges, corpus " + coverage.group(3) : "");
    }

    /** From the exception on. */
    private static String finding(String text) throws IOException {
        int from = Math.max(0, text.indexOf("Java Exception"));
        byte[] bytes = text.substring(from).getBytes(UTF_8);
        return new String(bytes, 0, Math.min(bytes.length, 6_000), UTF_8);
    }
}
