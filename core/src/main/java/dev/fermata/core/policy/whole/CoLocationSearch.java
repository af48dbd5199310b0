package dev.fermata.core.policy.whole;

import dev.fermata.core.contract.FreeCapacity;
import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.Node;
import dev.fermata.core.model.SpeedModel;
import dev.fermata.core.policy.place.CoLocatedJobs;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Xonar's co-location. For every node it finds the pending job that goes best with the jobs there, and remembers it
 * until the node or the job changes. A node on which nothing changed is not looked at again; a job new to the window is
 * looked at once everywhere.
 */
final class CoLocationSearch {
    /** A job and the GPUs, some of them in use by others, on which it would start. */
    record CoLocationChoice(ArrivalQueue.QueuedJob place, Allocation allocation, double score) {}

    private final CoRunScore score;
    private final int slots;
    private final boolean guard;
    private final CoLocatedJobs coLocatedJobs;
    private final BitSet stale;
    private final @Nullable CoLocationChoice[] best;
    private final BitSet chosen = new BitSet();
    /** Jobs in the first slot of their GPUs; only {@link CoRunScore#NEW} asks. */
    private final BitSet inFirstSlot = new BitSet();

    private int[] gpus = new int[0];
    private double[] scores = new double[0];

    CoLocationSearch(View view, CoRunScore score, int slots, boolean guard) {
        this.score = score;
        this.slots = slots;
        this.guard = guard;
        int nodes = view.topology().nodes().size();
        this.stale = new BitSet(nodes);
        this.best = new CoLocationChoice[nodes];
        this.coLocatedJobs = new CoLocatedJobs(
                view.topology(), gpu -> stale.set(view.topology().nodeOf(gpu)));
    }

    void update(View view) {
        coLocatedJobs.update(view);
        for (JobView job : view.changedJobs()) {
            if (job.state().isFinal() || !view.isAdmitted(job)) {
                inFirstSlot.clear(job.slot());
            }
        }
    }

    /** Whether no node changed since the last look. */
    boolean isUnchanged() {
        return stale.isEmpty();
    }

    /** The waiting jobs are others than before: everything must be examined again. */
    void invalidate() {
        stale.set(0, best.length);
    }

    /** The best place for one job, whatever others would get; O(GPUs). */
    @Nullable
    CoLocationChoice findAnywhere(ArrivalQueue.QueuedJob place, FreeCapacity capacity) {
        CoLocationChoice min = null;
        for (int node = 0; node < best.length; node++) {
            CoLocationChoice here = evaluate(place, node, capacity);
            min = here != null && (min == null || before(here, min)) ? here : min;
        }
        return min;
    }

    /**
     * The least score of all, ties in order of arrival; null when no job fits on a GPU in use.
     *
     * @param reservedNodes nodes on which no job may start
     */
    @Nullable
    CoLocationChoice findBest(List<ArrivalQueue.QueuedJob> places, BitSet reservedNodes, FreeCapacity capacity) {
        for (ArrivalQueue.QueuedJob place : places) {
            if (!place.examined) {
                for (int node = stale.nextClearBit(0); node < best.length; node = stale.nextClearBit(node + 1)) {
                    offer(node, reservedNodes.get(node) ? null : evaluate(place, node, capacity));
                }
                place.examined = true;
            }
        }
        for (int node = stale.nextSetBit(0); node >= 0; node = stale.nextSetBit(node + 1)) {
            best[node] = null;
            chosen.clear(node);
            for (int i = 0; !reservedNodes.get(node) && i < places.size(); i++) {
                offer(node, evaluate(places.get(i), node, capacity));
            }
        }
        stale.clear();
        CoLocationChoice min = null;
        for (int node = chosen.nextSetBit(0); node >= 0; node = chosen.nextSetBit(node + 1)) {
            CoLocationChoice here = best[node];
            if (here != null && (min == null || before(here, min))) {
                min = here;
            }
        }
        return min;
    }

    private void offer(int node, @Nullable CoLocationChoice choice) {
        CoLocationChoice known = best[node];
        if (choice != null && (known == null || before(choice, known))) {
            best[node] = choice;
            chosen.set(node);
        }
    }

    private static boolean before(CoLocationChoice a, CoLocationChoice b) {
        return a.score != b.score ? a.score < b.score : a.place.compareTo(b.place) < 0;
    }

