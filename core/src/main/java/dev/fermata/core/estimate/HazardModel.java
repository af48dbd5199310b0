package dev.fermata.core.estimate;

import dev.fermata.core.contract.RuntimeEstimate;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How likely a job is to end at which age, from several groups it belongs to, the most general first.
 *
 * <p>Each group is trusted as far as it was seen: its counts are joined by {@link WeightedGroup#weight} imaginary jobs that
 * behave like the group above it (a Dirichlet process centred on it, with censored jobs as in the beta-Stacy process). Above
 * the most general is the prior for unknown jobs: half of the jobs that have run for t run on for another
 * t + {@code PRIOR_SCALE_MILLIS}. So few observations change little, many decide, and where nothing was seen the chance of an
 * end sinks with age: the best order is then least attained service first.
 */
final class HazardModel {
    /** However old a job is, the group above counts for as much as this many jobs. */
    private static final double MIN_WEIGHT = 1;

    static final double PRIOR_SCALE_MILLIS = 3_600_000;

    /** Chance of ending in each step for a job that reached it. */
    private final double[] hazard = new double[AgeSteps.STEPS];

    /** Computed on demand; concurrent readers compute the same. */
    private final @Nullable LearnedEstimate[] estimates = new @Nullable LearnedEstimate[AgeSteps.STEPS];

    /** A group, and how many imaginary jobs stand for the group above it. */
    record WeightedGroup(SurvivalCounts survival, double weight) {}

    /** @param groups from the most general to the most specific */
    HazardModel(List<WeightedGroup> groups) {
        double[] reached = new double[groups.size() + 1];
        Arrays.fill(reached, 1);
        for (int step = 0; step < AgeSteps.STEPS; step++) {
            double probability =
                    1 - priorSurvival(AgeSteps.endMillis(step)) / priorSurvival(AgeSteps.beginMillis(step));
            reached[0] *= 1 - probability;
            double above = reached[0] / (1 - probability);
            for (int k = 0; k < groups.size(); k++) {
                SurvivalCounts group = groups.get(k).survival();
                double weight = Math.max(MIN_WEIGHT, groups.get(k).weight() * above);
                probability = (group.ended(step) + weight * probability) / (group.atRisk(step) + weight);
                above = reached[k + 1];
                reached[k + 1] *= 1 - probability;
            }
            hazard[step] = probability;
        }
    }

    /** The chance that an unknown job runs longer. */
    private static double priorSurvival(double millis) {
        return PRIOR_SCALE_MILLIS / (PRIOR_SCALE_MILLIS + millis);
    }

    /** The chance that an unknown job ends in this step. */
    static double priorProbability(int step) {
        return priorSurvival(AgeSteps.beginMillis(step)) - priorSurvival(AgeSteps.endMillis(step));
    }

    /** What is expected of a job that reached this step. */
    LearnedEstimate estimate(int step) {
        LearnedEstimate known = estimates[step];
        if (known == null) {
            known = LearnedEstimate.of(this, step);
            estimates[step] = known;
        }
        return known;
    }

    /** The work that a job which reached this step needs in all, with this chance of needing less. */
    double quantileMillis(int step, double probability) {
        return quantilesMillis(step, probability)[0];
    }

    /** The same for several chances, the smallest first. */
    double[] quantilesMillis(int step, double... probabilities) {
        double[] found = new double[probabilities.length];
        int k = 0;
        double surviving = 1;
        for (int s = step; s < AgeSteps.STEPS && k < found.length; s++) {
            double next = surviving * (1 - hazard[s]);
            for (; k < found.length && next <= 1 - probabilities[k]; k++) {
                double share = (surviving - (1 - probabilities[k])) / (surviving - next);
                found[k] = AgeSteps.beginMillis(s) + share * (AgeSteps.endMillis(s) - AgeSteps.beginMillis(s));
            }
            surviving = next;
        }
        Arrays.fill(found, k, found.length, AgeSteps.endMillis(AgeSteps.STEPS - 1));
        return found;
    }

    /** The same for a job that has done this much work: within its step, ends are spread evenly. */
    double quantileMillis(double doneMillis, double probability) {
        int step = AgeSteps.stepOf((long) doneMillis);
        double begin = AgeSteps.beginMillis(step);
        double share = Math.min(1, (doneMillis - begin) / (AgeSteps.endMillis(step) - begin));
        double missed = hazard[step] * share;
        return quantileMillis(step, missed + probability * (1 - missed));
    }

    /** What a job that reached this step needs in all, on average. */
    double meanTotalMillis(int step) {
        double surviving = 1;
        double mean = 0;
        for (int s = step; s < AgeSteps.STEPS; s++) {
            mean += surviving * hazard[s] * AgeSteps.middleMillis(s);
            surviving *= 1 - hazard[s];
        }
        return mean + surviving * AgeSteps.endMillis(AgeSteps.STEPS - 1);
    }

    /** Chooses how long to run from the beginning of this step on: the largest value of a completion less its work. */
    RuntimeEstimate.Quantum bestQuantum(int step, double completionValueMillis) {
        double age = AgeSteps.beginMillis(step);
        double surviving = 1;
        double spent = 0;
        double max = Double.NEGATIVE_INFINITY;
        RuntimeEstimate.Quantum best = new RuntimeEstimate.Quantum(0, 0);
        for (int s = step; s < AgeSteps.STEPS; s++) {
            double next = surviving * (1 - hazard[s]);
            spent += (surviving - next) * (AgeSteps.middleMillis(s) - age);
            surviving = next;
            double work = spent + surviving * (AgeSteps.endMillis(s) - age);
            double gain = completionValueMillis * (1 - surviving) - work;
            if (gain > max) {
                max = gain;
                best = new RuntimeEstimate.Quantum(1 - surviving, work);
            }
        }
        return best;
    }

    /** Least expected work per completion, over all horizons, of a job at the beginning of this step. */
    double workPerCompletionMillis(int step) {
        double age = AgeSteps.beginMillis(step);
        double surviving = 1;
        double spent = 0;
        double best = Double.POSITIVE_INFINITY;
        for (int s = step; s < AgeSteps.STEPS; s++) {
            double next = surviving * (1 - hazard[s]);
            spent += (surviving - next) * (AgeSteps.middleMillis(s) - age);
            surviving = next;
            best = Math.min(best, (spent + surviving * (AgeSteps.endMillis(s) - age)) / (1 - surviving));
        }
        return best;
    }
}
