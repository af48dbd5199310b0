package dev.fermata.sim.trace;

import dev.fermata.core.model.Costs;
import dev.fermata.core.model.GpuCatalogue;
import dev.fermata.core.model.GpuType;
import dev.fermata.core.model.Profile;
import dev.fermata.sim.profile.ModelCatalogue;
import dev.fermata.sim.profile.ModelProfile;
import dev.fermata.sim.profile.ModelRule;
import dev.fermata.sim.profile.Rates;
import dev.fermata.sim.workload.Rng;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * Decides what each job of a trace trains. Whoever names a model of the catalogue has its profile and costs; the others get a
 * model by {@link ModelRule}, from a stream that belongs to the seed and the job, so that a job keeps its model whatever else
 * is in the trace. A name nobody knows stays as a label.
 *
 * <p>What a trace does not tell must not keep a job from a GPU: memory that is assumed here is never more than the smallest GPU
 * of the cluster has that the job may use, and a part of it for a job that asks for a part of a GPU.
 */
public final class Casting {
    private static final long HASH_START = 0xcbf29ce484222325L;
    private static final long HASH_FACTOR = 0x100000001b3L;
    private static final int WHOLE = 1000;

    private final List<GpuType> types;
    private final long seed;
    private final boolean rule;
    private final Map<Costume, Profile> profiles = new HashMap<>();
    private final Map<Asked, Optional<ModelCatalogue.Found>> asked = new HashMap<>();
    private final Map<List<String>, Integer> smallest = new HashMap<>();

    /**
     * @param memoryMib per GPU
     * @param gpuTypes those of the record, less those on which it was tried in vain
     */
    record Role(Profile profile, Costs costs, int memoryMib, List<String> gpuTypes, long durationMillis) {}

    /** A model as records name it: looked up once, however many do. */
    private record Asked(String model, int batch) {}

    /** What decides a profile: many jobs share one. */
    private record Costume(String model, int batch, int gpus, int gpuMilli, String label) {}

    private Casting(List<GpuType> types, long seed, boolean rule) {
        this.types = types;
        this.seed = seed;
        this.rule = rule;
    }

    /** Draws a model for every job without one; the types are those of the cluster. */
    public static Casting rule(List<GpuType> types, long seed) {
        return new Casting(types, seed, true);
    }

    /** A job without a model has no profile and no costs, and shares no GPU. */
    public static Casting none(List<GpuType> types) {
        return new Casting(types, 0, false);
    }

    /** For a cluster about which nothing is said. */
    static Casting rule(long seed) {
        return rule(List.of(GpuCatalogue.GENERIC), seed);
    }

    /** @param key what the job is called in its trace and nobody else is */
    Role role(TraceRecord record, String key) {
        int room = room(record);
        Optional<ModelCatalogue.Found> named = asked.computeIfAbsent(
                new Asked(record.model(), record.batch()), a -> ModelCatalogue.find(a.model, a.batch));
        if (named.isPresent()) {
            return named(record, named.get(), room);
        }
        Optional<ModelRule.Choice> drawn =
                rule ? ModelRule.draw(record.maxGpus(), wanted(record, room), stream(key)::uniform) : Optional.empty();
        return drawn.map(choice -> {
                    ModelProfile model = choice.model();
                    String label = record.model().isEmpty() ? model.name() : record.model();
                    return role(record, model, choice.batch(), 0, label, room);
                })
                .orElseGet(() -> unknown(record, room));
    }

    private Role named(TraceRecord record, ModelCatalogue.Found found, int room) {
        ModelProfile model = found.model();
        String label = found.relative() ? record.model() : model.name();
        if (found.batch() > 0) {
            return role(record, model, found.batch(), record.maxGpus(), label, room);
        }
        int fitting = ModelRule.fittingBatch(model, wanted(record, room));
        return role(record, model, fitting > 0 ? fitting : model.batch(), 0, label, room);
    }

