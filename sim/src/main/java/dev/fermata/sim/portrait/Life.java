package dev.fermata.sim.portrait;

import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Job;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Notes about a job between its submission and its end. */
final class Life {
    final Job job;
    boolean waiting = true;

    @Nullable
    Allocation held;

    int attempt;
    long startedMillis;
    long runningMillis;
    long stoppedMillis;
    /** Time it made progress that was kept, over all attempts that left. */
    long usefulMillis;

    /** The pause in progress. */
    @Nullable
    Pause pausing;

    /** The last pause, while the load that it causes is not over. */
    @Nullable
    Pause reloading;

    /** The last pause, until it makes progress again. */
    @Nullable
    Pause away;

    /** Pauses of which it is not known yet how long the job still ran after them. */
    final List<Pause> pauses = new ArrayList<>();

    /** The decision that promised it GPUs. */
    @Nullable
    Decision promise;

    /** Which rows of the chart it is on; null for none. */
    @Nullable
    List<Integer> rows;

    Life(Job job) {
        this.job = job;
    }
}
