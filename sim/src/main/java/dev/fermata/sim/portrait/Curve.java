package dev.fermata.sim.portrait;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A cumulative distribution in few points: the i-th share of the sample is at most the i-th value. Least and largest are exact. */
public record Curve(List<Double> values, List<Double> shares) {
    public static final int MOST_POINTS = 400;

    /** Of these values; the array is sorted in place. */
    public static Curve of(double[] sample) {
        Arrays.sort(sample);
        int points = Math.min(sample.length, MOST_POINTS);
        List<Double> values = new ArrayList<>(points);
        List<Double> shares = new ArrayList<>(points);
        for (int i = 0; i < points; i++) {
            int rank = points == 1 ? 0 : (int) ((long) i * (sample.length - 1) / (points - 1));
            values.add(sample[rank]);
            shares.add((rank + 1.0) / sample.length);
        }
        return new Curve(values, shares);
    }

    /** The distribution of several samples together, each with the same weight. */
    public static Curve together(List<Curve> curves) {
        if (curves.size() == 1) {
            return curves.get(0);
        }
        List<double[]> steps = new ArrayList<>();
        List<Curve> filled = curves.stream().filter(c -> !c.values.isEmpty()).toList();
        for (Curve curve : filled) {
            double before = 0;
            for (int i = 0; i < curve.values.size(); i++) {
                steps.add(new double[] {curve.values.get(i), (curve.shares.get(i) - before) / filled.size()});
                before = curve.shares.get(i);
            }
        }
        steps.sort((a, b) -> Double.compare(a[0], b[0]));
        double share = 0;
        List<Double> values = new ArrayList<>();
        List<Double> shares = new ArrayList<>();
        for (double[] step : steps) {
            share += step[1];
            values.add(step[0]);
            shares.add(share);
        }
        if (!shares.isEmpty()) {
            shares.set(shares.size() - 1, 1.0); // sums of fractions miss it by a hair
        }
        return new Curve(values, shares).thinned(MOST_POINTS);
    }

    /** The same with fewer points; both ends stay. */
    public Curve thinned(int most) {
        int size = values.size();
        if (size <= most) {
            return this;
        }
        List<Double> fewer = new ArrayList<>(most);
        List<Double> theirs = new ArrayList<>(most);
        for (int i = 0; i < most; i++) {
            int k = (int) ((long) i * (size - 1) / (most - 1));
            fewer.add(values.get(k));
            theirs.add(shares.get(k));
        }
        return new Curve(fewer, theirs);
    }
}
