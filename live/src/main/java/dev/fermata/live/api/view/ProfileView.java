package dev.fermata.live.api.view;

import java.util.List;

/**
 * What is known of one kind of job.
 *
 * @param id short for the four that make a kind: command, model, GPU type and number of GPUs
 * @param promiseMib GPU memory that a job of this kind is promised when its user names none; 0 when unknown: it never shares
 * @param beside how fast it was beside other kinds on one GPU, where that was measured
 */
public record ProfileView(
        String id,
        String command,
        String model,
        String gpuType,
        int gpus,
        int promiseMib,
        List<Value> figures,
        List<Beside> beside) {
    /**
     * @param value what is believed: what was said, else the median of what was measured (of memory the most)
     * @param source {@code said} or {@code measured}
     * @param measurements how many of the latest are kept; the other figures are of those, 0 without any
     */
    public record Value(String figure, long value, String source, int measurements, long p50, long p90, long most) {}

    /**
     * @param neighbour the other kind: its model and command
     * @param speed relative to alone, the median of what was measured
     * @param measurements how many of the latest are kept
     */
    public record Beside(String neighbour, double speed, int measurements) {}
}
