package dev.fermata.core.estimate;

import dev.fermata.core.contract.Outlook;

/** What is expected of a job that reached a step of age, and the last step in which that is about the same. */
record Prospect(Forecast forecast, int step, int lastStep, long workPerEndMillis, long meanMillis) implements Outlook {
    private static final double LOG_2 = StrictMath.log(2);

    static Prospect of(Forecast forecast, int step) {
        double work = rounded(forecast.workPerEndMillis(step));
        int last = step;
        while (last + 1 < Ages.STEPS && rounded(forecast.workPerEndMillis(last + 1)) == work) {
            last++;
        }
        return new Prospect(forecast, step, last, Math.max(1, Math.round(work)), Math.round(forecast.meanMillis(step)));
    }

    /** The same for somebody of whom nothing else is said up to this step. */
    Prospect atLeastTo(int last) {
        return last <= lastStep ? this : new Prospect(forecast, step, last, workPerEndMillis, meanMillis);
    }

    /** To a power of two: what was learned from few jobs says no more, and about equals should count as equals. */
    private static double rounded(double millis) {
        return StrictMath.pow(2, Math.rint(StrictMath.log(millis) / LOG_2));
    }

    @Override
    public long untilWorkMillis() {
        return (long) Math.ceil(Ages.endMillis(lastStep));
    }

    @Override
    public Prospect after(long workMillis) {
        int age = Ages.stepOf(workMillis);
        return age >= step && age <= lastStep ? this : forecast.prospect(age);
    }

    @Override
    public long wholeMillis(long doneMillis, double chance) {
        return Math.max(doneMillis + 1, Math.round(forecast.quantileMillis((double) doneMillis, chance)));
    }

    @Override
    public Stint stint(double worthMillis) {
        return forecast.stint(step, worthMillis);
    }
}
