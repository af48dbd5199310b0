package dev.fermata.research.suspend;

import dev.fermata.core.model.Checkpointing;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.SuspendCosts;
import dev.fermata.sim.workload.Rng;
import dev.fermata.sim.workload.SimulatedJob;
import dev.fermata.sim.workload.Workload;
import java.util.List;

/** A workload whose jobs can be suspended at the measured price, and of which a share cannot save. */
final class SuspendableJobs {
    private static final int STREAM = 18;

    /** Of a job whose memory is not known. */
    private static final int USUAL_MIB = 8192;

    /** Of a job of a trace, whose model is not known: what the daemon assumes before it has measured any. */
    private static final Costs ASSUMED = new Costs(5_000, 10_000, 0, 0);

    private SuspendableJobs() {}

    static Workload of(Workload workload, double cannotSave, long seed) {
        Rng draw = Rng.stream(seed, STREAM);
        List<SimulatedJob> jobs = workload.jobs().stream()
                .map(job -> of(job, draw.uniform() < cannotSave))
                .toList();
        return new Workload(workload.name(), jobs, workload.requests());
    }

    private static SimulatedJob of(SimulatedJob simulated, boolean cannotSave) {
        Job job = simulated.job();
        int known = Math.max(simulated.peakMemoryMib(), job.profile().peakMemoryMib());
        SuspendCosts suspend = SuspendCosts.measured(known > 0 ? known : USUAL_MIB, SuspendCosts.Reach.SAME_GPUS);
        Costs costs = (job.costs().equals(Costs.NONE) ? ASSUMED : job.costs()).withSuspend(suspend);
        Job.Builder changed =
                job.toBuilder(job.id()).costs(cannotSave ? costs.withCheckpointing(Checkpointing.NONE) : costs);
        if (cannotSave) {
            changed.checkpointMillis(0);
        }
        Job other = changed.build();
        return new SimulatedJob(
                other,
                simulated.submitMillis(),
                simulated.durationMillis(),
                simulated.peakMemoryMib(),
                other.costs(),
                simulated.outcome());
    }
}
