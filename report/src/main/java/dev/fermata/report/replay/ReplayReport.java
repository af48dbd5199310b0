package dev.fermata.report.replay;

import dev.fermata.insight.experiment.MeasuredRun;
import dev.fermata.insight.format.HumanFormat;
import dev.fermata.insight.format.ResultTable;
import dev.fermata.insight.replay.Fidelity;
import dev.fermata.insight.replay.ReplayWindow;
import dev.fermata.report.comparison.ComparisonTable;
import dev.fermata.report.figure.ErrorPlot;
import dev.fermata.report.page.PageIntroduction;
import dev.fermata.report.summary.RunFields;
import dev.fermata.report.text.OutputFormat;
import dev.fermata.report.text.Screen;
import dev.fermata.report.text.StructuredOutput;
import dev.fermata.report.text.TextTable;
import dev.fermata.report.text.WordWrap;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a replay came to, for people and for scripts.
 *
 * @param runs what happened, the same policy in the simulator, then the others
 */
public record ReplayReport(ReplayWindow window, List<MeasuredRun> runs) {
    private static final int WIDEST = 110;
    private static final int DECIMALS = 6;

    public Fidelity fidelity() {
        return Fidelity.of(runs.get(0), runs.get(1));
    }

    public void print(OutputFormat format, Screen screen, PrintWriter out) {
        if (!format.isHumanReadable()) {
            if (format == OutputFormat.CSV) {
                StructuredOutput.write(format, runs.stream().map(RunFields::of).toList(), out);
            } else {
                StructuredOutput.write(format, fields(), out);
            }
            return;
        }
        WordWrap.wrap(heading(), screen.columns()).forEach(out::println);
        out.println();
        table(fidelity().sheet(livePolicyText())).render(screen).forEach(out::println);
        out.println();
        WordWrap.wrap(perJob(), Math.min(WIDEST, screen.columns())).forEach(out::println);
        out.println();
        new ComparisonTable(runs, 0, List.of(1L), format == OutputFormat.WIDE, screen, out)
                .nextCommands("fermata replay --policy fifo,xion --report replay.html · fermata tune")
                .print();
    }

    /** The figures of {@link Fidelity#sheet} for a terminal. */
    public static TextTable table(ResultTable sheet) {
        TextTable table = new TextTable()
                .textColumn(sheet.columns().get(0))
                .numberColumn(sheet.columns().get(1), TextTable.ALWAYS)
                .numberColumn(sheet.columns().get(2), TextTable.ALWAYS)
                .numberColumn(sheet.columns().get(3), TextTable.ALWAYS)
                .textColumn(sheet.columns().get(4));
        sheet.rows().forEach(row -> table.row(row.toArray(String[]::new)));
        return table;
    }

    private String livePolicyText() {
        return runs.get(1).policy().text();
    }

    private String heading() {
        return HumanFormat.amount(window.measured().size(), "job") + " from "
                + Instant.ofEpochMilli(window.originMillis()) + " on, decided by " + livePolicyText()
                + "; the same policy in the simulator, estimator "
                + runs.get(1).setting().estimator() + ":";
    }

    private String perJob() {
        return "Half of the jobs complete within "
                + HumanFormat.percent(fidelity().medianJobError()) + " of the time they really took.";
    }

    private Map<String, Object> fields() {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("policy", livePolicyText());
        fields.put("estimator", runs.get(1).setting().estimator());
        fields.put("from", Instant.ofEpochMilli(window.originMillis()).toString());
        fields.put("jobs", window.workload().jobs().size());
        fields.put("measured", window.measured().size());
        Fidelity fidelity = fidelity();
        fields.put(
                "fidelity",
                fidelity.metricErrors().stream().map(ReplayReport::fields).toList());
        fields.put("medianJobError", RunFields.rounded(fidelity.medianJobError(), DECIMALS));
        fields.put("holds", fidelity.holds());
        fields.put("runs", runs.stream().map(RunFields::of).toList());
        fields.put("remarks", window.remarks());
        return fields;
    }

    public static Map<String, Object> fields(Fidelity.MetricError entry) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("metric", entry.metric());
        fields.put("real", RunFields.rounded(entry.recorded(), DECIMALS));
        fields.put("simulated", RunFields.rounded(entry.simulated(), DECIMALS));
        fields.put("error", Double.isFinite(entry.error()) ? RunFields.rounded(entry.error(), DECIMALS) : null);
        fields.put("aim", entry.tolerance() == 0 ? null : entry.tolerance());
        return fields;
    }

    public PageIntroduction introduction() {
        return new PageIntroduction(
                "Fermata: history replayed",
                "Fidelity",
                List.of(plot(fidelity(), livePolicyText())),
                List.of(fidelity().sheet(livePolicyText())),
                List.of(perJob()));
    }

    /** Seconds, counts and shares have no common axis, but their relative errors have. */
    private static ErrorPlot plot(Fidelity fidelity, String policy) {
        return new ErrorPlot(
                "fidelity",
                "How far the simulator is off",
                "Each measure of " + policy
                        + " in the simulator against what happened, as a share of the latter. The band is the aim,"
                        + " where there is one; a diamond missed it.",
                fidelity.metricErrors().stream()
                        .map(entry -> new ErrorPlot.ErrorRow(entry.label(), entry.error(), entry.tolerance()))
                        .toList());
    }
}
