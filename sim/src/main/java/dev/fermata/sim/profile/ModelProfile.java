package dev.fermata.sim.profile;

import dev.fermata.core.model.Costs;
import dev.fermata.core.model.Profile;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeSet;

/**
 * A model of the catalogue: its profile at the usual batch on the reference GPU, and the source of every figure. It
 * also has what it costs to stop and start, and what was measured of it elsewhere and at other batches.
 *
 * @param aliases other spellings of its name
 * @param relatedModels models without measurements that take its figures
 * @param batchSeries whose measurements say how time and memory change with the batch
 * @param measurements in order of GPU type and batch
 */
public record ModelProfile(
        String name,
        List<String> aliases,
        List<String> relatedModels,
        int batch,
        Profile reference,
        Costs costs,
        String batchSeries,
        List<IterationMeasurement> measurements,
        ProfileSources sources,
        DrawShares shares) {

    /** Where the figures come from: measured by us, published and where, derived and how, or assumed. */
    public record ProfileSources(String time, String exchange, String costs) {}

    /** How often it is drawn: among generated jobs, and where a trace names no model, by size of gang. */
    public record DrawShares(double generated, double one, double few, double many) {
        static final DrawShares NONE = new DrawShares(0, 0, 0, 0);
    }

    /** The profile at a batch: time and memory follow the model's series of measurements. */
    public Profile at(int requestedBatch) {
        return requestedBatch == batch ? reference : at(requestedBatch, reference.speedByType());
    }

    /** The same with speeds on other types as they were measured at that batch for gangs of that size, if they were. */
    public Profile at(int requestedBatch, int gpus) {
        OptionalDouble base = ThroughputTable.stepsPerSecond(name, requestedBatch, ThroughputTable.REFERENCE, gpus);
        if (base.isEmpty()) {
            return at(requestedBatch);
        }
        Map<String, Double> speeds = new HashMap<>();
        for (String type : ThroughputTable.COMPARED) {
            ThroughputTable.stepsPerSecond(name, requestedBatch, type, gpus)
                    .ifPresent(rate -> speeds.put(type, rate / base.getAsDouble()));
        }
        return at(requestedBatch, speeds);
    }

    private Profile at(int requestedBatch, Map<String, Double> speeds) {
        List<IterationMeasurement> points = measurements.stream()
                .filter(m -> m.source().equals(batchSeries))
                .toList();
        double time = new BatchCurve(points, IterationMeasurement::iterationMillis).ratio(requestedBatch, batch);
        double memory = new BatchCurve(points, IterationMeasurement::memoryMib).ratio(requestedBatch, batch);
        double busy = points.stream()
                .filter(p -> p.batch() == requestedBatch && requestedBatch != batch && p.busyShare() > 0)
                .mapToDouble(IterationMeasurement::busyShare)
                .findFirst()
                .orElse(reference.busyShare());
        return new Profile(
                name,
                reference.iterationMillis() * time,
                busy,
                reference.gradientMib(),
                reference.layers(),
                (int) Math.round(reference.peakMemoryMib() * memory),
                speeds);
    }

    /** The largest batch that was measured, or is the usual one, and needs no more memory than this; 0 when none does. */
    public int largestBatch(int memoryMib) {
        TreeSet<Integer> known = new TreeSet<>(List.of(batch));
        measurements.stream().filter(m -> m.source().equals(batchSeries)).forEach(m -> known.add(m.batch()));
        for (int candidate : known.descendingSet()) {
            if (at(candidate).peakMemoryMib() <= memoryMib) {
                return candidate;
            }
        }
        return 0;
    }
}
