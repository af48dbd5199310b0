package dev.fermata.insight.experiment;

/** Receives the progress of simulated runs. Called from several threads. */
public interface RunProgress {
    /** Ignores everything. */
    RunProgress NONE = new RunProgress() {};

    /** Announces a run. */
    default void expect(String policy, int jobs) {}

    /** Announces a cached run and the time it took. */
    default void recordFinished(String policy, int jobs, double seconds) {}

    /** Predicted time of such a run; infinite while unknown. */
    default double expectedSeconds(String policy, int jobs) {
        return Double.POSITIVE_INFINITY;
    }

    /** A run begins, announced or not. */
    default RunTrack begin(String label, String policy, int jobs) {
        return new RunTrack() {};
    }

    /** A warning that is shown even where progress is not. */
    default void warn(String text) {}

    /** One run among those in progress; closed when the run ends. */
    interface RunTrack extends AutoCloseable {
        default void jobEnded() {}

        @Override
        default void close() {}
    }
}
