package dev.fermata.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.core.scheduler.GuardMode;
import dev.fermata.sim.cluster.ClusterSpec;
import dev.fermata.sim.engine.Faults;
import dev.fermata.sim.experiment.Experiment;
import dev.fermata.sim.experiment.RunResult;
import dev.fermata.sim.recording.RunRecording;
import dev.fermata.sim.workload.WorkloadSpec;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import javax.imageio.ImageIO;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** {@code --report} of simulate and compare, as files. */
class ReportOptionTest {
    private static final String SMALL = "synthetic:jobs=150,load=1.3";

    @TempDir
    private Path folder;

    @Test
    void thePageIsWellFormedSelfContainedAndItsLinksLeadSomewhere() throws Exception {
        Document page =
                parse(report("compare", "--policies", "fifo,srtf", "--vary", "load=0.7,1.3", "--seeds", "1..2"));

        List<String> ids = attributes(page, "*", "id");
        assertThat(ids)
                .doesNotHaveDuplicates()
                .contains("sensitivity", "summary", "gantt", "pauses", "series-2", "notes");
        assertThat(attributes(page, "a", "href"))
                .isNotEmpty()
                .allMatch(link -> link.startsWith("#") && ids.contains(link.substring(1)));
        assertThat(attributes(page, "*", "src")).isEmpty();
        for (String tag : List.of("link", "img", "iframe", "object", "embed", "base")) {
            assertThat(page.getElementsByTagName(tag).getLength()).as(tag).isZero();
        }
        assertThat(attributes(page, "*", "fill"))
                .filteredOn(fill -> fill.startsWith("url("))
                .isNotEmpty()
                .allMatch(fill -> ids.contains(fill.substring(5, fill.length() - 1)));
        NodeList charts = page.getElementsByTagName("svg");
        for (int i = 0; i < charts.getLength(); i++) {
            Element chart = (Element) charts.item(i);
            if (chart.getAttribute("class").equals("chart")) {
                assertThat(ids).contains(chart.getAttribute("aria-labelledby"), chart.getAttribute("aria-describedby"));
            }
        }
        assertThat(page.getDocumentElement().getTextContent())
                .contains("fermata compare --policies fifo,srtf", "lower bound", "1..2")
                .doesNotContain("NaN", "Infinity");
    }

    @Test
    void theSameCommandWritesTheSameBytes() throws Exception {
        String[] command = {"compare", "--policies", "las,fermata", "--seeds", "1..2", "--threads", "2"};
        report(command);
        Map<String, List<Byte>> first = files();
        report(command);

        assertThat(files()).isEqualTo(first);
        assertThat(first.keySet())
                .contains(
                        "r.html",
                        "r-summary.csv",
                        "r-cdf.csv",
                        "r-series.csv",
                        "r-waits.csv",
                        "r-preemptions.csv",
                        "r-gantt.csv",
                        "r-jct-cdf.png",
                        "r-utilisation.png",
                        "r-gantt-1.png");
    }

    @Test
    void picturesAreLargeEnoughForPaperAndNotBlank() throws Exception {
        report("simulate", "--policy", "srtf");

        for (String name : List.of("jct-cdf", "wait-cdf", "utilisation", "queue-jobs", "gantt-1", "waits-by-size")) {
            BufferedImage picture =
                    ImageIO.read(folder.resolve("r-" + name + ".png").toFile());
            assertThat(picture.getWidth()).as(name).isEqualTo(2 * (760 + 12));
            assertThat(picture.getHeight()).as(name).isGreaterThan(200);
            Set<Integer> colours = new HashSet<>();
            for (int x = 0; x < picture.getWidth(); x += 3) {
                for (int y = 0; y < picture.getHeight(); y += 3) {
                    colours.add(picture.getRGB(x, y));
                }
            }
            assertThat(colours).as(name).hasSizeGreaterThan(5).contains(0xffffffff);
        }
    }

    @Test
    void curvesOfTheTableRiseToOneForEveryRun() throws Exception {
        report("compare", "--policies", "fifo,srtf", "--seeds", "1..2");

        List<String> lines = Files.readAllLines(folder.resolve("r-cdf.csv"));
        assertThat(lines.get(0)).isEqualTo("variation,policy,seed,measure,seconds,share");
        Map<String, Double> last = new TreeMap<>();
        for (String line : lines.subList(1, lines.size())) {
            String[] cells = line.split(",", -1);
            String run = cells[1] + cells[2] + cells[3];
            double share = Double.parseDouble(cells[5]);
            assertThat(share).isGreaterThanOrEqualTo(last.getOrDefault(run, 0.0));
            last.put(run, share);
        }
        assertThat(last).hasSize(8);
        assertThat(last.values()).containsOnly(1.0);
    }

