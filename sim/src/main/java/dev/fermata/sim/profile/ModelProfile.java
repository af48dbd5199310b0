package dev.fermata.sim.profile;

import dev.fermata.core.model.Costs;
import dev.fermata.core.model.Profile;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeSet;

/**
 * A model of the catalogue: its profile at the usual batch on the reference GPU, what it costs to stop and start, what was
 * measured of it elsewhere and at other batches, and where every figure comes from.
 *
 * @param aliases other spellings of its name
 * @param relatives models of which nothing is known and that take its figures
 * @param series whose measurements say how time and memory change with the batch
 * @param measurements in order of GPU type and batch
 */
public record ModelProfile(
        String name,
        List<String> aliases,
        List<String> relatives,
        int batch,
        Profile reference,
        Costs costs,
        String series,
        List<Measurement> measurements,
        Sources sources,
        Shares shares) {

    /** Where the figures come from: measured by us, published by whom, derived how, or assumed. */
    public record Sources(String time, String exchange, String costs) {}

    /** How often it is drawn: among generated jobs, and where a trace names no model, by size of gang. */
    public record Shares(double generated, double one, double few, double many) {
        static final Shares NONE = new Shares(0, 0, 0, 0);
    }

    /** The profile at a batch: time and memory follow the model's series of measurements. */
    public Profile at(int wanted) {
        return wanted == batch ? reference : at(wanted, reference.speedByType());
    }

    /** The same with speeds on other types as they were measured at that batch for gangs of that size, if they were. */
    public Profile at(int wanted, int gpus) {
        OptionalDouble base = Rates.stepsPerSecond(name, wanted, Rates.REFERENCE, gpus);
        if (base.isEmpty()) {
            return at(wanted);
        }
        Map<String, Double> speeds = new HashMap<>();
        for (String type : Rates.COMPARED) {
            Rates.stepsPerSecond(name, wanted, type, gpus)
                    .ifPresent(rate -> speeds.put(type, rate / base.getAsDouble()));
        }
        return at(wanted, speeds);
    }

    private Profile at(int wanted, Map<String, Double> speeds) {
        List<Measurement> points =
                measurements.stream().filter(m -> m.source().equals(series)).toList();
        double time = new BatchCurve(points, Measurement::iterationMillis).ratio(wanted, batch);
        double memory = new BatchCurve(points, Measurement::memoryMib).ratio(wanted, batch);
        double busy = points.stream()
                .filter(p -> p.batch() == wanted && wanted != batch && p.busyShare() > 0)
                .mapToDouble(Measurement::busyShare)
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
        measurements.stream().filter(m -> m.source().equals(series)).forEach(m -> known.add(m.batch()));
        for (int candidate : known.descendingSet()) {
            if (at(candidate).peakMemoryMib() <= memoryMib) {
                return candidate;
            }
        }
        return 0;
    }
}
