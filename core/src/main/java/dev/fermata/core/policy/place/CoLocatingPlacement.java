package dev.fermata.core.policy.place;

import dev.fermata.core.contract.FreeCapacity;
import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.LongMap;
import dev.fermata.core.model.Node;
import dev.fermata.core.model.Tier;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.ranking.LocalityTolerance;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Co-location where it pays. A job gets empty GPUs if it can, else GPUs in use whose memory holds what all jobs reserve, if
 * together they are predicted to get more done than without the new job ({@link CoRunModel}). Xonar's two ideas, the memory
 * guard and the pairing of busy with idle, as a part for other policies; a job that keeps its GPU busy is left alone.
 *
 * <p>The new job is predicted to gain most from the least busy jobs, so shared GPUs are kept in order of how busy their jobs
 * are and examined from the least busy on, until no busier one could pay: O(GPUs with idle time), not O(GPUs). After that
 * only GPUs with measured co-runs count, which may be better than the formula predicts. A gang shares the GPUs
 * of one node. A search that failed is not made again where nothing changed ({@link FailedSearches}).
 *
 * <p>Its {@link #tolerance} must be updated at the beginning of each decision.
 */
public final class CoLocatingPlacement implements Placement {
    private static final int STEPS = 32;

    /** How many tables of predicted gains are kept; jobs of one model share a table. */
    private static final int MAX_GAIN_TABLES = 1024;

    /** For how many places completion times are worked out; the best of them is taken. */
    private static final int MAX_WEIGHED = 16;

    private final Placement exclusive;
    private final int maxJobs;
    private final ToDoubleFunction<View> minGainNow;
    private final @Nullable SharingAccount account;
    private double minGain;
    private long nowMillis;
    private @Nullable SharedGpuIndex sharedGpus;

    /** By busy share of a new job, what it is predicted to gain at each step of busyness. */
    private LongMap<double[]> gainTables = new LongMap<>();

    /** That of the placement on empty GPUs; it also passes on the changes. */
    private final LocalityTolerance tolerance = new LocalityTolerance() {
        @Override
        public Tier acceptedTier(JobView job) {
            return exclusive.tolerance().acceptedTier(job);
        }

        @Override
        public long acceptedTypes(JobView job) {
            return exclusive.tolerance().acceptedTypes(job);
        }

        @Override
        public int acceptedStep(JobView job) {
            return exclusive.tolerance().acceptedStep(job);
        }

        @Override
        public long relaxesAtMillis(JobView job) {
            return exclusive.tolerance().relaxesAtMillis(job);
        }

        @Override
        public boolean update(View view) {
            observe(view);
            return exclusive.tolerance().update(view);
        }
    };

    /**
     * @param exclusive where a job goes that gets GPUs for itself
     * @param maxJobs jobs that may share one GPU
     * @param minGainNow how much more work per GPU sharing must gain now, as a fraction of one job alone
     */
    public CoLocatingPlacement(Placement exclusive, int maxJobs, ToDoubleFunction<View> minGainNow) {
        this(exclusive, maxJobs, minGainNow, null);
    }

    /** @param account completion times must improve as well, where there is one */
    public CoLocatingPlacement(
            Placement exclusive, int maxJobs, ToDoubleFunction<View> minGainNow, @Nullable SharingAccount account) {
        this.account = account;
        this.exclusive = exclusive;
        this.maxJobs = maxJobs;
        this.minGainNow = minGainNow;
    }

    /** What is known of shared GPUs: their jobs, in order of how busy they are. */
    private final class SharedGpuIndex {
        final Topology topology;
        final CoLocatedJobs coLocatedJobs;
        /** By type, the GPUs that have jobs and room for more. */
        final JoinableGpus[] joinable;

        /** By type, the shared GPUs with a job that has co-run measurements. */
        final BitSet[] measured;

        /** By type and size of a gang, the nodes where it may join others; kept from when they are first asked for. */
        final List<List<JoinableNodes>> nodesByGang = new ArrayList<>();

        final CoRunModel coRuns;
        final SharedGpuSearch search;
        final FailedSearches failed = new FailedSearches();

        /** Jobs placed in this decision; most likely they start there. */
        final List<JobView> placedNow = new ArrayList<>();

        SharedGpuIndex(Topology topology) {
            this.topology = topology;
            this.search = new SharedGpuSearch(topology);
            this.coLocatedJobs = new CoLocatedJobs(topology, this::index);
            this.coRuns = new CoRunModel(coLocatedJobs);
            this.joinable = new JoinableGpus[topology.types().size()];
            Arrays.setAll(joinable, type -> new JoinableGpus(STEPS, topology.gpuCount()));
            this.measured = new BitSet[topology.types().size()];
            Arrays.setAll(measured, type -> new BitSet());
            topology.types().forEach(type -> nodesByGang.add(new ArrayList<>()));
        }

        void update(View view) {
            placedNow.forEach(coLocatedJobs::refresh); // jobs that did not start there after all are removed
            placedNow.clear();
            for (JobView job : view.changedJobs()) {
                failed.forget(job.id(), job.typesByPreference());
                boolean moved = coLocatedJobs.refresh(job);
                Allocation held = moved ? null : coLocatedJobs.allocationOf(job);
                for (int i = 0; held != null && i < held.size(); i++) {
                    index(held.gpu(i)); // the profile of a job that stays may have changed
                }
            }
        }

        private void index(int gpu) {
            int type = topology.typeOf(gpu);
            List<JobView> jobs = coLocatedJobs.jobsOn(gpu);
            double busy = 0;
            boolean seen = false;
            boolean alone = false;
            int largest = 0;
            int freeMib = topology.types().get(type).memoryMib();
            for (JobView job : jobs) {
                busy += job.job().profile().busyShare();
                seen |= !job.job().profile().coRunSlowdown().isEmpty();
                largest = Math.max(largest, job.gpus());
                Allocation held = coLocatedJobs.allocationOf(job);
                alone |= held == null || !held.shared();
                freeMib -= job.job().demand().gpuMemoryOn(topology, gpu);
            }
            freeMib = alone ? JoinableGpus.NO_MEMORY : freeMib;
            boolean joins = !jobs.isEmpty() && jobs.size() < maxJobs;
            if (joins) {
                joinable[type].put(gpu, Math.min(STEPS - 1, (int) (busy * (STEPS - 1))), largest, freeMib);
            } else {
                joinable[type].remove(gpu);
            }
            measured[type].set(gpu, joins && seen);
            int node = topology.nodeOf(gpu);
            failed.nodeChanged(node);
            List<JoinableNodes> kept = nodesByGang.get(type);
            for (int i = 0; i < kept.size(); i++) {
                kept.get(i).update(node);
            }
        }

        /** Where a gang of this size may join others; null for a single GPU. */
        @Nullable
        JoinableNodes nodes(int type, int gang) {
            if (gang == 1) {
                return null;
            }
            List<JoinableNodes> kept = nodesByGang.get(type);
            int at = 0;
            while (at < kept.size() && kept.get(at).gang() != gang) {
                at++;
            }
            if (at == kept.size()) {
                kept.add(new JoinableNodes(topology, type, joinable[type], gang));
            }
            kept.get(at).refresh();
            return kept.get(at);
        }

        void recordPlacement(JobView job, Allocation allocation) {
            coLocatedJobs.remove(job);
            coLocatedJobs.add(job, allocation);
            placedNow.add(job);
        }
    }

    @Override
    public LocalityTolerance tolerance() {
        return tolerance;
    }

    /** Applies which jobs came and went since the last decision. */
    private void observe(View view) {
        nowMillis = view.nowMillis();
        minGain = minGainNow.applyAsDouble(view);
        if (account != null) {
            account.update(view);
        }
        SharedGpuIndex known = sharedGpus;
        if (known == null) {
            known = new SharedGpuIndex(view.topology());
            sharedGpus = known;
        }
        known.update(view);
    }

    @Override
    public long declinedLossMillis(FreeCapacity capacity, JobView job, int type) {
        return exclusive.declinedLossMillis(capacity, job, type);
    }

    @Override
    public boolean consolidates() {
        return exclusive.consolidates();
    }

    @Override
    public boolean placesBySize(JobView job) {
        return exclusive.placesBySize(job); // GPUs are shared at once or not at all
    }

    @Override
    public boolean requiresOneNode(FreeCapacity capacity, JobView job, int type, int gpus) {
        return exclusive.requiresOneNode(capacity, job, type, gpus);
    }

    @Override
    public int mostNodes(FreeCapacity capacity, JobView job, int type) {
        return exclusive.mostNodes(capacity, job, type);
    }

    @Override
    public boolean allowsSharing() {
        return true;
    }

    /** A gang shares the GPUs of one node. */
    @Override
    public boolean mayShare(JobView job, Topology topology) {
        for (int type : job.typesByPreference()) {
            if (job.job().demand().minGpus() <= topology.largestNode(type)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public @Nullable Allocation choose(FreeCapacity capacity, JobView job, int type, int gpus, Horizon horizon) {
        return exclusive.choose(capacity, job, type, gpus, horizon);
    }

    @Override
    public @Nullable Allocation placeExactly(FreeCapacity capacity, JobView job, int type, int gpus, Horizon horizon) {
        Allocation found = exclusive.placeExactly(capacity, job, type, gpus, horizon);
        boolean mayShare = horizon == Horizon.NOW && job.job().demand().gpuMemoryMib() > 0;
        if (found == null || !mayShare || sharedGpus == null) {
            return found;
        }
        found = Allocation.of(capacity.topology(), found.toArray(), true); // others may join later
        sharedGpus.recordPlacement(job, found);
        return found;
    }

    @Override
    public @Nullable Allocation placeOn(FreeCapacity capacity, JobView job, int type, Horizon horizon) {
        Allocation found = exclusive.placeOn(capacity, job, type, horizon);
        boolean mayShare = horizon == Horizon.NOW && job.job().demand().gpuMemoryMib() > 0;
        if (!mayShare || sharedGpus == null) {
            return found;
        }
        found = found != null
                ? Allocation.of(capacity.topology(), found.toArray(), true)
                : placeShared(sharedGpus, capacity, job, type);
        if (found != null) {
            sharedGpus.recordPlacement(job, found);
        }
        return found;
    }

    private @Nullable Allocation placeShared(SharedGpuIndex known, FreeCapacity capacity, JobView job, int type) {
        known.coLocatedJobs.remove(job); // placed before in this decision, and not started
        if (job.job().demand().minGpus() > capacity.topology().largestNode(type)) {
            return null; // a gang shares the GPUs of one node
        }
        return new PlaceSearch(known, capacity, job, type).run();
    }

    /** One search for GPUs of a type that a job may share. */
    private final class PlaceSearch {
        private final SharedGpuIndex known;
        private final FreeCapacity capacity;
        private final JobView job;
        private final int type;
        private final int need;
        private final int mib;
        private final JoinableGpus joinable;
        /** The busiest step at which it pays by the formula, and the busiest of interest. */
        private final int byFormula;

        private final int last;
        private final boolean ownMeasured;
        private SharingAccount.@Nullable Newcomer newcomer;
        private int @Nullable [] best;
        private double most = Double.NEGATIVE_INFINITY;
        private int weighed;

        PlaceSearch(SharedGpuIndex known, FreeCapacity capacity, JobView job, int type) {
            this.known = known;
            this.capacity = capacity;
            this.job = job;
            this.type = type;
            this.need = job.job().demand().minGpus();
            this.mib =
                    job.job().demand().gpuMemoryOn(capacity.topology().types().get(type));
            this.joinable = known.joinable[type];
            this.byFormula = lastPayingStep(predictedGains(job.job().profile().busyShare()), joinable);
            this.ownMeasured = !job.job().profile().coRunSlowdown().isEmpty();
            this.last = ownMeasured || !known.measured[type].isEmpty() ? STEPS - 1 : byFormula;
        }

        @Nullable
        Allocation run() {
            int[] nodes = known.failed.nodesToSearch(job.id(), type, nowMillis);
            if (nodes == null) {
                searchAll();
            } else {
                known.search.begin(null, type, mib);
                for (int i = 0; i < nodes.length && !isEnough(); i++) {
                    searchNode(nodes[i]);
                }
            }
            if (best != null) {
                return Allocation.of(capacity.topology(), best, true);
            }
            double growth = account == null || newcomer == null ? 1 : account.growthPerMilli(newcomer);
            known.failed.addFailed(job.id(), type, nowMillis, -most, growth);
            return null;
        }

        /** The least busy GPUs first. */
        private void searchAll() {
            known.search.begin(known.nodes(type, need), type, mib);
            for (int step = 0; step <= last; step++) {
                if (joinable.isEmpty(step)) {
                    continue;
                }
                JoinableGpus.Walk walk = joinable.walk(step, need, mib);
                known.search.beginStep(step);
                BitSet only = onlyMeasured(step);
                for (int gpu = next(walk, 0, only, known.search, capacity);
                        gpu >= 0;
                        gpu = next(walk, gpu + 1, only, known.search, capacity)) {
                    if (need > 1 && known.search.isFirstOfNode(gpu)) {
                        offerLessBusy(known, capacity, job, gpu, byFormula);
                    }
                    weigh(offer(known, capacity, job, gpu, step <= byFormula));
                    if (isEnough()) {
                        return;
                    }
                }
            }
        }

        /** The same GPUs of one node. */
        private void searchNode(int index) {
            Node node = capacity.topology().node(index);
            for (int step = 0; node.type() == type && step <= last; step++) {
                BitSet only = onlyMeasured(step);
                for (int gpu = node.firstGpu(); gpu < node.endGpu() && !isEnough(); gpu++) {
                    boolean fits = joinable.step(gpu) == step
                            && joinable.mayJoin(gpu, need)
                            && joinable.freeMib(gpu) >= mib
                            && (only == null || only.get(gpu));
                    weigh(fits ? offer(known, capacity, job, gpu, step <= byFormula) : null);
                }
            }
        }

        private @Nullable BitSet onlyMeasured(int step) {
            return step <= byFormula || ownMeasured ? null : known.measured[type];
        }

        private void weigh(int @Nullable [] set) {
            if (set == null || known.coRuns.gain(job, set) <= minGain * need) {
                return;
            }
            if (account == null) {
                best = set;
                return;
            }
            newcomer = newcomer == null ? account.newcomer(job, type) : newcomer;
            double net = account.netMillis(newcomer, set, known.coRuns);
            best = net > Math.max(0, most) ? set : best;
            most = Math.max(most, net);
            weighed++;
        }

        private boolean isEnough() {
            return weighed == MAX_WEIGHED || (account == null && best != null);
        }
    }

    /** Offers a GPU if the job may join those on it; returns a complete set as soon as there is one. */
    private int @Nullable [] offer(
            SharedGpuIndex known, FreeCapacity capacity, JobView job, int gpu, boolean paysByFormula) {
        List<JobView> jobs = known.coLocatedJobs.jobsOn(gpu);
        boolean sure = capacity.jobsOn(gpu) == jobs.size()
                && capacity.jobsOn(gpu) < maxJobs
                && (paysByFormula || CoRunModel.isMeasured(job, jobs));
        Demand demand = job.job().demand();
        return sure && noneLarger(jobs, demand.minGpus()) ? known.search.add(gpu, capacity, demand) : null;
    }

    /** Offers the less busy GPUs of a node, which were passed over: only with this one they may be enough. */
    private void offerLessBusy(SharedGpuIndex known, FreeCapacity capacity, JobView job, int gpu, int byFormula) {
        Topology topology = capacity.topology();
        Node node = topology.node(topology.nodeOf(gpu));
        JoinableGpus joinable = known.joinable[node.type()];
        int gang = job.job().demand().minGpus();
        int mib = job.job().demand().gpuMemoryOn(topology, gpu);
        for (int step = 0; step < joinable.step(gpu); step++) {
            for (int other = node.firstGpu(); other < node.firstGpu() + node.gpus(); other++) {
                if (joinable.step(other) == step && joinable.mayJoin(other, gang) && joinable.freeMib(other) >= mib) {
                    offer(known, capacity, job, other, step <= byFormula);
                }
            }
        }
    }

    /** The busiest step at which sharing may pay by the formula: with busier jobs it pays no more. */
    private int lastPayingStep(double[] gains, JoinableGpus joinable) {
        int last = -1;
        for (int step = 0; step < STEPS; step++) {
            if (!joinable.isEmpty(step)) {
                if (gains[step] <= minGain) {
                    return last;
                }
                last = step;
            }
        }
        return last;
    }

    /** The next GPU, from this one on, that may complete a set, or -1. */
    private static int next(
            JoinableGpus.Walk walk, int from, @Nullable BitSet only, SharedGpuSearch search, FreeCapacity capacity) {
        int gpu = walk.next(from);
        while (gpu >= 0) {
            int useful = search.firstUseful(gpu, capacity);
            useful = useful < 0 || only == null ? useful : only.nextSetBit(useful);
            if (useful == gpu || useful < 0) {
                return useful;
            }
            gpu = walk.next(useful);
        }
        return -1;
    }

    private double[] predictedGains(double own) {
        long key = Double.doubleToLongBits(own);
        double[] gains = gainTables.get(key);
        if (gains == null) {
            gainTables = gainTables.size() < MAX_GAIN_TABLES ? gainTables : new LongMap<>();
            gains = new double[STEPS];
            for (int step = 0; step < STEPS; step++) {
                gains[step] = CoRunModel.coRunGain(own, (double) step / (STEPS - 1));
            }
            gainTables.put(key, gains);
        }
        return gains;
    }

    /** Slowing a large gang on one of its GPUs slows all of it, which a smaller job can hardly make up for. */
    private static boolean noneLarger(List<JobView> jobs, int gpus) {
        for (int i = 0; i < jobs.size(); i++) {
            if (jobs.get(i).gpus() > gpus) {
                return false;
            }
        }
        return true;
    }
}
