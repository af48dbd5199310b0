package dev.fermata.sim.recording;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A cumulative distribution in few points: the i-th share of the sample is at most the i-th value. Least and largest are exact. */
public record EmpiricalCdf(List<Double> values, List<Double> shares) {
    public static final int MAX_POINTS = 400;

    /** Of these values; the array is sorted in place. */
    public static EmpiricalCdf of(double[] sample) {
        Arrays.sort(sample);
        int points = Math.min(sample.length, MAX_POINTS);
        List<Double> values = new ArrayList<>(points);
        List<Double> shares = new ArrayList<>(points);
        for (int i = 0; i < points; i++) {
            int rank = points == 1 ? 0 : (int) ((long) i * (sample.length - 1) / (points - 1));
            values.add(sample[rank]);
            shares.add((rank + 1.0) / sample.length);
        }
        return new EmpiricalCdf(values, shares);
    }

    /** The distribution of several samples together, each with the same weight. */
    public static EmpiricalCdf merged(List<EmpiricalCdf> curves) {
        if (curves.size() == 1) {
            return curves.get(0);
        }
        List<double[]> steps = new ArrayList<>();
        List<EmpiricalCdf> filled =
                curves.stream().filter(c -> !c.values.isEmpty()).toList();
        for (EmpiricalCdf curve : filled) {
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
        return new EmpiricalCdf(values, shares).downsampled(MAX_POINTS);
    }

    /** The same with fewer points; both ends stay. */
    public EmpiricalCdf downsampled(int max) {
        int size = values.size();
        if (size <= max) {
            return this;
        }
        List<Double> fewer = new ArrayList<>(max);
        List<Double> fewerShares = new ArrayList<>(max);
        for (int i = 0; i < max; i++) {
            int k = (int) ((long) i * (size - 1) / (max - 1));
            fewer.add(values.get(k));
            fewerShares.add(shares.get(k));
        }
        return new EmpiricalCdf(fewer, fewerShares);
    }
}
