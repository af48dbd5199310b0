package dev.fermata.report.replay;

import dev.fermata.core.contract.Count;
import dev.fermata.core.measure.MetricsSummary;
import dev.fermata.insight.experiment.MeasuredRun;
import dev.fermata.insight.format.HumanFormat;
import dev.fermata.insight.replay.Fidelity;
import dev.fermata.insight.replay.ShadowComparison;
import dev.fermata.report.summary.RunFields;
import dev.fermata.report.text.OutputFormat;
import dev.fermata.report.text.Screen;
import dev.fermata.report.text.StructuredOutput;
import dev.fermata.report.text.TextTable;
import dev.fermata.report.text.WordWrap;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What a shadow comparison came to, for people and for scripts. */
public record ShadowReport(ShadowComparison comparison) {
    private static final int WIDEST = 110;
    private static final int DECIMALS = 3;

    public void print(OutputFormat format, Screen screen, PrintWriter out) {
        if (!format.isHumanReadable()) {
            StructuredOutput.write(format, fields(), out);
            return;
        }
        int width = Math.min(WIDEST, screen.columns());
        WordWrap.wrap(heading(), width).forEach(out::println);
        out.println();
        table().render(screen).forEach(out::println);
        out.println();
        WordWrap.wrap(live(), width).forEach(out::println);
        out.println();
        out.println(screen.bold("What this does not know"));
        for (String line : comparison.unknown()) {
            List<String> wrapped = WordWrap.wrap(line, width - 2);
            for (int i = 0; i < wrapped.size(); i++) {
                out.println((i == 0 ? "* " : "  ") + wrapped.get(i));
            }
        }
        out.flush();
    }

    private String name(int run) {
        return switch (run) {
            case 0 -> "as it was";
            case 1 -> comparison.policy();
            default -> comparison.policy() + ", no pauses";
        };
    }

    private String heading() {
        return Count.of(comparison.jobs().measured(), "job") + " submitted and ended since "
                + Instant.ofEpochMilli(comparison.fromMillis()) + ", of "
                + comparison.jobs().seen()
                + " that were seen: what the other scheduler did with them, and what " + comparison.policy()
                + " would have done, in the simulator with the run times that were seen.";
    }

    private TextTable table() {
        TextTable table = new TextTable().textColumn("");
        for (String column : List.of("completed", "mean wait", "p95 wait", "mean JCT", "pauses", "sooner", "later")) {
            table.numberColumn(column, TextTable.ALWAYS);
        }
        for (int run = 0; run < comparison.runs().size(); run++) {
            MetricsSummary summary = comparison.runs().get(run).summary();
            ShadowComparison.WaitChanges changes = comparison.waitChanges(run);
            table.row(
                    name(run),
                    String.valueOf(summary.all().completed()),
                    Fidelity.formatTime(summary.all().waiting().mean()),
                    Fidelity.formatTime(summary.all().waiting().p95()),
                    Fidelity.formatTime(summary.all().jct().mean()),
                    run == 0 ? "–" : HumanFormat.count(summary.preemptions()),
                    run == 0 ? "" : String.valueOf(changes.shorter()),
                    run == 0 ? "" : String.valueOf(changes.longer()));
        }
        return table;
    }

    private String live() {
        ShadowComparison.LiveDecisions live = comparison.live();
        return "Decided at that time, without knowing how long a job runs: " + Count.of(live.started(), "start") + ", "
                + live.earlier() + " of them more than a minute before the other scheduler's, " + live.later()
                + " after it; " + Count.of(live.preemptions(), "pause")
                + ". A job ends there no earlier than it really did, so these waits are too long, never too short.";
    }

    private Map<String, Object> fields() {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("policy", comparison.policy());
        fields.put("from", Instant.ofEpochMilli(comparison.fromMillis()).toString());
        fields.put("jobsSeen", comparison.jobs().seen());
        fields.put("jobsCompared", comparison.jobs().measured());
        List<Map<String, Object>> runs = new ArrayList<>();
        for (int run = 0; run < comparison.runs().size(); run++) {
            runs.add(fields(run, comparison.runs().get(run)));
        }
        fields.put("runs", runs);
        ShadowComparison.LiveDecisions live = comparison.live();
        Map<String, Object> decided = new LinkedHashMap<>();
        decided.put("started", live.started());
        decided.put("earlier", live.earlier());
        decided.put("later", live.later());
        decided.put("preemptions", live.preemptions());
        fields.put("decidedLive", decided);
        fields.put("unknown", comparison.unknown());
        return fields;
    }

    private Map<String, Object> fields(int index, MeasuredRun run) {
        MetricsSummary summary = run.summary();
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("run", name(index));
        fields.put("completed", summary.all().completed());
        fields.put("meanWaitSeconds", RunFields.rounded(summary.all().waiting().mean(), DECIMALS));
        fields.put("p95WaitSeconds", RunFields.rounded(summary.all().waiting().p95(), DECIMALS));
        fields.put("meanJctSeconds", RunFields.rounded(summary.all().jct().mean(), DECIMALS));
        fields.put("preemptions", summary.preemptions());
        fields.put("jobsSooner", comparison.waitChanges(index).shorter());
        fields.put("jobsLater", comparison.waitChanges(index).longer());
        return fields;
    }
}
