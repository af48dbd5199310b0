package dev.fermata.core.estimate;

import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.RuntimeEstimate;

/** What is expected of a job that reached a step of age, and the last step in which that is about the same. */
record LearnedEstimate(
        HazardModel hazardModel, int step, int lastStep, long workPerCompletionMillis, long meanTotalMillis)
        implements RuntimeEstimate {
    private static final double LOG_2 = StrictMath.log(2);

    static LearnedEstimate of(HazardModel hazardModel, int step) {
        double work = rounded(hazardModel.workPerCompletionMillis(step));
        int last = step;
        while (last + 1 < AgeSteps.STEPS && rounded(hazardModel.workPerCompletionMillis(last + 1)) == work) {
            last++;
        }
        return new LearnedEstimate(
                hazardModel, step, last, Math.max(1, Math.round(work)), Math.round(hazardModel.meanTotalMillis(step)));
    }

    /** The same for a job without other data up to this step. */
    LearnedEstimate extendTo(int last) {
        return last <= lastStep
                ? this
                : new LearnedEstimate(hazardModel, step, last, workPerCompletionMillis, meanTotalMillis);
    }

    /** To half a doubling: an estimate from few jobs is no more exact, and near equals should count as equals. */
    private static double rounded(double millis) {
        return StrictMath.pow(2, Math.rint(2 * StrictMath.log(millis) / LOG_2) / 2);
    }

    @Override
    public long validUntilWorkMillis() {
        // the last step has no end: a job past it would be due at once, for ever
        return lastStep == AgeSteps.STEPS - 1 ? Plan.NEVER : (long) Math.ceil(AgeSteps.endMillis(lastStep));
    }

    @Override
    public LearnedEstimate afterWork(long workMillis) {
        int age = AgeSteps.stepOf(workMillis);
        return age >= step && age <= lastStep ? this : hazardModel.estimate(age);
    }

    @Override
    public long totalQuantileMillis(long doneMillis, double probability) {
        return Math.max(doneMillis + 1, Math.round(hazardModel.quantileMillis((double) doneMillis, probability)));
    }

    @Override
    public Quantum bestQuantum(double completionValueMillis) {
        return hazardModel.bestQuantum(step, completionValueMillis);
    }
}
