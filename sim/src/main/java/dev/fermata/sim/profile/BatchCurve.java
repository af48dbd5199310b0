package dev.fermata.sim.profile;

import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * How a figure changes with the batch: straight lines between measured batches. A batch below the smallest saves
 * nothing, one above the largest extends the last line, never downwards. Without measurements half of the figure is
 * taken to be fixed and half to grow with the batch.
 */
final class BatchCurve {
    private final List<IterationMeasurement> points;
    private final ToDoubleFunction<IterationMeasurement> figure;

    /** Points in order of batch. */
    BatchCurve(List<IterationMeasurement> points, ToDoubleFunction<IterationMeasurement> figure) {
        this.points = points.stream().filter(p -> figure.applyAsDouble(p) > 0).toList();
        this.figure = figure;
    }

    /** The figure at one batch over that at another. */
    double ratio(int batch, int reference) {
        return points.isEmpty() ? 0.5 + 0.5 * batch / reference : at(batch) / at(reference);
    }

    private double at(int batch) {
        int last = points.size() - 1;
        if (last == 0 || batch <= points.get(0).batch()) {
            return value(0);
        }
        int k = 1;
        while (k < last && points.get(k).batch() < batch) {
            k++;
        }
        double share = (batch - points.get(k - 1).batch())
                / (double) (points.get(k).batch() - points.get(k - 1).batch());
        double line = value(k - 1) + share * (value(k) - value(k - 1));
        return share > 1 ? Math.max(line, value(last)) : line;
    }

    private double value(int k) {
        return figure.applyAsDouble(points.get(k));
    }
}
