package dev.fermata.app.replay;

import dev.fermata.app.output.Format;
import dev.fermata.app.output.Humane;
import dev.fermata.app.output.Screen;
import dev.fermata.app.output.Structured;
import dev.fermata.app.output.Table;
import dev.fermata.app.output.Words;
import dev.fermata.app.report.ComparisonTable;
import dev.fermata.app.report.RunFields;
import dev.fermata.app.report.html.Preface;
import dev.fermata.app.run.Measured;
import dev.fermata.sim.reproduce.Sheet;
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
public record ReplayOutput(Episode episode, List<Measured> runs) {
    private static final int WIDEST = 110;
    private static final int DECIMALS = 6;

    public Fidelity fidelity() {
        return Fidelity.of(runs.get(0), runs.get(1));
    }

    public void print(Format format, Screen screen, PrintWriter out) {
        if (!format.forPeople()) {
            if (format == Format.CSV) {
                Structured.write(format, runs.stream().map(RunFields::of).toList(), out);
            } else {
                Structured.write(format, fields(), out);
            }
            return;
        }
        Words.wrap(heading(), screen.columns()).forEach(out::println);
        out.println();
        table(fidelity().sheet(live())).render(screen).forEach(out::println);
        out.println();
        Words.wrap(perJob(), Math.min(WIDEST, screen.columns())).forEach(out::println);
        out.println();
        new ComparisonTable(runs, 0, List.of(1L), format == Format.WIDE, screen, out)
                .next("fermata replay --policy fifo,xion --report replay.html · fermata tune")
                .print();
    }

    /** The figures of {@link Fidelity#sheet} for a terminal. */
    public static Table table(Sheet sheet) {
        Table table = new Table()
                .words(sheet.columns().get(0))
                .numbers(sheet.columns().get(1), Table.ALWAYS)
                .numbers(sheet.columns().get(2), Table.ALWAYS)
                .numbers(sheet.columns().get(3), Table.ALWAYS)
                .words(sheet.columns().get(4));
        sheet.rows().forEach(row -> table.row(row.toArray(String[]::new)));
        return table;
    }

    private String live() {
        return runs.get(1).policy().text();
    }

    private String heading() {
        return Humane.amount(episode.measured().size(), "job") + " from "
                + Instant.ofEpochMilli(episode.originMillis()) + " on, decided by " + live()
                + "; the same policy in the simulator, estimator "
                + runs.get(1).setting().estimator() + ":";
    }

    private String perJob() {
        return "Half of the jobs complete within " + Humane.percent(fidelity().medianJobError())
                + " of the time they really took.";
    }

    private Map<String, Object> fields() {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("policy", live());
        fields.put("estimator", runs.get(1).setting().estimator());
        fields.put("from", Instant.ofEpochMilli(episode.originMillis()).toString());
        fields.put("jobs", episode.workload().jobs().size());
        fields.put("measured", episode.measured().size());
        Fidelity fidelity = fidelity();
        fields.put(
                "fidelity", fidelity.lines().stream().map(ReplayOutput::fields).toList());
        fields.put("medianJobError", RunFields.rounded(fidelity.medianJobError(), DECIMALS));
        fields.put("holds", fidelity.holds());
        fields.put("runs", runs.stream().map(RunFields::of).toList());
        fields.put("remarks", episode.remarks());
        return fields;
    }

    public static Map<String, Object> fields(Fidelity.Line line) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("metric", line.metric());
        fields.put("real", RunFields.rounded(line.real(), DECIMALS));
        fields.put("simulated", RunFields.rounded(line.simulated(), DECIMALS));
        fields.put("error", Double.isFinite(line.error()) ? RunFields.rounded(line.error(), DECIMALS) : null);
        fields.put("aim", line.aim() == 0 ? null : line.aim());
        return fields;
    }

    public Preface preface() {
        return new Preface(
                "Fermata: history replayed",
                "Fidelity",
                List.of(fidelity().plot(live())),
                List.of(fidelity().sheet(live())),
                List.of(perJob()));
    }
}
