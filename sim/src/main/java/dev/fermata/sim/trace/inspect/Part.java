package dev.fermata.sim.trace.inspect;

/** Some of the jobs of a trace: how many, and the GPU-time they need. */
public record Part(long jobs, double gpuSeconds) {
    static final Part NONE = new Part(0, 0);

    Part and(double more) {
        return new Part(jobs + 1, gpuSeconds + more);
    }
}
