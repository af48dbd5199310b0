package dev.fermata.app.bench;

import dev.fermata.core.contract.Fact;
import dev.fermata.sim.experiment.Experiment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/** Notes the wall clock every so many events, to see whether a run gets slower as jobs pile up behind it. */
final class SpeedWatch implements Experiment.Watcher {
    private static final int EVENTS_PER_NOTE = 256;

    private final BooleanSupplier stop;
    private final List<Long> nanosAt = new ArrayList<>(List.of(System.nanoTime()));
    private long events;

    SpeedWatch(BooleanSupplier stop) {
        this.stop = stop;
    }

    @Override
    public void fact(long nowMillis, Fact fact) {
        // These are the facts that stand for an event from outside.
        boolean event = fact instanceof Fact.Submitted
                || fact instanceof Fact.Refused
                || fact instanceof Fact.Running
                || fact instanceof Fact.Left;
        if (event && ++events % EVENTS_PER_NOTE == 0) {
            nanosAt.add(System.nanoTime());
        }
    }

    @Override
    public boolean stop() {
        return stop.getAsBoolean();
    }

    double firstTenthMicrosPerEvent() {
        return microsPerEvent(0, tenth());
    }

    double lastTenthMicrosPerEvent() {
        return microsPerEvent(nanosAt.size() - 1 - tenth(), nanosAt.size() - 1);
    }

    private int tenth() {
        return (nanosAt.size() - 1) / 10;
    }

    private double microsPerEvent(int from, int to) {
        return to == from
                ? 0
                : (nanosAt.get(to) - nanosAt.get(from)) / 1000.0 / ((double) (to - from) * EVENTS_PER_NOTE);
    }
}
