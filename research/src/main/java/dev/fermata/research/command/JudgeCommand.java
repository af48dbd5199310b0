package dev.fermata.research.command;

import dev.fermata.cli.option.FermataCommand;
import dev.fermata.cli.option.Invocation;
import dev.fermata.cli.option.OutputOptions;
import dev.fermata.cli.option.SaveOptions;
import dev.fermata.cli.option.ThreadOptions;
import dev.fermata.cli.option.Version;
import dev.fermata.cli.output.ProgressDisplay;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.insight.exit.ExitCode;
import dev.fermata.insight.exit.UserError;
import dev.fermata.insight.file.AtomicFile;
import dev.fermata.insight.format.ResultTable;
import dev.fermata.insight.input.ModelErrorInput;
import dev.fermata.insight.input.PolicyList;
import dev.fermata.insight.input.SeedList;
import dev.fermata.report.html.ReportOrigin;
import dev.fermata.report.text.OutputFormat;
import dev.fermata.report.text.StructuredOutput;
import dev.fermata.report.text.TextTable;
import dev.fermata.research.judge.CellResult;
import dev.fermata.research.judge.JudgeCell;
import dev.fermata.research.judge.JudgeFiles;
import dev.fermata.research.judge.JudgeRunner;
import dev.fermata.research.judge.JudgeTable;
import dev.fermata.research.judge.Judgement;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code fermata judge}: the default policy against every other, cell by cell, and against fixed bars. */
@Command(
        name = "judge",
        description = {
            "Judge the default policy: clusters of 8 to 512 GPUs and the traces of --data, every estimator,",
            "against the best other policy of each cell and against bars that are fixed in the program."
        },
        sortOptions = false,
        footer = {
            "",
            "Examples:",
            "  fermata judge --report judge.html",
            "  fermata judge --data traces --estimators oracle,none --resume",
            "  fermata judge --model-error \"none;measured\"",
            "  fermata judge --cells my-cells.csv -o json"
        })
final class JudgeCommand extends FermataCommand {
    private static final String POLICIES = "fifo-backfill,sjf,srtf,srsf,las,gittins,fair,xion,dally";

    @Option(
            names = "--data",
            paramLabel = "FOLDER",
            description =
                    "Folder of traces; a trace that is not there is left out (default: generated workloads only).")
    private @Nullable Path data;

    @Option(
            names = "--cells",
            paramLabel = "FILE.csv",
            description = "Other cells: columns cell,cluster,workload,costs,models.")
    private @Nullable Path cellsFile;

    @Option(
            names = "--estimators",
            paramLabel = "LIST",
            split = ";",
            description = "Estimators joined by ; (default: all of the protocol).")
    private List<String> estimators = Judgement.ESTIMATORS;

    @Option(
            names = "--model-error",
            paramLabel = "LIST",
            split = ";",
            description = "How wrong policies are about the cluster, joined by ; as none;measured (default: none).")
    private List<String> modelErrors = List.of(ModelErrorInput.NONE);

    @Option(
            names = "--policies",
            paramLabel = "LIST",
            defaultValue = POLICIES,
            description = "The other policies; srsf and las are always among them (default: ${DEFAULT-VALUE}).")
    private String policies;

    @Option(
            names = {"--seeds", "--seed"},
            paramLabel = "LIST",
            defaultValue = "101..110",
            description = "Seeds of generated workloads (default: ${DEFAULT-VALUE}).")
    private String seeds;

    @Option(
            names = "--trace-seeds",
            paramLabel = "LIST",
            defaultValue = "101..103",
            description = "Seeds for traces, of which only models and noise are drawn (default: ${DEFAULT-VALUE}).")
    private String traceSeeds;

    @Mixin
    private ThreadOptions threads;

    @Mixin
    private SaveOptions saves;

    @Option(names = "--report", paramLabel = "FILE.html", description = "Write everything as one HTML page.")
    private @Nullable String report;

    @Mixin
    private OutputOptions output;

    JudgeCommand(Invocation invocation) {
        super(invocation);
    }

    @Override
    public Integer call() {
        OutputFormat format = output.format();
        List<Long> seedList = UserError.wrapInvalid(() -> SeedList.parse(seeds));
        List<Long> traceSeedList = UserError.wrapInvalid(() -> SeedList.parse(traceSeeds));
        JudgeRunner runner = UserError.wrapInvalid(this::runner);
        int threadCount = threads.count();
        try (AtomicFile file = report == null ? null : AtomicFile.open(report)) {
            List<CellResult> results;
            try (ProgressDisplay progress =
                    ProgressDisplay.start(err(), invocation.screen(), output.quiet, threadCount)) {
                results = runner.run(
                        seedList, traceSeedList, threadCount, progress, saves.saveLocation(invocation.environment()));
            }
            Judgement judgement = Judgement.of(results, JudgeFiles.bars());
            print(judgement, format);
            if (!runner.isComplete()) {
                throw UserError.interrupted("interrupted; " + runner.progress() + ". --resume continues from there");
            }
            if (file != null) {
                List<String> typed = spec.root().commandLine().getParseResult().originalArgs();
                file.write(new JudgeTable(judgement)
                        .html(ReportOrigin.of(typed, new Version().getVersion()[0], seedList)));
            }
        }
        return ExitCode.OK;
    }

    private JudgeRunner runner() {
        if (data != null && !Files.isDirectory(data)) {
            throw new IllegalArgumentException("--data (" + data + ") is no folder");
        }
        List<JudgeCell> cells = JudgeFiles.cells(cellsFile, data).stream()
                .flatMap(cell -> modelErrors.stream().map(cell::withModelError))
                .toList();
        List<String> names = new ArrayList<>(List.of("fermata"));
        Stream.concat(
                        Stream.of("srsf", "las"),
                        PolicyList.parse(policies).stream().map(PolicySpec::text))
                .filter(name -> !names.contains(name))
                .forEach(names::add);
        return new JudgeRunner(
                cells, estimators, names.stream().map(PolicySpec::parse).toList(), invocation.interruption());
    }

    private void print(Judgement judgement, OutputFormat format) {
        JudgeTable table = new JudgeTable(judgement);
        PrintWriter out = out();
        if (!format.isHumanReadable()) {
            StructuredOutput.write(format, table.records(), out);
            return;
        }
        ResultTable sheet = table.table();
        TextTable text = new TextTable();
        for (int c = 0; c < sheet.columns().size(); c++) {
            if (c < 3) {
                text.textColumn(sheet.columns().get(c));
            } else {
                text.numberColumn(sheet.columns().get(c), c == 4 ? TextTable.ALWAYS : 20 - c);
            }
        }
        sheet.rows().forEach(row -> text.row(row.toArray(String[]::new)));
        text.render(invocation.screen()).forEach(out::println);
        out.println();
        judgement.lines().forEach(out::println);
        out.println(judgement.barsMet() + " of " + judgement.barsJudged() + " bars are met.");
        out.flush();
    }
}
