package dev.fermata.core.measure;

import java.util.List;
import java.util.function.ToDoubleFunction;

/** What happened to a set of jobs. Times in seconds, over the jobs that completed. */
public record JobStatistics(
        int jobs, int completed, Distribution jct, Distribution waiting, Distribution slowdown, double jainFairness) {

    static JobStatistics of(List<JobResult> all) {
        List<JobResult> done = all.stream()
                .filter(r -> r.state() == dev.fermata.core.contract.JobState.COMPLETED)
                .toList();
        double[] stretch = values(done, r -> (double) r.jctMillis() / Math.max(1, r.runMillis()));
        return new JobStatistics(
                all.size(),
                done.size(),
                Distribution.of(values(done, r -> r.jctMillis() / 1000.0)),
                Distribution.of(values(done, r -> r.waitMillis() / 1000.0)),
                Distribution.of(values(done, JobResult::slowdown)),
                jain(stretch));
    }

    private static double[] values(List<JobResult> jobs, ToDoubleFunction<JobResult> value) {
        return jobs.stream().mapToDouble(value).toArray();
    }

    /** Jain's index: 1 when all are treated alike, 1/n when one gets everything. */
    static double jain(double[] values) {
        double sum = 0;
        double squares = 0;
        for (double v : values) {
            sum += v;
            squares += v * v;
        }
        return squares == 0 ? 1 : sum * sum / (values.length * squares);
    }
}
