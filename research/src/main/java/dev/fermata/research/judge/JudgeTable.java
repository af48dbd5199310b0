package dev.fermata.research.judge;

import dev.fermata.insight.format.HumanFormat;
import dev.fermata.insight.format.ResultTable;
import dev.fermata.insight.input.ModelErrorInput;
import dev.fermata.report.html.HtmlPage;
import dev.fermata.report.html.HtmlTable;
import dev.fermata.report.html.HtmlWriter;
import dev.fermata.report.html.ReportOrigin;
import dev.fermata.sim.experiment.ConfidenceInterval;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The judgement as a table, as records, and as a page. */
public final class JudgeTable {
    private static final String TITLE = "Fermata: the default policy judged";

    private final Judgement judgement;

    public JudgeTable(Judgement judgement) {
        this.judgement = judgement;
    }

    /** A row per cell and estimator. */
    public ResultTable table() {
        List<List<String>> rows = new ArrayList<>();
        for (CellResult result : judgement.results()) {
            ConfidenceInterval change = result.change(result.bestOther()).change();
            rows.add(List.of(
                    result.cell().title(),
                    result.estimator(),
                    result.bestOther(),
                    HumanFormat.time(result.meanJctSeconds(result.bestOther())),
                    HumanFormat.change(change.mean())
                            + (change.halfWidth() > 0 ? " ±" + HumanFormat.percent(change.halfWidth()) : ""),
                    HumanFormat.change(result.change("las").change().mean()),
                    result.hasTrials() ? HumanFormat.number(result.trialP95Slowdown()) : "–",
                    HumanFormat.number(result.longestAgainstService()),
                    HumanFormat.number(result.preemptionsAgainstService())));
        }
        return new ResultTable(
                "fermata against the best other policy of each cell",
                List.of(
                        "cell",
                        "estimator",
                        "best other",
                        "its mean JCT",
                        "fermata vs best",
                        "vs las",
                        "trial p95 slowdown",
                        "longest ÷ srsf",
                        "preemptions ÷ srsf"),
                rows);
    }

    /** For programs. */
    public List<Map<String, Object>> records() {
        List<Map<String, Object>> records = new ArrayList<>();
        for (CellResult result : judgement.results()) {
            String best = result.bestOther();
            ConfidenceInterval change = result.change(best).change();
            Map<String, Object> fields = new LinkedHashMap<>();
            fields.put("cell", result.cell().name());
            fields.put("cluster", result.cell().cluster());
            fields.put("workload", result.cell().workload());
            fields.put("estimator", result.estimator());
            if (!result.cell().modelError().equals(ModelErrorInput.NONE)) {
                fields.put("modelError", result.cell().modelError());
            }
            fields.put("bestOther", best);
            fields.put("bestOtherMeanJctSeconds", result.meanJctSeconds(best));
            fields.put("meanJctSeconds", result.meanJctSeconds(CellResult.OURS));
            fields.put("changeVsBest", change.mean());
            fields.put("changeVsBestCi95", change.halfWidth());
            fields.put("changeVsLas", result.change("las").change().mean());
            fields.put("trialP95Slowdown", result.hasTrials() ? result.trialP95Slowdown() : null);
            fields.put("longestVsSrsf", result.longestAgainstService());
            fields.put("preemptionsVsSrsf", result.preemptionsAgainstService());
            fields.put(
                    "missedBars",
                    judgement.barChecks().stream()
                            .filter(v -> v.cell().equals(result.label()) && !v.holds())
                            .map(v -> v.bar().name())
                            .toList());
            records.add(fields);
        }
        return records;
    }

    /** The whole as one HTML page. */
    public String html(ReportOrigin origin) {
        return HtmlPage.write(
                TITLE,
                List.of(new HtmlPage.TocEntry("bars", "Bars"), new HtmlPage.TocEntry("cells", "Cells")),
                origin,
                this::body);
    }

    private void body(HtmlWriter html) {
        html.open("header").leaf("h1", TITLE);
        html.leaf("p", judgement.barsMet() + " of " + judgement.barsJudged() + " bars are met.", "class", "lead");
        html.close();
        html.open("section", "id", "bars").leaf("h2", "Bars").open("ul");
        judgement.lines().forEach(line -> html.leaf("li", line));
        html.close().close();
        html.open("section", "id", "cells").leaf("h2", "Cells");
        new HtmlTable(table(), "", false).write(html);
        html.close();
    }
}
