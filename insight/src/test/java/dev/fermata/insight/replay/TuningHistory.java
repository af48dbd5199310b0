package dev.fermata.insight.replay;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.model.Job;
import dev.fermata.sim.workload.Rng;
import java.io.IOException;
import java.nio.file.Path;

/** A short history on which settings are searched. */
public final class TuningHistory {
    private TuningHistory() {}

    /**
     * One GPU, one job after the other as they came, in the file {@code history.json} of this folder.
     *
     * @param longer is added to the run time of each of the last third
     */
    public static RecordedHistory write(Path folder, int jobs, long longer) throws IOException {
        Rng rng = Rng.stream(5, 0);
        HistoryFileBuilder written = new HistoryFileBuilder();
        long[] ends = new long[jobs];
        for (int i = 0; i < jobs; i++) {
            written.submitted(
                    i * 2_000L,
                    Job.builder(i + 1, 1).name("train-" + i).user("ann").build());
            ends[i] = 500 + Math.round(rng.exponential(2_500)) + (i >= jobs * 2 / 3 ? longer : 0);
        }
        long free = jobs * 2_000L;
        for (int i = 0; i < jobs; i++) {
            written.started(free, i + 1, 1, 0);
            free += ends[i];
            written.attemptEnded(
                    free, i + 1, 1, Outcome.COMPLETED, new Usage(0, ends[i], 0, 0, 0, ends[i]), JobState.COMPLETED);
        }
        return written.history(folder);
    }
}
