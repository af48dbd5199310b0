package dev.fermata.bench.measure;

import dev.fermata.core.policy.market.Market;
import dev.fermata.core.policy.market.SampledMarket;
import dev.fermata.sim.workload.JpsInstances;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/** Measures how long JPS takes to divide workers among jobs, on instances of every class. */
public final class PlacementLatency {
    private static final int INSTANCES = 8;

    private final List<Market> markets = new ArrayList<>();
    private final SampledMarket.SamplingOptions options;

    public PlacementLatency(int jobs, int workers, SampledMarket.SamplingOptions options, long seed) {
        this.options = options;
        for (JpsInstances.InstanceClass variant : JpsInstances.InstanceClass.values()) {
            for (int i = 0; i < INSTANCES; i++) {
                markets.add(JpsInstances.draw(variant, jobs, workers, seed + i));
            }
        }
    }

    /** Milliseconds of the first placement: cold, if it is the first of the process. */
    public double firstMillis() {
        long begin = System.nanoTime();
        SampledMarket.place(markets.get(0), options);
        return (System.nanoTime() - begin) / 1e6;
    }

    /** Times of this many placements, after as many to warm up. */
    public LatencySample measure(int placements, BooleanSupplier stop) {
        run(placements, new LatencySample(), stop);
        LatencySample latencies = new LatencySample();
        run(placements, latencies, stop);
        return latencies;
    }

    private void run(int placements, LatencySample into, BooleanSupplier stop) {
        for (int i = 0; i < placements && !stop.getAsBoolean(); i++) {
            long begin = System.nanoTime();
            SampledMarket.place(markets.get(i % markets.size()), options);
            into.add(System.nanoTime() - begin);
        }
    }
}
