package dev.fermata.app.bench;

import dev.fermata.core.contract.Fact;
import dev.fermata.sim.experiment.Experiment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/** Notes the wall clock every so many events, to see whether a run gets slower as jobs pile up behind it. */
public final class SpeedWatch implements Experiment.Watcher {
    private static final int EVENTS_PER_NOTE = 256;

    private final BooleanSupplier stop;
    private final List<Long> nanosAt = new ArrayList<>(List.of(System.nanoTime()));
    private final List<Long> liveAt = new ArrayList<>(List.of(0L));
    private long events;
    private long live;

    SpeedWatch(BooleanSupplier stop) {
        this.stop = stop;
    }

    @Override
    public void fact(long nowMillis, Fact fact) {
        live += fact instanceof Fact.Submitted ? 1 : 0;
        live -= (fact instanceof Fact.Left left && left.next().isFinal()) || fact instanceof Fact.Ended ? 1 : 0;
        // These are the facts that stand for an event from outside.
        boolean event = fact instanceof Fact.Submitted
                || fact instanceof Fact.Refused
                || fact instanceof Fact.Running
                || fact instanceof Fact.Left;
        if (event && ++events % EVENTS_PER_NOTE == 0) {
            nanosAt.add(System.nanoTime());
            liveAt.add(live);
        }
    }

    @Override
    public boolean stop() {
        return stop.getAsBoolean();
    }

    /** A part of the run: what an event cost there, and how many jobs were waiting or running on average. */
    public record Part(double microsPerEvent, double liveJobs) {}

    Part firstTenth() {
        return part(0, tenth());
    }

    Part lastTenth() {
        return part(nanosAt.size() - 1 - tenth(), nanosAt.size() - 1);
    }

    private int tenth() {
        return (nanosAt.size() - 1) / 10;
    }

    private Part part(int from, int to) {
        if (to == from) {
            return new Part(0, 0);
        }
        double micros = (nanosAt.get(to) - nanosAt.get(from)) / 1000.0;
        double jobs =
                liveAt.subList(from, to).stream().mapToLong(n -> n).average().orElse(0);
        return new Part(micros / ((double) (to - from) * EVENTS_PER_NOTE), jobs);
    }
}
