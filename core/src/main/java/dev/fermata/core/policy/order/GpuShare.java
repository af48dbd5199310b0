package dev.fermata.core.policy.order;

import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.LongMap;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * A share of the GPUs for jobs that go before others. Candidates are admitted in the order in which they came, while the
 * GPUs of all admitted jobs stay within the share. A job that is larger than the share is admitted alone, if at all; what it
 * takes beyond the share is paid back before the next one is admitted.
 */
final class GpuShare {
    private final double share;
    private final boolean admitsLarger;
    private final long minAgeMillis;
    private final Set<Long> candidates = new LinkedHashSet<>();
    private final LongMap<Integer> admitted = new LongMap<>();
    private int admittedGpus;
    private double debtGpuMillis;
    private long atMillis;

    /**
     * @param admitsLarger whether a job that needs more than the share is admitted at all
     * @param minAgeMillis how long ago a job was submitted, at least
     */
    GpuShare(double share, boolean admitsLarger, long minAgeMillis) {
        this.share = share;
        this.admitsLarger = admitsLarger;
        this.minAgeMillis = minAgeMillis;
    }

    void addCandidate(long id) {
        candidates.add(id);
    }

    boolean contains(JobView job) {
        return admitted.get(job.id()) != null;
    }

    /** Whether nothing waits for the share and nothing uses it. */
    boolean isIdle() {
        return candidates.isEmpty() && admittedGpus == 0 && debtGpuMillis == 0;
    }

    /** The job goes before others no longer, and is no candidate. */
    void release(long id) {
        candidates.remove(id);
        Integer gpus = admitted.remove(id);
        admittedGpus -= gpus == null ? 0 : gpus;
    }

    /** Admits the candidates that fit into the share now, and returns them. */
    List<JobView> admit(View view) {
        if (share == 0) {
            candidates.clear();
        }
        if (isIdle()) {
            atMillis = view.nowMillis();
            return List.of();
        }
        double limit = share * view.gpusUp();
        debtGpuMillis = Math.max(0, debtGpuMillis + (admittedGpus - limit) * (view.nowMillis() - atMillis));
        atMillis = view.nowMillis();
        List<JobView> found = new ArrayList<>(0);
        for (Iterator<Long> next = candidates.iterator(); next.hasNext(); ) {
            JobView job = view.job(next.next());
            int gpus = job == null ? 0 : job.job().demand().minGpus();
            boolean larger = gpus > limit;
            if (job == null || (larger && !admitsLarger)) {
                next.remove();
                continue;
            }
            boolean oldEnough = view.nowMillis() - job.submittedMillis() >= minAgeMillis;
            boolean fits = larger ? admittedGpus == 0 : admittedGpus + gpus <= limit;
            if (!oldEnough || !fits || debtGpuMillis > 0) {
                break;
            }
            next.remove();
            admitted.put(job.id(), gpus);
            admittedGpus += gpus;
            found.add(job);
        }
        return found;
    }
}
