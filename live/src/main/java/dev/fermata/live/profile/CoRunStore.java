package dev.fermata.live.profile;

import dev.fermata.core.model.Profile;
import dev.fermata.core.model.SpeedModel;
import dev.fermata.history.RecordJson;
import dev.fermata.history.SampleSummary;
import dev.fermata.live.store.CoRunRow;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Measured speeds of co-located programs by GPU type. Each program of a co-run has its own speed: the median of its
 * latest {@link #MAX_SAMPLES} samples. The number of GPUs does not count, because jobs slow each other down on each GPU
 * they share. One thread writes, all threads read.
 */
public final class CoRunStore {
    /** Fewer than for other metrics, so that a slowdown follows changes of a script. */
    public static final int MAX_SAMPLES = 15;

    /** Neighbours kept for one program; the one met longest ago is dropped first. */
    static final int MAX_NEIGHBOURS = 32;

    private static final Logger LOG = LoggerFactory.getLogger(CoRunStore.class);
    private static final RecordJson JSON = new RecordJson();
    /** Slowdowns are rounded to this, so that not every sample changes them. */
    private static final double RESOLUTION = 0.02;

    private static final int SHARE_STEPS = 20;

    private record ProgramOnType(String program, String gpuType) {}

    /** Speeds in thousandths of that alone, oldest first. */
    private record SpeedSamples(List<Long> speedPermille) {
        SpeedSamples {
            speedPermille = List.copyOf(speedPermille);
        }

        SpeedSamples with(long value) {
            List<Long> next = new ArrayList<>(speedPermille);
            next.add(value);
            return new SpeedSamples(
                    next.size() > MAX_SAMPLES ? next.subList(next.size() - MAX_SAMPLES, next.size()) : next);
        }

        double slowdown() {
            long speed = SampleSummary.of(speedPermille).p50();
            return Math.max(1, Math.round(1000.0 / speed / RESOLUTION) * RESOLUTION);
        }
    }

    /** Neighbours by program, the latest last. */
    private final Map<ProgramOnType, Map<String, SpeedSamples>> byProgram = new ConcurrentHashMap<>();

    /** Restores the samples from rows, oldest first. */
    public void restore(List<CoRunRow> rows) {
        for (CoRunRow row : rows) {
            try {
                SpeedSamples samples = JSON.readStored(row.body(), SpeedSamples.class);
                if (!samples.speedPermille.isEmpty()) {
                    put(new ProgramOnType(row.profile(), row.gpuType()), row.neighbour(), samples);
                }
            } catch (IllegalArgumentException e) {
                LOG.warn(
                        "co-run ({}) with ({}): row cannot be read: {}",
                        row.profile(),
                        row.neighbour(),
                        e.getMessage());
            }
        }
    }

    /** Adds the samples of an attempt; returns the rows to write. */
    public List<CoRunRow> learn(ProfileKey key, List<CoRunSample> observed, long nowMillis) {
        ProgramOnType program = new ProgramOnType(key.label(), key.gpuType());
        List<CoRunRow> rows = new ArrayList<>();
        for (CoRunSample coRun : observed) {
            SpeedSamples samples = byProgram
                    .getOrDefault(program, Map.of())
                    .getOrDefault(coRun.neighbour(), new SpeedSamples(List.of()))
                    .with(coRun.speedPermille());
            String forgotten = put(program, coRun.neighbour(), samples);
            rows.add(row(program, coRun.neighbour(), nowMillis, samples));
            if (forgotten != null) {
                rows.add(row(program, forgotten, nowMillis, new SpeedSamples(List.of())));
            }
        }
        return rows;
    }

    private static CoRunRow row(ProgramOnType program, String neighbour, long nowMillis, SpeedSamples samples) {
        return new CoRunRow(program.program, neighbour, program.gpuType, nowMillis, JSON.writeStored(samples));
    }

    /** Returns the neighbour that is dropped for this one, or null. */
    private @Nullable String put(ProgramOnType program, String neighbour, SpeedSamples samples) {
        Map<String, SpeedSamples> next = new LinkedHashMap<>(byProgram.getOrDefault(program, Map.of()));
        next.remove(neighbour);
        next.put(neighbour, samples);
        String forgotten =
                next.size() > MAX_NEIGHBOURS ? next.keySet().iterator().next() : null;
        if (forgotten != null) {
            next.remove(forgotten);
        }
        byProgram.put(program, next);
        return forgotten;
    }

    /** Deletes the samples of this program; returns the rows to write. */
    public List<CoRunRow> forget(ProfileKey key, long nowMillis) {
        ProgramOnType program = new ProgramOnType(key.label(), key.gpuType());
        Map<String, SpeedSamples> known = byProgram.remove(program);
        return known == null
                ? List.of()
                : known.keySet().stream()
                        .map(other -> row(program, other, nowMillis, new SpeedSamples(List.of())))
                        .toList();
    }

    /** Speeds of this program by neighbour, in thousandths of its speed alone. */
    public Map<String, SampleSummary> speeds(ProfileKey key) {
        Map<String, SampleSummary> speeds = new TreeMap<>();
        byProgram
                .getOrDefault(new ProgramOnType(key.label(), key.gpuType()), Map.of())
                .forEach((neighbour, samples) -> speeds.put(neighbour, SampleSummary.of(samples.speedPermille)));
        return speeds;
    }

    /** Slowdowns of this program by neighbour. */
    public Map<String, Double> slowdowns(ProfileKey key) {
        Map<String, Double> slowdowns = new TreeMap<>();
        byProgram
                .getOrDefault(new ProgramOnType(key.label(), key.gpuType()), Map.of())
                .forEach((neighbour, samples) -> slowdowns.put(neighbour, samples.slowdown()));
        return slowdowns;
    }

    /** The profile with measured slowdowns, and a busy share that fits them in steps of a twentieth. */
    public Profile applyTo(ProfileKey key, Profile known, boolean busyIsOverridden) {
        Map<String, Double> slowdowns = byProgram.isEmpty() ? Map.of() : slowdowns(key);
        if (slowdowns.isEmpty()) {
            return known;
        }
        return known.withCoRunMeasurements(
                busyIsOverridden ? known.busyShare() : busyShare(key, slowdowns, known), slowdowns);
    }

    /**
     * The busy share that predicts slowdowns with unknown neighbours: the median of the shares with which the speed model
     * yields the measured slowdowns. The share that a GPU reports is too low for jobs bound by kernel launches.
     */
    private double busyShare(ProfileKey key, Map<String, Double> slowdowns, Profile known) {
        List<Long> permille = new ArrayList<>();
        slowdowns.forEach((neighbour, slowdown) -> {
            SpeedSamples other = byProgram
                    .getOrDefault(new ProgramOnType(neighbour, key.gpuType()), Map.of())
                    .get(key.label());
            SpeedModel.BusyShares shares = other == null ? null : SpeedModel.busySharesFor(slowdown, other.slowdown());
            if (shares != null) {
                permille.add(Math.round(1000 * shares.one()));
            }
        });
        if (permille.isEmpty()) {
            return known.busyShare();
        }
        double share = SampleSummary.of(permille).p50() / 1000.0;
        return Math.max(1, Math.round(share * SHARE_STEPS)) / (double) SHARE_STEPS;
    }
}
