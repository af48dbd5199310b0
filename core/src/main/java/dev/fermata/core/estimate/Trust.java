package dev.fermata.core.estimate;

import java.util.Arrays;

/**
 * How many jobs of a kind must have been seen before they say as much as the more general kind above it: few where, say, users
 * differ and repeat themselves, many where who the user is says nothing. It is the number under which the jobs so far
 * would have been foretold best, each from those before it.
 */
final class Trust {
    private static final double[] CHOICES = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512};
    private static final int FIRST_CHOICE = 3;

    private final double[] score = new double[CHOICES.length];
    private int best = FIRST_CHOICE;

    Trust() {
        Arrays.fill(score, -1);
        score[FIRST_CHOICE] = 0; // others must first do better by a little
    }

    double weight() {
        return CHOICES[best];
    }

    /** A job ended in a step that its kind and the kind above gave these chances. */
    void learn(double ended, int jobs, double above) {
        for (int c = 0; c < CHOICES.length; c++) {
            score[c] += StrictMath.log(chance(ended, jobs, above, CHOICES[c]));
            best = score[c] > score[best] ? c : best;
        }
    }

    double chance(double ended, int jobs, double above) {
        return chance(ended, jobs, above, weight());
    }

    private static double chance(double ended, int jobs, double above, double weight) {
        return (ended + weight * above) / (jobs + weight);
    }
}
