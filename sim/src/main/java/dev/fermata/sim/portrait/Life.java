package dev.fermata.sim.portrait;

import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Job;
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
    /** For whose sake it was asked to leave. */
    @Nullable
    Job pausedFor;

    /** Which rows of the chart it is on; null for none. */
    @Nullable
    List<Integer> rows;

    Life(Job job) {
        this.job = job;
    }
}