    /** The job starts; choices that counted on it are dropped. */
    void start(ArrivalQueue.QueuedJob place, Allocation allocation) {
        boolean front = true;
        for (int i = 0; i < allocation.size(); i++) {
            front &= isFirstSlotFree(allocation.gpu(i));
        }
        inFirstSlot.set(place.job.slot(), front);
        coLocatedJobs.add(place.job, allocation);
        for (int node = chosen.nextSetBit(0); node >= 0; node = chosen.nextSetBit(node + 1)) {
            CoLocationChoice here = best[node];
            if (here == null || here.place == place) {
                stale.set(node);
            }
        }
    }

    /** The best GPUs of one node for this job, shared ones with room for it; null when there are too few. */
    private @Nullable CoLocationChoice evaluate(ArrivalQueue.QueuedJob place, int index, FreeCapacity capacity) {
        Demand demand = place.job.job().demand();
        Node node = capacity.topology().node(index);
        int need = demand.minGpus();
        boolean may = demand.gpuMemoryMib() > 0
                && need <= node.gpus()
                && (place.job.eligibleTypes() >> node.type() & 1) != 0
                && capacity.hostCapacityFor(index, demand, Horizon.NOW) >= need;
        int free = capacity.availableOnNode(index, Horizon.NOW);
        if (!may || free >= need) {
            return null;
        }
        int found = rankGpus(place, node, capacity);
        int join = need - free;
        if (found < join) {
            return null;
        }
        int[] taken = Arrays.copyOf(gpus, need);
        if (free > 0) {
            capacity.pickGpus(index, free, taken, join, Horizon.NOW);
        }
        return new CoLocationChoice(place, Allocation.of(capacity.topology(), taken, true), scores[join - 1]);
    }

    /** Lists the GPUs in use of a node on which the job fits, the least score first; returns how many. */
    private int rankGpus(ArrivalQueue.QueuedJob place, Node node, FreeCapacity capacity) {
        if (gpus.length < node.gpus()) {
            gpus = new int[node.gpus()];
            scores = new double[node.gpus()];
        }
        int found = 0;
        for (int gpu = node.firstGpu(); gpu < node.firstGpu() + node.gpus(); gpu++) {
            if (fits(place.job.job().demand(), gpu, capacity) && mayGain(place.job, gpu)) {
                double with = score(place, gpu);
                int at = found++;
                for (; at > 0 && scores[at - 1] > with; at--) {
                    gpus[at] = gpus[at - 1];
                    scores[at] = scores[at - 1];
                }
                gpus[at] = gpu;
                scores[at] = with;
            }
        }
        return found;
    }

    private boolean fits(Demand demand, int gpu, FreeCapacity capacity) {
        return capacity.isShareable(gpu)
                && capacity.jobsOn(gpu) < slots
                && (demand.gpuMilli() == 1000 || demand.gpuMilli() <= capacity.freeGpuMilli(gpu))
                && (!guard || demand.gpuMemoryOn(capacity.topology(), gpu) <= capacity.freeGpuMemoryMib(gpu));
    }

    /** A pair that was seen to get less done than one of them alone is not formed again, whatever its score. */
    private boolean mayGain(JobView newcomer, int gpu) {
        for (JobView runningJob : coLocatedJobs.jobsOn(gpu)) {
            if (SpeedModel.isProvenUnprofitable(
                    newcomer.job().profile(), runningJob.job().profile())) {
                return false;
            }
        }
        return true;
    }

    private double score(ArrivalQueue.QueuedJob place, int gpu) {
        if (score == CoRunScore.NEW) {
            return isFirstSlotFree(gpu) ? -place.activeIdle.ratio() : place.activeIdle.ratio();
        }
        double sum = 0;
        for (JobView runningJob : coLocatedJobs.jobsOn(gpu)) {
            sum += score.of(CoRunScore.ActiveIdle.of(runningJob.job().profile()), place.activeIdle);
        }
        return sum;
    }

    private boolean isFirstSlotFree(int gpu) {
        for (JobView runningJob : coLocatedJobs.jobsOn(gpu)) {
            if (inFirstSlot.get(runningJob.slot())) {
                return false;
            }
        }
        return true;
    }
}
