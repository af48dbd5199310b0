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
    /** Others must first do better by this much. */
    private static final double BENEFIT_OF_DOUBT = 0.4;

    private static final double LEAST = 1e-100;

    /** The chance of all that happened under each choice, against that under the best. */
    private final double[] likelihood = new double[CHOICES.length];

    private int best = FIRST_CHOICE;

    Trust() {
        Arrays.fill(likelihood, BENEFIT_OF_DOUBT);
        likelihood[FIRST_CHOICE] = 1;
    }

    double weight() {
        return CHOICES[best];
    }

    /** A job ended in a step in which as many of its kind had ended, of all of that kind, and that the kind above gave a chance. */
    void learn(double ended, int jobs, double above) {
        for (int c = 0; c < CHOICES.length; c++) {
            likelihood[c] *= chance(ended, jobs, above, CHOICES[c]);
            best = likelihood[c] > likelihood[best] ? c : best;
        }
        double most = likelihood[best];
        for (int c = 0; c < CHOICES.length; c++) {
            likelihood[c] = Math.max(LEAST, likelihood[c] / most);
        }
    }

    double chance(double ended, int jobs, double above) {
        return chance(ended, jobs, above, weight());
    }

    private static double chance(double ended, int jobs, double above, double weight) {
        return (ended + weight * above) / (jobs + weight);
    }
}
