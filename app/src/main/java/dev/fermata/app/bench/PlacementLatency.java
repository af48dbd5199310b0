package dev.fermata.app.bench;

import dev.fermata.core.policy.market.Market;
import dev.fermata.core.policy.market.SampledMarket;
import dev.fermata.sim.reproduce.jps.Instances;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/** How long JPS takes to divide workers among jobs, on instances of every kind. */
public final class PlacementLatency {
    private static final int INSTANCES = 8;

    private final List<Market> markets = new ArrayList<>();
    private final SampledMarket.Knobs knobs;

    public PlacementLatency(int jobs, int workers, SampledMarket.Knobs knobs, long seed) {
        this.knobs = knobs;
        for (Instances.Kind kind : Instances.Kind.values()) {
            for (int i = 0; i < INSTANCES; i++) {
                markets.add(Instances.draw(kind, jobs, workers, seed + i));
            }
        }
    }

    /** Milliseconds of the first placement: cold, if it is the first of the process. */
    public double firstMillis() {
        long begin = System.nanoTime();
        SampledMarket.place(markets.get(0), knobs);
        return (System.nanoTime() - begin) / 1e6;
    }

    /** Times of this many placements, after as many to warm up. */
    public Latencies measure(int placements, BooleanSupplier stop) {
        run(placements, new Latencies(), stop);
        Latencies latencies = new Latencies();
        run(placements, latencies, stop);
        return latencies;
    }

    private void run(int placements, Latencies into, BooleanSupplier stop) {
        for (int i = 0; i < placements && !stop.getAsBoolean(); i++) {
            long begin = System.nanoTime();
            SampledMarket.place(markets.get(i % markets.size()), knobs);
            into.add(System.nanoTime() - begin);
        }
    }
}
