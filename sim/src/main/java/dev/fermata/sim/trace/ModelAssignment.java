package dev.fermata.sim.trace;

import dev.fermata.core.model.Costs;
import dev.fermata.core.model.GpuCatalogue;
import dev.fermata.core.model.GpuType;
import dev.fermata.core.model.Profile;
import dev.fermata.sim.profile.ModelCatalogue;
import dev.fermata.sim.profile.ModelProfile;
import dev.fermata.sim.profile.ModelSampler;
import dev.fermata.sim.profile.ThroughputTable;
import dev.fermata.sim.workload.Rng;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * Decides what each job of a trace trains. A job that names a model of the catalogue gets its profile and costs. Any
 * other job gets a model from {@link ModelSampler}, by a stream that belongs to the seed and the job, so that it keeps
 * its model whatever else is in the trace. An unknown name stays as a label.
 *
 * <p>Assumed memory must not keep a job from a GPU: it is never more than the smallest GPU has that the job may use,
 * and in proportion for a job that requests a part of a GPU.
 */
public final class ModelAssignment {
    private static final long FNV_OFFSET = 0xcbf29ce484222325L;
    private static final long FNV_PRIME = 0x100000001b3L;
    private static final int WHOLE_GPU_MILLI = 1000;

    private final List<GpuType> types;
    private final long seed;
    private final boolean drawsModels;
    private final Map<ProfileVariant, Profile> profiles = new HashMap<>();
    private final Map<ModelRequest, Optional<ModelCatalogue.ModelMatch>> matches = new HashMap<>();
    private final Map<List<String>, Integer> smallestMemory = new HashMap<>();

    /**
     * @param memoryMib per GPU
     * @param gpuTypes those of the record, less those on which it is known not to run
     */
    record AssignedModel(Profile profile, Costs costs, int memoryMib, List<String> gpuTypes, long durationMillis) {}

    /** A model as records name it: looked up once, however many do. */
    private record ModelRequest(String model, int batch) {}

    /** What decides a profile: many jobs share one. */
    private record ProfileVariant(String model, int batch, int gpus, int gpuMilli, String label) {}

    private ModelAssignment(List<GpuType> types, long seed, boolean rule) {
        this.types = types;
        this.seed = seed;
        this.drawsModels = rule;
    }

    /** Draws a model for every job without one; the types are those of the cluster. */
    public static ModelAssignment byRule(List<GpuType> types, long seed) {
        return new ModelAssignment(types, seed, true);
    }

    /** A job without a model has no profile and no costs, and shares no GPU. */
    public static ModelAssignment namedOnly(List<GpuType> types) {
        return new ModelAssignment(types, 0, false);
    }

    /** For an unspecified cluster. */
    static ModelAssignment byRule(long seed) {
        return byRule(List.of(GpuCatalogue.GENERIC), seed);
    }

    /** @param key unique name of the job in its trace */
    AssignedModel assign(TraceRecord record, String key) {
        int memoryLimit = memoryLimit(record);
        Optional<ModelCatalogue.ModelMatch> named = matches.computeIfAbsent(
                new ModelRequest(record.model(), record.batch()), a -> ModelCatalogue.find(a.model, a.batch));
        if (named.isPresent()) {
            return assignNamed(record, named.get(), memoryLimit);
        }
        Optional<ModelSampler.SampledModel> selected = drawsModels
                ? ModelSampler.draw(record.maxGpus(), memoryBudget(record, memoryLimit), stream(key)::uniform)
                : Optional.empty();
        return selected.map(choice -> {
                    ModelProfile model = choice.model();
                    String label = record.model().isEmpty() ? model.name() : record.model();
                    return assign(record, model, choice.batch(), 0, label, memoryLimit);
                })
                .orElseGet(() -> assignUnknown(record, memoryLimit));
    }

    private AssignedModel assignNamed(TraceRecord record, ModelCatalogue.ModelMatch found, int memoryLimit) {
        ModelProfile model = found.model();
        String label = found.isRelated() ? record.model() : model.name();
        if (found.batch() > 0) {
            return assign(record, model, found.batch(), record.maxGpus(), label, memoryLimit);
        }
        int fitting = ModelSampler.fittingBatch(model, memoryBudget(record, memoryLimit));
        return assign(record, model, fitting > 0 ? fitting : model.batch(), 0, label, memoryLimit);
    }

