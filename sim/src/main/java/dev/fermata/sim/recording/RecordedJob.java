package dev.fermata.sim.recording;

import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Job;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The recorder's state of a job between its submission and its end. */
final class RecordedJob {
    final Job job;
    boolean waiting = true;

    @Nullable
    Allocation held;

    int attempt;
    long startedMillis;
    long runningMillis;
    long stoppedMillis;
    /** The job it is preempted for. */
    @Nullable
    Job beneficiary;

    /** Which rows of the chart it is on; null for none. */
    @Nullable
    List<Integer> rows;

    RecordedJob(Job job) {
        this.job = job;
    }
}
