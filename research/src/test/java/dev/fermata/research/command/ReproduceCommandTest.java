package dev.fermata.research.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.fermata.cli.CommandRun;
import dev.fermata.cli.option.Invocation;
import dev.fermata.insight.exit.Interruption;
import dev.fermata.report.text.Screen;
import dev.fermata.research.ExperimentRunner;
import dev.fermata.research.Reproduction;
import dev.fermata.research.ReproductionReport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class ReproduceCommandTest {
    private static final List<Reproduction> TINY = List.of(new TinyReproduction("tiny"), new TinyReproduction("small"));

    @TempDir
    private Path folder;

    /** A reproduction whose one unit does what the test says. */
    private record OneUnitReproduction(String paper, Consumer<ExperimentRunner> work) implements Reproduction {
        @Override
        public int workUnits(int seeds) {
            return 1;
        }

        @Override
        public ReproductionReport reproduce(ExperimentRunner lab) {
            lab.runAll(List.of(new ExperimentRunner.WorkUnit<>("unit", () -> {
                work.accept(lab);
                return "done";
            })));
            return new ReproductionReport(paper, "", List.of(), List.of(), List.of());
        }
    }

    @Test
    void jsonIsAListOfFindingsWithTheKeysOfTheContract() throws IOException {
        CommandRun run = reproduce("tiny", "-o", "json", "--seeds", "1..2");

        assertThat(run.code()).isZero();
        JsonNode findings = new ObjectMapper().readTree(run.out());
        assertThat(findings).hasSize(2);
        List<String> keys = new ArrayList<>();
        findings.get(0).fieldNames().forEachRemaining(keys::add);
        assertThat(keys)
                .containsExactly(
                        "paper",
                        "metric",
                        "policy",
                        "baseline",
                        "published",
                        "measured",
                        "ci95",
                        "comparison",
                        "samples",
                        "sampleUnit",
                        "setting",
                        "note");
        JsonNode first = findings.get(0);
        assertThat(first.get("published").asDouble()).isEqualTo(0.01);
        assertThat(first.get("samples").asInt()).isEqualTo(2);
        assertThat(first.get("sampleUnit").asText()).isEqualTo("seed");
        assertThat(first.get("comparison").asText()).isIn("inside", "better", "worse");
        assertThat(findings.get(1).get("comparison").asText()).isIn("ahead", "level", "behind");
        assertThat(first.get("ci95").get(0).asDouble())
                .isLessThan(first.get("measured").asDouble());
        assertThat(first.get("ci95").get(1).asDouble())
                .isGreaterThan(first.get("measured").asDouble());
        assertThat(findings.get(1).get("published").isNull()).isTrue();
    }

    @Test
    void sameCommandAndSeedsPrintTheSameBytesWhateverTheThreads() {
        for (String format : List.of("table", "wide", "json", "csv", "yaml")) {
            assertThat(reproduce("all", "-o", format, "--threads", "3").out())
                    .isEqualTo(reproduce("all", "-o", format, "--threads", "1").out())
                    .isNotEmpty();
        }
    }

    @Test
    void csvHasALinePerFindingAndLeavesTheUnknownEmpty() {
        CommandRun run = reproduce("all", "-o", "csv");

        assertThat(run.lines()).hasSize(5);
        assertThat(run.lines().get(0))
                .isEqualTo(
                        "paper,metric,policy,baseline,published,measured,ci95Low,ci95High,comparison,samples,sampleUnit,setting,note");
        assertThat(run.lines().get(2)).startsWith("tiny,meanJctFactor,srtf,fifo,,");
        assertThat(run.lines().get(3)).startsWith("small,");
    }

    @Test
    void theTableShowsClaimSettingSheetAndFindings() {
        CommandRun run = reproduce("tiny");

        assertThat(run.code()).isZero();
        assertThat(run.out())
                .contains(
                        "tiny: shortest first", "assumed", "Mean completion time", "mean JCT reduction", " ±", "1.00 %")
                .contains(
                        "Published figures: 0 inside, 1 better, 0 worse",
                        "seeds 1..5",
                        "1 own measurement not counted");
        assertThat(run.lines())
                .anyMatch(line -> line.startsWith("  ") && line.contains("A factor, <b>not</b> a share."));
    }

    @Test
    void aPipeGetsPlainLinesAndQuietGetsNone() {
        assertThat(reproduce("all").err().lines())
                .anyMatch(line -> line.startsWith("tiny (1 of 2): 10 work units"))
                .anyMatch(line -> line.startsWith("small: published figures: 0 inside, 1 better, 0 worse, in "))
                .noneMatch(line -> line.contains("\r"));
        assertThat(reproduce("all", "--quiet").err()).isEmpty();
    }

    @Test
    void anUnknownPaperIsNamedWithASuggestion() {
        CommandRun run = reproduce("tinny");

        assertThat(run.code()).isEqualTo(2);
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).contains("'tinny'", "Did you mean 'tiny'");
        assertThat(reproduce("nothing-like-it").err()).contains("Known: tiny, small, all.");
        assertThat(reproduce().code()).isEqualTo(2);
    }

    @Test
    void anInterruptionPrintsTheChaptersThatAreComplete() {
        Interruption interruption = new Interruption();
        Path report = folder.resolve("report.html");

        CommandRun run = run(
                List.of(
                        new TinyReproduction("tiny"),
                        new OneUnitReproduction("cut", lab -> interruption.request()),
                        new TinyReproduction("never")),
                interruption,
                "all",
                "-o",
                "csv",
                "--report",
                report.toString());

        assertThat(run.code()).isEqualTo(130);
        assertThat(run.lines()).hasSize(3).last().asString().startsWith("tiny,");
        assertThat(run.err()).contains("2 of 3 papers were done; no report was written");
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void anInterruptionDoesNotWaitForAUnitThatIgnoresIt() {
        Interruption interruption = new Interruption();
        CountDownLatch never = new CountDownLatch(1);

        CommandRun run = run(
                List.of(new OneUnitReproduction("deaf", lab -> {
                    interruption.request();
                    try {
                        never.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                })),
                interruption,
                "deaf");

        assertThat(run.code()).isEqualTo(130);
        assertThat(run.err()).contains("0 of 1 papers");
    }

    @Test
    void aFailureStillPrintsTheChaptersThatAreComplete() {
        CommandRun run = run(
                List.of(new TinyReproduction("tiny"), new OneUnitReproduction("broken", lab -> {
                    throw new IllegalStateException("out of order");
                })),
                new Interruption(),
                "all",
                "-o",
                "csv");

        assertThat(run.code()).isEqualTo(1);
        assertThat(run.lines()).hasSize(3);
        assertThat(run.err()).contains("out of order");
    }

    @Test
    void theReportIsWrittenAndNamesTheCommandThatMadeIt() throws IOException {
        Path report = folder.resolve("a report.html");

        CommandRun run = reproduce("all", "--seeds", "1,3", "--report", report.toString());

        assertThat(run.code()).isZero();
        String html = Files.readString(report);
        assertThat(html)
                .contains(
                        "reproduce all --seeds 1,3 --report &#39;" + report + "&#39;",
                        "published\u00a0figures:\u00a02\u00a0inside,\u00a00\u00a0better,\u00a00\u00a0worse")
                .contains("shortest first is &lt;faster&gt; &amp; that&#39;s &quot;it&quot;")
                .doesNotContain("<b>not</b>");
        reproduce("all", "--seeds", "1,3", "--report", report.toString());
        assertThat(report).as("made again, whatever was there").hasContent(html);
    }

    @Test
    void aReportThatCannotBeWrittenIsRefusedBeforeTheWork() {
        boolean[] worked = new boolean[1];
        CommandRun run = run(
                List.of(new OneUnitReproduction("work", lab -> worked[0] = true)),
                new Interruption(),
                "work",
                "--report",
                folder.resolve("no/such/folder.html").toString());

        assertThat(run.code()).isEqualTo(1);
        assertThat(run.err()).contains("does not exist").doesNotContain("\tat ");
        assertThat(worked[0]).isFalse();
    }

    @Test
    void theFolderOfTracesReachesTheReproduction() {
        List<Path> seen = new ArrayList<>();
        List<Reproduction> one = List.of(new OneUnitReproduction("work", lab -> {
            if (lab.data() != null) {
                seen.add(lab.data());
            }
        }));

        assertThat(run(one, new Interruption(), "work").code()).isZero();
        assertThat(seen).as("none is named").isEmpty();
        assertThat(run(one, new Interruption(), "work", "--data", folder.toString())
                        .code())
                .isZero();
        assertThat(seen).containsExactly(folder);
        CommandRun wrong = run(one, new Interruption(), "work", "--data", "no-such-folder");
        assertThat(wrong.code()).isEqualTo(2);
        assertThat(wrong.err()).contains("--data (no-such-folder) is no folder");
    }

    @Test
    void aTerminalGetsEverythingWithoutTheBarInIt() {
        CommandRun run = CommandRun.in(
                new Invocation(Map.of(), Path.of("no-such-folder"), new Screen(true, true, 80), new Interruption()),
                List.of(around -> List.of(new CommandLine(new ReproduceCommand(around, () -> TINY)))),
                "reproduce",
                "tiny");

        assertThat(run.out()).contains("\u001b[1m").doesNotContain("\r");
        assertThat(run.lines())
                .noneMatch(line -> line.replaceAll("\u001b\\[[0-9]+m", "").length() > 80);
    }

    private static CommandRun reproduce(String... args) {
        return run(TINY, new Interruption(), args);
    }

    private static CommandRun run(List<Reproduction> known, Interruption interruption, String... args) {
        String[] all = new String[args.length + 1];
        all[0] = "reproduce";
        System.arraycopy(args, 0, all, 1, args.length);
        return CommandRun.in(
                new Invocation(Map.of(), Path.of("no-such-folder"), Screen.PIPE, interruption),
                List.of(around -> List.of(new CommandLine(new ReproduceCommand(around, () -> known)))),
                all);
    }
}