    /** @param gpus 0 where the batch is assumed, so that speeds measured at one batch do not apply */
    private AssignedModel assign(
            TraceRecord record, ModelProfile model, int batch, int gpus, String label, int memoryLimit) {
        ProfileVariant variant = new ProfileVariant(model.name(), batch, gpus, record.gpuMilli(), label);
        Profile profile = profiles.computeIfAbsent(variant, c -> limitBusyShare(variantProfile(model, c), c.gpuMilli));
        OptionalDouble rate =
                ThroughputTable.stepsPerSecond(model.name(), batch, ThroughputTable.REFERENCE, record.maxGpus());
        return new AssignedModel(
                profile,
                model.costs(),
                memoryDemand(record, profile.peakMemoryMib(), memoryLimit),
                runnableTypes(record, model, batch),
                duration(record, rate.isPresent() ? 1000 / rate.getAsDouble() : profile.iterationMillis()));
    }

    private static Profile variantProfile(ModelProfile model, ProfileVariant variant) {
        Profile profile = variant.gpus > 0 ? model.at(variant.batch, variant.gpus) : model.at(variant.batch);
        return variant.label.equals(model.name()) ? profile : profile.withName(variant.label);
    }

    /** Of a trace that counts iterations instead of time, the time they take on the reference GPU. */
    private static long duration(TraceRecord record, double iterationMillis) {
        return record.durationMillis() > 0
                ? record.durationMillis()
                : Math.max(1, Math.round(record.iterations() * iterationMillis));
    }

    private List<String> runnableTypes(TraceRecord record, ModelProfile model, int batch) {
        List<String> allowed =
                record.gpuTypes().isEmpty() ? types.stream().map(GpuType::name).toList() : record.gpuTypes();
        List<String> left = allowed.stream()
                .filter(type -> !ThroughputTable.cannotRun(
                        model.name(), batch, type.toUpperCase(Locale.ROOT), record.maxGpus()))
                .toList();
        return left.isEmpty() || left.size() == allowed.size() ? record.gpuTypes() : left;
    }

    private AssignedModel assignUnknown(TraceRecord record, int memoryLimit) {
        ProfileVariant variant = new ProfileVariant("", 0, 0, record.gpuMilli(), record.model());
        Profile profile =
                profiles.computeIfAbsent(variant, c -> limitBusyShare(Profile.UNKNOWN.withName(c.label), c.gpuMilli));
        return new AssignedModel(
                profile,
                Costs.NONE,
                memoryDemand(record, 0, memoryLimit),
                record.gpuTypes(),
                duration(record, profile.iterationMillis()));
    }

    /** A job that requests a part of a GPU keeps it busy for no more than that part. */
    private static Profile limitBusyShare(Profile profile, int gpuMilli) {
        double part = gpuMilli / (double) WHOLE_GPU_MILLI;
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

    private static int memoryDemand(TraceRecord record, int needed, int memoryLimit) {
        if (record.gpuMemoryMib() != TraceRecord.UNKNOWN) {
            return record.gpuMemoryMib();
        }
        return record.gpuMilli() < WHOLE_GPU_MILLI ? memoryLimit : Math.min(needed, memoryLimit);
    }

    /** The memory a model may need: what the job declares, within what it has. */
    private static int memoryBudget(TraceRecord record, int memoryLimit) {
        return record.gpuMemoryMib() > 0 ? Math.min(record.gpuMemoryMib(), memoryLimit) : memoryLimit;
    }

    /** The memory there is for it on the smallest GPU that it may use. */
    private int memoryLimit(TraceRecord record) {
        int min = smallestMemory.computeIfAbsent(record.gpuTypes(), this::smallestMemoryOf);
        return Math.max(1, (int) ((long) min * record.gpuMilli() / WHOLE_GPU_MILLI));
    }

    private int smallestMemoryOf(List<String> allowed) {
        return types.stream()
                .filter(type -> allowed.isEmpty() || allowed.stream().anyMatch(type.name()::equalsIgnoreCase))
                .mapToInt(GpuType::memoryMib)
                .min()
                .orElse(GpuCatalogue.GENERIC.memoryMib());
    }

    private Rng stream(String key) {
        long hash = FNV_OFFSET;
        for (int i = 0; i < key.length(); i++) {
            hash = (hash ^ key.charAt(i)) * FNV_PRIME;
        }
        return Rng.stream(seed, hash);
    }
}
