package dev.fermata.research;

import dev.fermata.insight.format.ResultTable;
import java.util.List;

/** The report of one paper's reproduction. */
public record ReproductionReport(
        String paper,
        String title,
        List<ReproductionParameter> parameters,
        List<ResultTable> tables,
        List<Finding> findings) {
    public ReproductionReport {
        parameters = List.copyOf(parameters);
        tables = List.copyOf(tables);
        findings = List.copyOf(findings);
    }
}
