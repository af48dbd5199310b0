package dev.fermata.insight.replay;

import dev.fermata.core.measure.JobResult;
import dev.fermata.sim.workload.Rng;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How an objective changes on jobs that were held out, with a 95 % interval. Consecutive jobs fare alike, so the
 * interval comes from resampling blocks of consecutive jobs (a moving-block bootstrap), the same blocks for both.
 *
 * @param change as a share; less than 0 is better
 */
public record HeldOutChange(double change, double low, double high) {
    private static final int BOOTSTRAP_DRAWS = 1000;
    private static final double TAIL = 0.025;

    static HeldOutChange of(Objective objective, List<JobResult> now, List<JobResult> then, Rng rng) {
        Map<Long, JobResult> before = new HashMap<>();
        now.stream().filter(objective::includes).forEach(job -> before.put(job.id(), job));
        List<JobResult> both = then.stream()
                .filter(job -> objective.includes(job) && before.containsKey(job.id()))
                .sorted(Comparator.comparingLong(JobResult::submitMillis).thenComparingLong(JobResult::id))
                .toList();
        double[] old = new double[both.size()];
        double[] fresh = new double[both.size()];
        for (int i = 0; i < old.length; i++) {
            JobResult was = before.getOrDefault(both.get(i).id(), both.get(i));
            old[i] = objective.value(was);
            fresh[i] = objective.value(both.get(i));
        }
        double change = change(objective, old, fresh);
        if (old.length < 2) {
            return new HeldOutChange(change, Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY);
        }
        int block = (int) Math.max(1, Math.round(StrictMath.sqrt(old.length)));
        double[] drawn = new double[BOOTSTRAP_DRAWS];
        for (int d = 0; d < BOOTSTRAP_DRAWS; d++) {
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
        return new HeldOutChange(
                change, drawn[(int) (TAIL * BOOTSTRAP_DRAWS)], drawn[(int) ((1 - TAIL) * BOOTSTRAP_DRAWS) - 1]);
    }

    private static double change(Objective objective, double[] old, double[] fresh) {
        double before = objective.of(old);
        return before == 0 ? 0 : objective.of(fresh) / before - 1;
    }
}
