package dev.fermata.live.api.view;

import java.util.List;

/**
 * One job profile.
 *
 * @param id a short hash of its key: command, model, GPU type and number of GPUs
 * @param memoryReservationMib GPU memory reserved for a job of this profile whose user requests none; 0 for unknown: it never
 *     shares a GPU
 * @param coRuns its speed on a GPU shared with other profiles, where measured
 */
public record ProfileView(
        String id,
        String command,
        String model,
        String gpuType,
        int gpus,
        int memoryReservationMib,
        List<ProfileMetricView> metrics,
        List<CoRunView> coRuns) {
    /**
     * @param value the value in use: the declared one, else the median of the measurements (for memory the maximum)
     * @param source {@code said} or {@code measured}
     * @param measurements how many of the latest are kept; the other values are of those, 0 for none
     */
    public record ProfileMetricView(
            String metric, long value, String source, int measurements, long p50, long p90, long max) {}

    /**
     * @param neighbour the model and command of the other profile
     * @param speed the median speed relative to running alone
     * @param measurements how many of the latest are kept
     */
    public record CoRunView(String neighbour, double speed, int measurements) {}
}
