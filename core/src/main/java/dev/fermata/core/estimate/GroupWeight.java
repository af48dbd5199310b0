package dev.fermata.core.estimate;

import java.util.Arrays;

/**
 * How many jobs of a group must have ended before they count as much as the more general group above it. Few are enough
 * where, say, users differ and repeat themselves; many are needed where the user makes no difference. It is the number
 * under which the jobs so far would have been predicted best, each from the jobs before it.
 */
final class GroupWeight {
    private static final double[] CHOICES = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512};
    private static final int INITIAL_CHOICE = 3;
    /** Others must first do better by this much. */
    private static final double INITIAL_LIKELIHOOD = 0.4;

    private static final double MIN_LIKELIHOOD = 1e-100;

    /** The chance of all that happened under each choice, against that under the best. */
    private final double[] likelihood = new double[CHOICES.length];

    private int best = INITIAL_CHOICE;

    GroupWeight() {
        Arrays.fill(likelihood, INITIAL_LIKELIHOOD);
        likelihood[INITIAL_CHOICE] = 1;
    }

    double weight() {
        return CHOICES[best];
    }

    /** A job ended in a step, in which as many of its group had ended, with the chance that the group above gave. */
    void learn(double ended, int jobs, double above) {
        for (int c = 0; c < CHOICES.length; c++) {
            likelihood[c] *= probability(ended, jobs, above, CHOICES[c]);
            best = likelihood[c] > likelihood[best] ? c : best;
        }
        double max = likelihood[best];
        for (int c = 0; c < CHOICES.length; c++) {
            likelihood[c] = Math.max(MIN_LIKELIHOOD, likelihood[c] / max);
        }
    }

    double probability(double ended, int jobs, double above) {
        return probability(ended, jobs, above, weight());
    }

    private static double probability(double ended, int jobs, double above, double weight) {
        return (ended + weight * above) / (jobs + weight);
    }
}