    @Test
    void extremeWorkloadsMakeAPage() throws Exception {
        for (String jobs :
                List.of("a,0,1,10\n", "a,0,1,10\nb,100,1,10\n", "a,0,1,900000000\nb,0,8,1\nwide,5,64,10\n")) {
            Path trace = folder.resolve("trace.csv");
            Files.writeString(trace, "id,submit_s,gpus,duration_s\n" + jobs);

            CommandRun run = CommandRun.of(
                    "simulate",
                    "--cluster",
                    "1x8",
                    "--workload",
                    trace.toString(),
                    "--report",
                    folder.resolve("r.html").toString());

            assertThat(run.code()).as(run.err()).isZero();
            assertThat(parse(Files.readString(folder.resolve("r.html")))
                            .getDocumentElement()
                            .getTextContent())
                    .doesNotContain("NaN", "Infinity");
        }
        assertThat(Files.readString(folder.resolve("r.html"))).contains("1 job can never run here");
    }

    @Test
    void savedRunsAreDrawnAndThoseWithoutARecordingAreRunAgain() throws Exception {
        String[] plain = {
            "compare",
            "--policies",
            "fifo,srtf",
            "--workload",
            SMALL,
            "--cluster",
            "2x8:V100",
            "--save",
            folder.resolve("saved.runs").toString()
        };
        assertThat(CommandRun.of(plain).code()).isZero();
        String[] drawn = {
            "compare",
            "--policies",
            "fifo,srtf",
            "--save",
            folder.resolve("saved.runs").toString()
        };
        report(drawn);
        Map<String, List<Byte>> first = files();
        report(drawn);

        assertThat(files()).as("drawn from what was saved").isEqualTo(first);
        assertThat(first.keySet()).contains("r-series.csv", "r-gantt-2.png");
    }

    @Test
    void severalKeysVariedGiveALineForEachCombination() throws Exception {
        String page =
                report("compare", "--policies", "fifo,srtf", "--vary", "load=0.7,1.3", "--vary", "costs=none,scale:4");

        assertThat(parse(page).getDocumentElement().getTextContent())
                .contains(
                        "Mean completion time against load",
                        "srtf* costs=none",
                        "srtf* costs=scale:4",
                        "load=0.7, costs=none");
    }

    @Test
    void estimatorsArePlottedAtTheirError() throws Exception {
        String page = report("compare", "--policies", "srtf,las", "--vary", "estimator=noisy:1,oracle,none");

        assertThat(parse(page).getDocumentElement().getTextContent())
                .contains(
                        "Mean completion time against how wrong estimates were", "oracle 1.00×", "estimates wrong by");
        String axis = page.substring(page.indexOf("plot-sensitivity-error-title"));
        assertThat(axis.indexOf(">oracle<")).isPositive().isLessThan(axis.indexOf(">noisy:1<"));
    }

    @Test
    void theWorkloadIsNeverOverwritten() throws Exception {
        Path trace = folder.resolve("trace.csv");
        Files.writeString(trace, "id,submit_s,gpus,duration_s\na,0,1,10\n");

        CommandRun run = CommandRun.of("simulate", "--workload", trace.toString(), "--report", trace.toString());

        assertThat(run.code()).isEqualTo(2);
    }

    @Test
    void aRunWithItsRecordingSurvivesBeingWrittenAndRead() throws Exception {
        var topology = ClusterSpec.parse("4x8:V100");
        RunResult run = new Experiment(
                        "4x8:V100",
                        topology,
                        WorkloadSpec.generate(SMALL, topology, 1),
                        PolicySpec.parse("fermata"),
                        "oracle",
                        Faults.FaultRates.NONE,
                        1,
                        GuardMode.PLAN)
                .run(1, Experiment.RunObserver.NONE, Optional.of(new RunRecording.RecordingDetail(16, 500)));
        // As saved runs are read: figures that follow from others are written and not read.
        ObjectMapper json = new ObjectMapper().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

        assertThat(json.readValue(json.writeValueAsString(run), RunResult.class))
                .isEqualTo(run);
    }

    private String report(String... command) throws IOException {
        List<String> args = new ArrayList<>(List.of(command));
        args.addAll(List.of("--workload", SMALL, "--cluster", "2x8:V100", "--quiet"));
        args.addAll(List.of("--report", folder.resolve("r.html").toString()));
        CommandRun run = CommandRun.of(args.toArray(String[]::new));
        assertThat(run.code()).as(run.err()).isZero();
        assertThat(run.err()).isEmpty();
        return Files.readString(folder.resolve("r.html"));
    }

    private Map<String, List<Byte>> files() throws IOException {
        Map<String, List<Byte>> files = new TreeMap<>();
        try (var list = Files.list(folder)) {
            for (Path file : list.toList()) {
                List<Byte> bytes = new ArrayList<>();
                for (byte b : Files.readAllBytes(file)) {
                    bytes.add(b);
                }
                files.put(String.valueOf(file.getFileName()), bytes);
            }
        }
        return files;
    }

    private static Document parse(String html) throws Exception {
        return DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new ByteArrayInputStream(html.getBytes(UTF_8)));
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
