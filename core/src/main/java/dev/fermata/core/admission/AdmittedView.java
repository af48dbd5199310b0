package dev.fermata.core.admission;

import dev.fermata.core.contract.Draft;
import dev.fermata.core.contract.FreeCapacity;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.RuntimeEstimate;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.QueueRule;
import dev.fermata.core.model.Topology;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The view that admission gives a policy: jobs behind a closed gate are not in it. */
final class AdmittedView implements View {
    private final View delegate;
    private final AdmissionTable table;
    private final QueueStarvationGuard starvationGuard;
    private final List<JobView> changed;

    AdmittedView(View real, AdmissionTable table, QueueStarvationGuard starvationGuard) {
        this.delegate = real;
        this.table = table;
        this.starvationGuard = starvationGuard;
        this.changed = Collections.unmodifiableList(table.changes);
    }

    @Override
    public List<JobView> changedJobs() {
        return changed;
    }

    @Override
    public boolean isAdmitted(JobView job) {
        AdmissionEntry entry = table.get(job.id());
        return entry == null || entry.visible;
    }

    /** For one victim: whether all victims of a job together may leave is checked with the plan. */
    @Override
    public boolean mayPreempt(JobView victim, JobView beneficiary) {
        AdmissionEntry loser = table.get(victim.id());
        AdmissionEntry winner = table.get(beneficiary.id());
        QueueNode from = loser == null ? null : loser.queue;
        QueueNode to = winner == null ? null : winner.queue;
        return loser == null
                || from == null
                || to == null
                || (!loser.reclaimedFrom.contains(beneficiary.id())
                        && from.canSpare(victim.gpus(), to, starvationGuard.isEntitled(to)));
    }

    /** GPUs that the policy took to be given away and that are not count as capacity that appeared. */
    @Override
    public long capacityVersion() {
        return delegate.capacityVersion() + table.returnedRounds;
    }

    @Override
    public @Nullable JobView job(long id) {
        JobView job = delegate.job(id);
        return job != null && isAdmitted(job) ? job : null;
    }

    @Override
    public List<JobView> liveJobs() {
        return delegate.liveJobs().stream().filter(job -> job(job.id()) != null).toList();
    }

    @Override
    public int pendingJobs() {
        return delegate.pendingJobs() - table.hidden();
    }

    @Override
    public long nowMillis() {
        return delegate.nowMillis();
    }

    @Override
    public Topology topology() {
        return delegate.topology();
    }

    @Override
    public FreeCapacity capacity() {
        return delegate.capacity();
    }

    @Override
    public int gpusUp() {
        return delegate.gpusUp();
    }

    @Override
    public int schedulableGpus(int type) {
        return delegate.schedulableGpus(type);
    }

    @Override
    public int runningJobs() {
        return delegate.runningJobs();
    }

    @Override
    public List<QueueRule> queueRules() {
        return delegate.queueRules();
    }

    @Override
    public long remainingMillis(JobView job) {
        return delegate.remainingMillis(job);
    }

    @Override
    public boolean isEstimated(JobView job) {
        return delegate.isEstimated(job);
    }

    @Override
    public @Nullable RuntimeEstimate runtimeEstimate(JobView job) {
        return delegate.runtimeEstimate(job);
    }

    @Override
    public long estimateVersion() {
        return delegate.estimateVersion();
    }

    @Override
    public long suspendMemoryMib(int node) {
        return delegate.suspendMemoryMib(node);
    }

    @Override
    public Draft draft() {
        return delegate.draft();
    }
}
