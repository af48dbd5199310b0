package dev.fermata.core.scheduler;

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

/** The cluster state as policies see it. It has one instance and never copies. */
final class ClusterView implements View {
    /** Three decades: longer estimates are cut, so that ranks stay far from overflow. */
    private static final long MAX_ESTIMATE_MILLIS = 1_000_000_000_000L;

    private final ClusterState cluster;
    private final Draft draft;
    private final List<JobView> changed;

    ClusterView(ClusterState cluster, Draft draft) {
        this.cluster = cluster;
        this.draft = draft;
        this.changed = Collections.unmodifiableList(cluster.changedJobs);
    }

    @Override
    public long nowMillis() {
        return cluster.nowMillis;
    }

    @Override
    public Topology topology() {
        return cluster.topology;
    }

    @Override
    public FreeCapacity capacity() {
        return cluster.capacity;
    }

    @Override
    public List<JobView> changedJobs() {
        return changed;
    }

    @Override
    public long capacityVersion() {
        return cluster.capacityVersion;
    }

    @Override
    public @Nullable JobView job(long id) {
        return cluster.find(id);
    }

    @Override
    public List<JobView> liveJobs() {
        return cluster.live();
    }

    @Override
    public int gpusUp() {
        return cluster.capacity.gpusUp();
    }

    @Override
    public int schedulableGpus(int type) {
        return cluster.capacity.schedulableGpus(type);
    }

    @Override
    public int pendingJobs() {
        return cluster.pendingCount;
    }

    @Override
    public int runningJobs() {
        return cluster.runningCount;
    }

    @Override
    public List<QueueRule> queueRules() {
        return cluster.queueRules;
    }

    @Override
    public long remainingMillis(JobView job) {
        return Math.max(1, Math.min(MAX_ESTIMATE_MILLIS, cluster.estimator.remainingMillis(job, cluster.nowMillis)));
    }

    @Override
    public boolean isEstimated(JobView job) {
        return cluster.estimator.knows(job);
    }

    @Override
    public @Nullable RuntimeEstimate runtimeEstimate(JobView job) {
        return cluster.estimator.runtimeEstimate(job, cluster.nowMillis);
    }

    @Override
    public long estimateVersion() {
        return cluster.estimator.version(nowMillis());
    }

    @Override
    public long suspendMemoryMib(int node) {
        return cluster.suspended.availableMib(node);
    }

    @Override
    public Draft draft() {
        return draft;
    }
}
