package dev.fermata.sim.profile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;

import dev.fermata.core.model.GpuCatalogue;
import dev.fermata.sim.engine.ModelError;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

/** The figures of {@link ModelError#MEASURED}, computed from the tables of measurements. */
class MeasuredModelErrorTest {
    private static final List<String> TYPES = List.of("V100", "P100", "K80");

    /** One figure for a model and a type against what was measured at every batch. */
    @Test
    void speedsByTypeSpreadOverTheBatchesOfAModel() {
        List<Double> logs = new ArrayList<>();
        for (CatalogueTable.CatalogueRow row : gavel()) {
            String model = row.text("model");
            for (String type : row.text("gpu").equals("V100") ? ThroughputTable.COMPARED : List.<String>of()) {
                OptionalDouble rate = ThroughputTable.stepsPerSecond(model, row.integer("batch"), type, 1);
                double predicted = ModelCatalogue.named(model).reference().speedOn(GpuCatalogue.byName(type));
                rate.ifPresent(measured -> logs.add(Math.log(measured / row.number("x1") / predicted)));
            }
        }
        assertThat(logs).hasSize(52);
        assertThat(ModelError.MEASURED.types()).isEqualTo(deviation(logs), offset(0.005));
    }

    /** The mean of a type and size is the network's; what differs between models is the error of a placement. */
    @Test
    void scatteredGangsSpreadAroundTheMeanOfTheirTypeAndSize() {
        List<Double> residuals = new ArrayList<>();
        for (String type : TYPES) {
            for (String size : List.of("apart2", "apart4", "apart8")) {
                List<Double> logs = gavel().stream()
                        .filter(row ->
                                row.text("gpu").equals(type) && !row.text(size).isEmpty())
                        .map(row -> Math.log(row.number(size)))
                        .toList();
                double mean = mean(logs);
                logs.forEach(log -> residuals.add(log - mean));
            }
        }
        assertThat(residuals).hasSize(165);
        assertThat(ModelError.MEASURED.placement()).isEqualTo(deviation(residuals), offset(0.005));
    }

    /** Two measurements of the same load differ by twice the variance of one. */
    @Test
    void loadsSpreadBetweenTwoMeasurementsOfAModel() {
        double sum = 0;
        List<CatalogueTable.CatalogueRow> rows = CatalogueTable.read("h200_loads.csv");
        for (CatalogueTable.CatalogueRow row : rows) {
            double log = Math.log(row.number("first_s") / row.number("again_s"));
            sum += log * log;
        }
        assertThat(rows).hasSize(14);
        assertThat(ModelError.MEASURED.costs()).isEqualTo(Math.sqrt(sum / rows.size() / 2), offset(0.005));
    }

    private static List<CatalogueTable.CatalogueRow> gavel() {
        return CatalogueTable.read("rates.csv").stream()
                .filter(row -> row.text("source").equals("Gavel"))
                .toList();
    }

    private static double mean(List<Double> values) {
        return values.stream().mapToDouble(v -> v).average().orElseThrow();
    }

    private static double deviation(List<Double> values) {
        double mean = mean(values);
        return Math.sqrt(values.stream()
                .mapToDouble(v -> (v - mean) * (v - mean))
                .average()
                .orElseThrow());
    }
}
