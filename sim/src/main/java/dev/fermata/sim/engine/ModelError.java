package dev.fermata.sim.engine;

/**
 * How wrong policies are about the simulated cluster. Each of the first five is about the logarithm of a factor between
 * truth and prediction. It never says which way a single prediction is wrong: {@link TrueModel} draws that.
 *
 * @param types standard deviation for the speed of a model on a GPU type other than the reference
 * @param placement standard deviation for the speed of a gang that is smaller or less close than it could be
 * @param coRun standard deviation for the speed of a model next to another on one GPU
 * @param coRunBias mean of the same: above 0 jobs on shared GPUs are faster than predicted
 * @param costs standard deviation for the pause and for the load time of a model
 * @param network how far gangs slow each other down on the links they share: 0 not at all, 1 by fair shares
 */
public record ModelError(double types, double placement, double coRun, double coRunBias, double costs, double network) {
    /** Policies know the cluster as it is. */
    public static final ModelError NONE = new ModelError(0, 0, 0, 0, 0, 0);

    /**
     * What the measurements at hand show; {@code MeasuredModelErrorTest} and {@code MeasuredCoRunsTest} compute all
     * but the last from them.
     *
     * <ul>
     *   <li>types: Gavel's rates of one P100 or K80 against one V100, relative to the model's entry in gradients.csv
     *   <li>placement: Gavel's rates of scattered gangs relative to close ones, around the mean of type and size
     *   <li>coRun, coRunBias: the formula against 45 pairs on one H200
     *   <li>costs: loads of 14 models on one H200, each measured twice
     *   <li>network: not measured; links are assumed to be shared fairly
     * </ul>
     */
    public static final ModelError MEASURED = new ModelError(0.28, 0.4, 0.14, 0.2, 0.12, 1);
}
