package dev.fermata.sim.trace.inspect;

/** Some of the jobs of a trace: how many, and the GPU-time they need. */
public record GroupTotals(long jobs, double gpuSeconds) {
    static final GroupTotals NONE = new GroupTotals(0, 0);

    GroupTotals plus(double more) {
        return new GroupTotals(jobs + 1, gpuSeconds + more);
    }
}
