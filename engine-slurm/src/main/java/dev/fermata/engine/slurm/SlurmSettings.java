package dev.fermata.engine.slurm;

import java.nio.file.Path;

/**
 * How the engine uses Slurm.
 *
 * @param conf Slurm's configuration file, empty for the one that its commands find
 * @param folder holds the folders of attempts; all nodes see it under this path
 * @param partition for jobs that name none, empty for Slurm's default
 * @param pollMillis the time between two reads of the state of all jobs
 * @param asUsers whether jobs run under the accounts of their users, which only root may request
 */
record SlurmSettings(String conf, Path data, Path folder, String partition, long pollMillis, boolean asUsers) {
    static final long POLL_MILLIS = 1_000;
    /** Nodes change rarely. */
    private static final int NODE_POLLS = 10;

    long nodePollMillis() {
        return NODE_POLLS * pollMillis;
    }
}
