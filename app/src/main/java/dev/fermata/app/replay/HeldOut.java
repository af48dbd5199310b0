package dev.fermata.app.replay;

import dev.fermata.core.measure.JobResult;
import dev.fermata.sim.workload.Rng;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How an objective changes on jobs that were held out, with a 95 % interval. Jobs that came one after another fare alike, so the
 * interval is that of whole stretches of them drawn again and again (a moving-block bootstrap), the same for both.
 *
 * @param change as a share; less than 0 is better
 */
public record HeldOut(double change, double low, double high) {
    private static final int DRAWS = 1000;
    private static final double TAIL = 0.025;

    static HeldOut of(Objective objective, List<JobResult> now, List<JobResult> then, Rng rng) {
        Map<Long, JobResult> before = new HashMap<>();
        now.stream().filter(objective::counts).forEach(job -> before.put(job.id(), job));
        List<JobResult> both = then.stream()
                .filter(job -> objective.counts(job) && before.containsKey(job.id()))
                .sorted(Comparator.comparingLong(JobResult::submitMillis).thenComparingLong(JobResult::id))
                .toList();
        double[] old = new double[both.size()];
        double[] fresh = new double[both.size()];
        for (int i = 0; i < old.length; i++) {
            JobResult was = before.getOrDefault(both.get(i).id(), both.get(i));
            old[i] = objective.figure(was);
            fresh[i] = objective.figure(both.get(i));
        }
        double change = change(objective, old, fresh);
        if (old.length < 2) {
            return new HeldOut(change, Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY);
        }
        int block = (int) Math.max(1, Math.round(StrictMath.sqrt(old.length)));
        double[] drawn = new double[DRAWS];
        for (int d = 0; d < DRAWS; d++) {
            double[] some = new double[old.length];
            double[] others = new double[old.length];
            for (int i = 0; i < old.length; ) {
                int from = (int) (rng.uniform() * (old.length - block + 1));
                for (int k = 0; k < block && i < old.length; k++, i++) {
                    some[i] = old[from + k];
                    others[i] = fresh[from + k];
                }
            }
            drawn[d] = change(objective, some, others);
        }
        Arrays.sort(drawn);
        return new HeldOut(change, drawn[(int) (TAIL * DRAWS)], drawn[(int) ((1 - TAIL) * DRAWS) - 1]);
    }

    private static double change(Objective objective, double[] old, double[] fresh) {
        double before = objective.of(old);
        return before == 0 ? 0 : objective.of(fresh) / before - 1;
    }
}
