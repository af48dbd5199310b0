package dev.fermata.cli.simulation;

import dev.fermata.cli.option.CommandGroup;
import dev.fermata.cli.option.FermataCommand;
import dev.fermata.cli.option.HistorySource;
import dev.fermata.cli.option.Invocation;
import dev.fermata.cli.option.OutputOptions;
import dev.fermata.insight.exit.ExitCode;
import dev.fermata.insight.replay.ShadowComparison;
import dev.fermata.report.replay.ShadowReport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code fermata shadow}: what a daemon in shadow mode has seen. */
@Command(
        name = "shadow",
        description = "What a daemon in shadow mode (up --shadow) has seen of another scheduler.",
        footer = {"", "Examples:", "  fermata up --shadow --engine slurm", "  fermata shadow report"})
public final class ShadowCommand extends CommandGroup {

    /** {@code fermata shadow report}. */
    @Command(
            name = "report",
            description =
                    "Compare what the other scheduler did with its jobs with what Fermata would have done with them.",
            footer = {
                "",
                "Examples:",
                "  fermata shadow report",
                "  fermata shadow report -o json",
                "  fermata events --since 30d --limit 1000000 -o json > history.json",
                "  fermata shadow report --events history.json"
            })
    public static final class Report extends FermataCommand {
        @Mixin
        private HistorySource history;

        @Mixin
        private OutputOptions output;

        public Report(Invocation invocation) {
            super(invocation);
        }

        @Override
        public Integer call() {
            ShadowComparison comparison =
                    ShadowComparison.of(history.read(invocation), invocation.interruption()::isRequested);
            new ShadowReport(comparison).print(output.format(), invocation.screen(), out());
            return ExitCode.OK;
        }
    }
}
