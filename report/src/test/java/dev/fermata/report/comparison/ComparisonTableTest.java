package dev.fermata.report.comparison;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.insight.experiment.ExperimentMatrix;
import dev.fermata.insight.experiment.MatrixCells;
import dev.fermata.insight.experiment.MeasuredRun;
import dev.fermata.insight.experiment.RunCache;
import dev.fermata.insight.experiment.RunProgress;
import dev.fermata.report.text.Screen;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;

class ComparisonTableTest {
    private static final List<Long> SEEDS = List.of(1L, 2L, 3L);

    @Test
    void anIncompleteComparisonIsMarkedAndNamesNoBestPolicy() {
        ExperimentMatrix matrix = MatrixCells.matrix("synthetic:jobs=40", List.of("fifo", "srtf"), SEEDS);
        List<MeasuredRun> all = matrix.run(1, RunProgress.NONE, RunCache.NONE);

        String whole = table(all);
        String part = table(all.subList(0, 4));

        assertThat(whole).contains("3 seeds (1 … 3)", "•").doesNotContain("cut off", "seeds\ndone");
        assertThat(part).contains("3 seeds (1 … 3), cut off").contains("done");
        assertThat(part.lines().filter(line -> line.startsWith("fifo")).findFirst())
                .hasValueSatisfying(line -> assertThat(line).endsWith("3").doesNotContain("•"));
        assertThat(part.lines().filter(line -> line.startsWith("srtf")).findFirst())
                .hasValueSatisfying(line -> assertThat(line).endsWith("1").doesNotContain("•"));
    }

    private static String table(List<MeasuredRun> runs) {
        StringWriter out = new StringWriter();
        new ComparisonTable(runs, 0, SEEDS, false, Screen.PIPE, new PrintWriter(out)).print();
        return out.toString();
    }
}