    /** @param gpus 0 where the batch is our choice, so that speeds measured at one batch say nothing */
    private Role role(TraceRecord record, ModelProfile model, int batch, int gpus, String label, int room) {
        Costume costume = new Costume(model.name(), batch, gpus, record.gpuMilli(), label);
        Profile profile = profiles.computeIfAbsent(costume, c -> partOf(dressed(model, c), c.gpuMilli));
        OptionalDouble rate = Rates.stepsPerSecond(model.name(), batch, Rates.REFERENCE, record.maxGpus());
        return new Role(
                profile,
                model.costs(),
                memory(record, profile.peakMemoryMib(), room),
                possible(record, model, batch),
                duration(record, rate.isPresent() ? 1000 / rate.getAsDouble() : profile.iterationMillis()));
    }

    private static Profile dressed(ModelProfile model, Costume costume) {
        Profile profile = costume.gpus > 0 ? model.at(costume.batch, costume.gpus) : model.at(costume.batch);
        return costume.label.equals(model.name()) ? profile : profile.named(costume.label);
    }

    /** Of a trace that counts iterations instead of time, the time they take on the reference GPU. */
    private static long duration(TraceRecord record, double iterationMillis) {
        return record.durationMillis() > 0
                ? record.durationMillis()
                : Math.max(1, Math.round(record.iterations() * iterationMillis));
    }

    private List<String> possible(TraceRecord record, ModelProfile model, int batch) {
        List<String> allowed =
                record.gpuTypes().isEmpty() ? types.stream().map(GpuType::name).toList() : record.gpuTypes();
        List<String> left = allowed.stream()
                .filter(type -> !Rates.impossible(model.name(), batch, type.toUpperCase(Locale.ROOT), record.maxGpus()))
                .toList();
        return left.isEmpty() || left.size() == allowed.size() ? record.gpuTypes() : left;
    }

    private Role unknown(TraceRecord record, int room) {
        Costume costume = new Costume("", 0, 0, record.gpuMilli(), record.model());
        Profile profile = profiles.computeIfAbsent(costume, c -> partOf(Profile.UNKNOWN.named(c.label), c.gpuMilli));
        return new Role(
                profile,
                Costs.NONE,
                memory(record, 0, room),
                record.gpuTypes(),
                duration(record, profile.iterationMillis()));
    }

    /** Whoever asks for a part of a GPU keeps it busy for no more than that. */
    private static Profile partOf(Profile profile, int gpuMilli) {
        double part = gpuMilli / (double) WHOLE;
        return profile.busyShare() <= part
                ? profile
                : new Profile(
                        profile.model(),
                        profile.iterationMillis(),
                        part,
                        profile.gradientMib(),
                        profile.layers(),
                        profile.peakMemoryMib(),
                        profile.speedByType());
    }

    private static int memory(TraceRecord record, int needed, int room) {
        if (record.gpuMemoryMib() != TraceRecord.UNKNOWN) {
            return record.gpuMemoryMib();
        }
        return record.gpuMilli() < WHOLE ? room : Math.min(needed, room);
    }

    /** What a model may need: what the job itself says, within its room. */
    private static int wanted(TraceRecord record, int room) {
        return record.gpuMemoryMib() > 0 ? Math.min(record.gpuMemoryMib(), room) : room;
    }

    /** The memory there is for it on the smallest GPU that it may use. */
    private int room(TraceRecord record) {
        int least = smallest.computeIfAbsent(record.gpuTypes(), this::smallest);
        return Math.max(1, (int) ((long) least * record.gpuMilli() / WHOLE));
    }

    private int smallest(List<String> allowed) {
        return types.stream()
                .filter(type -> allowed.isEmpty() || allowed.stream().anyMatch(type.name()::equalsIgnoreCase))
                .mapToInt(GpuType::memoryMib)
                .min()
                .orElse(GpuCatalogue.GENERIC.memoryMib());
    }

    private Rng stream(String key) {
        long hash = HASH_START;
        for (int i = 0; i < key.length(); i++) {
            hash = (hash ^ key.charAt(i)) * HASH_FACTOR;
        }
        return Rng.stream(seed, hash);
    }
}
