package dev.fermata.core.policy.place;

import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Space;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.Tier;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.queue.Patience;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Puts a job on empty GPUs if it can, else beside others only where that pays: memory holds what all of them promised, and
 * together they are predicted to get more done than without the newcomer ({@link CoRun}). Xonar's two ideas, the memory
 * guard and the pairing of busy with idle, as a part for other policies; a job that keeps its GPU busy is left alone.
 *
 * <p>The newcomer is predicted to gain most beside those who are least busy, so shared GPUs are kept in order of how busy
 * their jobs are and looked at from the least busy on, until nobody busier could pay: O(GPUs with idle time), not O(GPUs). From
 * there on only those count with whom it was measured, which may be better than the formula thinks. A gang shares the GPUs
 * of one node.
 *
 * <p>Its {@link #patience} must be told of each decision at its beginning.
 */
public final class Pairing implements Placement {
    private static final int STEPS = 32;

    private final Placement empty;
    private final int maxJobs;
    private final ToDoubleFunction<View> leastGain;
    private double margin;
    private @Nullable Notes notes;

    /** That of the placement on empty GPUs; it is also how this one hears of what happened. */
    private final Patience patience = new Patience() {
        @Override
        public Tier accepts(JobView job) {
            return empty.patience().accepts(job);
        }

        @Override
        public long acceptsTypes(JobView job) {
            return empty.patience().acceptsTypes(job);
        }

        @Override
        public long untilMillis(JobView job) {
            return empty.patience().untilMillis(job);
        }

        @Override
        public boolean update(View view) {
            note(view);
            return empty.patience().update(view);
        }
    };

    /**
     * @param empty where a job goes that gets GPUs for itself
     * @param maxJobs jobs that may share one GPU
     * @param leastGain how much more work per GPU sharing must promise now, as a fraction of one job alone
     */
    public Pairing(Placement empty, int maxJobs, ToDoubleFunction<View> leastGain) {
        this.empty = empty;
        this.maxJobs = maxJobs;
        this.leastGain = leastGain;
    }

    /** What is known of shared GPUs: who is on them, and in order of how busy they are. */
    private final class Notes {
        final Topology topology;
        final Residents residents;
        /** By type and step of busyness, the GPUs that have jobs and room for more. */
        final BitSet[][] byStep;

        final int[] stepOf;
        /** By type, those of them on which somebody is who was measured beside others. */
        final BitSet[] taught;

        /** Jobs placed in this decision; whoever asked has most likely started them there. */
        final List<JobView> answered = new ArrayList<>();

        Notes(Topology topology) {
            this.topology = topology;
            this.residents = new Residents(topology, this::index);
            this.byStep = new BitSet[topology.types().size()][STEPS];
            for (BitSet[] steps : byStep) {
                Arrays.setAll(steps, step -> new BitSet());
            }
            this.taught = new BitSet[topology.types().size()];
            Arrays.setAll(taught, type -> new BitSet());
            this.stepOf = new int[topology.gpuCount()];
            Arrays.fill(stepOf, -1);
        }

        void update(View view) {
            answered.forEach(residents::refresh); // those who did not start there after all are not there
            answered.clear();
            residents.update(view);
            for (JobView job : view.changed()) { // who stays where he is may be known better now
                Allocation held = residents.of(job);
                for (int i = 0; held != null && i < held.size(); i++) {
                    index(held.gpu(i));
                }
            }
        }

        private void index(int gpu) {
            BitSet[] steps = byStep[topology.typeOf(gpu)];
            if (stepOf[gpu] >= 0) {
                steps[stepOf[gpu]].clear(gpu);
            }
            List<JobView> jobs = residents.on(gpu);
            double busy = 0;
            boolean seen = false;
            for (JobView job : jobs) {
                busy += job.job().profile().busyShare();
                seen |= !job.job().profile().stretchBeside().isEmpty();
            }
            boolean joinable = !jobs.isEmpty() && jobs.size() < maxJobs;
            stepOf[gpu] = joinable ? Math.min(STEPS - 1, (int) (busy * (STEPS - 1))) : -1;
            if (joinable) {
                steps[stepOf[gpu]].set(gpu);
            }
            taught[topology.typeOf(gpu)].set(gpu, joinable && seen);
        }

        void answer(JobView job, Allocation allocation) {
            residents.leave(job);
            residents.arrive(job, allocation);
            answered.add(job);
        }
    }

    @Override
    public Patience patience() {
        return patience;
    }

    /** Takes in which jobs came and went since the last decision. */
    private void note(View view) {
        margin = leastGain.applyAsDouble(view);
        Notes known = notes;
        if (known == null) {
            known = new Notes(view.topology());
            notes = known;
        }
        known.update(view);
    }

    @Override
    public boolean consolidates() {
        return empty.consolidates();
    }

    @Override
    public boolean onOneNode(Space space, JobView job, int type, int gpus) {
        return empty.onOneNode(space, job, type, gpus);
    }

    @Override
    public boolean shares() {
        return true;
    }

    @Override
    public @Nullable Allocation choose(Space space, JobView job, int type, int gpus, Horizon horizon) {
        return empty.choose(space, job, type, gpus, horizon);
    }

    @Override
    public @Nullable Allocation placeOn(Space space, JobView job, int type, Horizon horizon) {
        Allocation found = empty.placeOn(space, job, type, horizon);
        boolean mayShare = horizon == Horizon.NOW && job.job().demand().gpuMemoryMib() > 0;
        if (!mayShare || notes == null) {
            return found;
        }
        found = found != null
                ? Allocation.of(space.topology(), found.toArray(), true)
                : beside(notes, space, job, type);
        if (found != null) {
            notes.answer(job, found);
        }
        return found;
    }

    private @Nullable Allocation beside(Notes known, Space space, JobView job, int type) {
        known.residents.leave(job); // asked before in this decision, and not started
        Demand demand = job.job().demand();
        int need = demand.minGpus();
        double own = job.job().profile().busyShare();
        boolean mayBeMeasured = !job.job().profile().stretchBeside().isEmpty() || !known.taught[type].isEmpty();
        boolean byFormula = true;
        CoRun coRun = new CoRun(known.residents);
        JoinSearch search = new JoinSearch(space, demand);
        for (int step = 0; step < STEPS; step++) {
            BitSet gpus = known.byStep[type][step];
            if (gpus.isEmpty()) {
                continue;
            }
            double leastBusy = (double) step / (STEPS - 1);
            byFormula &= CoRun.pairGain(own, leastBusy) > margin; // nor will it pay beside anyone busier
            if (!byFormula && !mayBeMeasured) {
                return null;
            }
            for (int gpu = gpus.nextSetBit(0); gpu >= 0; gpu = gpus.nextSetBit(gpu + 1)) {
                List<JobView> jobs = known.residents.on(gpu);
                boolean sure = space.sharers(gpu) == jobs.size()
                        && space.sharers(gpu) < maxJobs
                        && (byFormula || CoRun.measured(job, jobs));
                int[] set = sure && noneLarger(jobs, need) ? search.add(gpu) : null;
                if (set != null && coRun.gain(job, set) > margin * need) {
                    return Allocation.of(space.topology(), set, true);
                }
            }
        }
        return null;
    }

    /** Slowing a large gang on one of its GPUs slows all of it, which a smaller job can hardly make up for. */
    private static boolean noneLarger(List<JobView> jobs, int gpus) {
        for (JobView job : jobs) {
            if (job.gpus() > gpus) {
                return false;
            }
        }
        return true;
    }
}
