package dev.fermata.core.policy.whole;

import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Space;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.Node;
import dev.fermata.core.model.SpeedModel;
import dev.fermata.core.policy.place.Residents;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds, for every node, the waiting job that goes best with those who run there, and remembers it until the node or the
 * job changes. A node on which nothing changed is not looked at again; a job new to the window is looked at once
 * everywhere.
 */
final class BesideSearch {
    /** A job and the GPUs, some of them in use by others, on which it would start. */
    record Choice(FirstComeLine.Place place, Allocation allocation, double score) {}

    private final PairScore score;
    private final int slots;
    private final boolean guard;
    private final Residents residents;
    private final BitSet stale;
    private final @Nullable Choice[] best;
    private final BitSet chosen = new BitSet();
    /** Jobs in the first slot of their GPUs; only {@link PairScore#NEW} asks. */
    private final BitSet inFront = new BitSet();

    private int[] gpus = new int[0];
    private double[] scores = new double[0];

    BesideSearch(View view, PairScore score, int slots, boolean guard) {
        this.score = score;
        this.slots = slots;
        this.guard = guard;
        int nodes = view.topology().nodes().size();
        this.stale = new BitSet(nodes);
        this.best = new Choice[nodes];
        this.residents =
                new Residents(view.topology(), gpu -> stale.set(view.topology().nodeOf(gpu)));
    }

    void update(View view) {
        residents.update(view);
        for (JobView job : view.changed()) {
            if (!job.state().holdsGpus() && job.state() != JobState.PENDING) {
                inFront.clear(job.slot());
            }
        }
    }

    /** Whether no node changed since the last look. */
    boolean unchanged() {
        return stale.isEmpty();
    }

    /** Other jobs than before are asked about: everything must be looked at again. */
    void forget() {
        stale.set(0, best.length);
    }

    /** The best place for one job, whatever others would get; O(GPUs). */
    @Nullable
    Choice anywhere(FirstComeLine.Place place, Space space) {
        Choice least = null;
        for (int node = 0; node < best.length; node++) {
            Choice here = choice(place, node, space);
            least = here != null && (least == null || before(here, least)) ? here : least;
        }
        return least;
    }

    /**
     * The least score of all, ties in order of the line; null when nobody fits beside anybody.
     *
     * @param kept nodes on which nobody may start
     */
    @Nullable
    Choice best(List<FirstComeLine.Place> places, BitSet kept, Space space) {
        for (FirstComeLine.Place place : places) {
            if (!place.seen) {
                for (int node = stale.nextClearBit(0); node < best.length; node = stale.nextClearBit(node + 1)) {
                    offer(node, kept.get(node) ? null : choice(place, node, space));
                }
                place.seen = true;
            }
        }
        for (int node = stale.nextSetBit(0); node >= 0; node = stale.nextSetBit(node + 1)) {
            best[node] = null;
            chosen.clear(node);
            for (int i = 0; !kept.get(node) && i < places.size(); i++) {
                offer(node, choice(places.get(i), node, space));
            }
        }
        stale.clear();
        Choice least = null;
        for (int node = chosen.nextSetBit(0); node >= 0; node = chosen.nextSetBit(node + 1)) {
            Choice here = best[node];
            if (here != null && (least == null || before(here, least))) {
                least = here;
            }
        }
        return least;
    }

    private void offer(int node, @Nullable Choice choice) {
        Choice known = best[node];
        if (choice != null && (known == null || before(choice, known))) {
            best[node] = choice;
            chosen.set(node);
        }
    }

    private static boolean before(Choice a, Choice b) {
        return a.score != b.score ? a.score < b.score : a.place.compareTo(b.place) < 0;
    }

    /** The job starts; whoever counted on its being there looks again. */
    void start(FirstComeLine.Place place, Allocation allocation) {
        boolean front = true;
        for (int i = 0; i < allocation.size(); i++) {
            front &= frontFree(allocation.gpu(i));
        }
        inFront.set(place.job.slot(), front);
        residents.arrive(place.job, allocation);
        for (int node = chosen.nextSetBit(0); node >= 0; node = chosen.nextSetBit(node + 1)) {
            Choice here = best[node];
            if (here == null || here.place == place) {
                stale.set(node);
            }
        }
    }

    /** The best GPUs of one node for this job, those in use by others with room for it; null when there are too few. */
    private @Nullable Choice choice(FirstComeLine.Place place, int index, Space space) {
        Demand demand = place.job.job().demand();
        Node node = space.topology().node(index);
        int need = demand.minGpus();
        boolean may = demand.gpuMemoryMib() > 0
                && need <= node.gpus()
                && (place.job.eligibleTypes() >> node.type() & 1) != 0
                && space.hostRoom(index, demand, Horizon.NOW) >= need;
        int free = space.onNode(index, Horizon.NOW);
        if (!may || free >= need) {
            return null;
        }
        int found = scored(place, node, space);
        int join = need - free;
        if (found < join) {
            return null;
        }
        int[] taken = Arrays.copyOf(gpus, need);
        if (free > 0) {
            space.pick(index, free, taken, join, Horizon.NOW);
        }
        return new Choice(place, Allocation.of(space.topology(), taken, true), scores[join - 1]);
    }

    /** Lists the GPUs of a node on which the job fits beside others, the least score first; answers how many. */
    private int scored(FirstComeLine.Place place, Node node, Space space) {
        if (gpus.length < node.gpus()) {
            gpus = new int[node.gpus()];
            scores = new double[node.gpus()];
        }
        int found = 0;
        for (int gpu = node.firstGpu(); gpu < node.firstGpu() + node.gpus(); gpu++) {
            if (fits(place.job.job().demand(), gpu, space) && mayPay(place.job, gpu)) {
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

    private boolean fits(Demand demand, int gpu, Space space) {
        return space.open(gpu)
                && space.sharers(gpu) < slots
                && (demand.gpuMilli() == 1000 || demand.gpuMilli() <= space.milliLeft(gpu))
                && (!guard || demand.memoryOn(space.topology(), gpu) <= space.memoryLeftMib(gpu));
    }

    /** A pair that was seen to get less done than one of them alone is not formed again, whatever its score. */
    private boolean mayPay(JobView newcomer, int gpu) {
        for (JobView resident : residents.on(gpu)) {
            if (SpeedModel.provenNotToPay(
                    newcomer.job().profile(), resident.job().profile())) {
                return false;
            }
        }
        return true;
    }

    private double score(FirstComeLine.Place place, int gpu) {
        if (score == PairScore.NEW) {
            return frontFree(gpu) ? -place.beat.ratio() : place.beat.ratio();
        }
        double sum = 0;
        for (JobView resident : residents.on(gpu)) {
            sum += score.of(PairScore.Beat.of(resident.job().profile()), place.beat);
        }
        return sum;
    }

    private boolean frontFree(int gpu) {
        for (JobView resident : residents.on(gpu)) {
            if (inFront.get(resident.slot())) {
                return false;
            }
        }
        return true;
    }
}
