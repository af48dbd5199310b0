package dev.fermata.live.profile;

import dev.fermata.core.model.Checkpointing;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.Profile;
import dev.fermata.history.SampleSummary;

/**
 * The estimate for jobs of one profile key: measured where possible, else assumed.
 *
 * @param costs costs of preempting and loading such a job
 * @param keepsWork whether such a job keeps its work when preempted; assumed until a measurement shows otherwise
 * @param evidence where the costs come from
 * @param profile its training profile; {@link Profile#UNKNOWN} with the label of the key when not measured
 * @param peakMemoryMib measured peak memory on one GPU, 0 when unknown
 * @param checkpointMillis interval of its own checkpoints, 0 when unknown or none
 */
public record ProfileEstimate(
        Costs costs,
        boolean keepsWork,
        CostEvidence evidence,
        Profile profile,
        int peakMemoryMib,
        long checkpointMillis,
        Saving saving) {

    /**
     * How such a job can leave its GPUs.
     *
     * @param seen whether one was seen to save its work
     * @param engineSuspends whether the engine can suspend jobs in place, if not this one
     */
    public record Saving(boolean seen, boolean engineSuspends) {}

    /** Where a figure comes from, the best first. */
    public enum Basis {
        /** Measured with this profile key. */
        EXACT,
        /** Measured with the same command and model on other GPUs, or on another number of them. */
        SAME_PROGRAM,
        /** Not measured. */
        ASSUMED
    }

    /**
     * Where the costs come from.
     *
     * @param preempt the measured preemptions; none when they are assumed
     * @param load the measured loads; none when they are assumed
     */
    public record CostEvidence(Basis preemptBasis, Basis loadBasis, SampleSummary preempt, SampleSummary load) {
        public static final CostEvidence NONE =
                new CostEvidence(Basis.ASSUMED, Basis.ASSUMED, SampleSummary.NONE, SampleSummary.NONE);
    }

    /** An estimate without any measurement. */
    public static ProfileEstimate assumed(Costs costs) {
        return new ProfileEstimate(
                costs,
                costs.checkpointing() != Checkpointing.NONE,
                CostEvidence.NONE,
                Profile.UNKNOWN,
                0,
                0,
                new Saving(false, costs.suspend().possible()));
    }

    /** The same for a job of which something shows that it can save, unless a preemption showed that it does not. */
    public ProfileEstimate withSaveAbility(boolean shown) {
        return shown && preemptBasis() == Basis.ASSUMED
                ? new ProfileEstimate(
                        costs,
                        true,
                        evidence,
                        profile,
                        peakMemoryMib,
                        checkpointMillis,
                        new Saving(true, saving.engineSuspends()))
                : this;
    }

    public ProfileEstimate withProfile(Profile other) {
        return new ProfileEstimate(costs, keepsWork, evidence, other, peakMemoryMib, checkpointMillis, saving);
    }

    public Basis preemptBasis() {
        return evidence.preemptBasis;
    }

    public Basis loadBasis() {
        return evidence.loadBasis;
    }

    public SampleSummary preempt() {
        return evidence.preempt;
    }

    public SampleSummary load() {
        return evidence.load;
    }

    public boolean isMeasured() {
        return preemptBasis() != Basis.ASSUMED || loadBasis() != Basis.ASSUMED;
    }

    /** An upper bound of the measured load times; 0 when none is measured. */
    public long maxLoadMillis() {
        return load().count() == 0 ? 0 : Math.max(costs.reloadMillis(), load().p90());
    }
}
