package dev.fermata.sim.profile;

import java.util.List;
import java.util.Optional;
import java.util.function.DoubleSupplier;

/**
 * Draws a model for a job whose trace names none. The shares depend on the size of the gang, because large gangs train
 * large models. Its batch is the usual one if that fits the memory, or else the largest measured one that does; a model
 * that does not fit at all is drawn again. So the first draw of a job does not depend on the memory, and a job keeps
 * its model whatever else is in the trace, as long as its numbers come from a stream of its own.
 */
public final class ModelSampler {
    /** Gangs of this many GPUs and more train large models. */
    public static final int LARGE_GANG = 8;

    private static final int DRAWS = 100;
    private static final List<ModelProfile> MODELS = ModelCatalogue.all().stream()
            .filter(m -> m.shares().one() + m.shares().few() + m.shares().many() > 0)
            .toList();
    private static final double[] ONE =
            MODELS.stream().mapToDouble(m -> m.shares().one()).toArray();
    private static final double[] FEW =
            MODELS.stream().mapToDouble(m -> m.shares().few()).toArray();
    private static final double[] MANY_GPUS =
            MODELS.stream().mapToDouble(m -> m.shares().many()).toArray();

    /** A model and the batch that fits. */
    public record SampledModel(ModelProfile model, int batch) {}

    private ModelSampler() {}

    /** Empty when no model was found that fits; uniforms are numbers from 0 (inclusive) to 1 (exclusive). */
    public static Optional<SampledModel> draw(int gpus, int memoryMib, DoubleSupplier uniforms) {
        double[] shares = gpus == 1 ? ONE : gpus < LARGE_GANG ? FEW : MANY_GPUS;
        for (int i = 0; i < DRAWS; i++) {
            ModelProfile model = MODELS.get(pickIndex(shares, uniforms.getAsDouble()));
            int batch = fittingBatch(model, memoryMib);
            if (batch > 0) {
                return Optional.of(new SampledModel(model, batch));
            }
        }
        return Optional.empty();
    }

    /** The usual batch if it fits, or else the largest that does, or 0. */
    public static int fittingBatch(ModelProfile model, int memoryMib) {
        return model.reference().peakMemoryMib() <= memoryMib ? model.batch() : model.largestBatch(memoryMib);
    }

    private static int pickIndex(double[] shares, double uniform) {
        double sum = 0;
        for (double share : shares) {
            sum += share;
        }
        double at = uniform * sum;
        int last = 0;
        for (int i = 0; i < shares.length; i++) {
            if (shares[i] > 0) {
                last = i;
                at -= shares[i];
                if (at < 0) {
                    return i;
                }
            }
        }
        return last;
    }
}
