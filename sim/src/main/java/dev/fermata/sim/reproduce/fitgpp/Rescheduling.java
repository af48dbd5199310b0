package dev.fermata.sim.reproduce.fitgpp;

import dev.fermata.core.contract.Fact;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.measure.Spread;
import dev.fermata.core.model.LongMap;
import dev.fermata.sim.kernel.Simulation;
import java.util.ArrayList;
import java.util.List;

/** How long paused jobs were without their GPUs: from being asked to leave, and from having left, to the next start. */
final class Rescheduling implements Simulation.Listener {
    private static final double MINUTE_MILLIS = 60_000;

    private final LongMap<Long> asked = new LongMap<>();
    private final LongMap<Long> left = new LongMap<>();
    private final List<Double> sinceAsked = new ArrayList<>();
    private final List<Double> sinceLeft = new ArrayList<>();

    @Override
    public void fact(long nowMillis, Fact fact) {
        if (fact instanceof Fact.Pausing pausing) {
            asked.put(pausing.jobId(), nowMillis);
        } else if (fact instanceof Fact.Left gone) {
            if (gone.next() == JobState.PENDING) {
                left.put(gone.jobId(), nowMillis);
            } else {
                asked.remove(gone.jobId()); // it ended in the very moment it was asked
            }
        } else if (fact instanceof Fact.Started started) {
            Long from = asked.remove(started.jobId());
            Long since = left.remove(started.jobId());
            if (from != null && since != null) {
                sinceAsked.add((nowMillis - from) / MINUTE_MILLIS);
                sinceLeft.add((nowMillis - since) / MINUTE_MILLIS);
            }
        }
    }

    /** Minutes from being asked to leave to the next start: the pause itself included. */
    Spread sinceAsked() {
        return spread(sinceAsked);
    }

    /** Minutes from having left to the next start. */
    Spread sinceLeft() {
        return spread(sinceLeft);
    }

    private static Spread spread(List<Double> values) {
        return Spread.of(values.stream().mapToDouble(v -> v).toArray());
    }
}
