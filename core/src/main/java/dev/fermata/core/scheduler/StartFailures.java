package dev.fermata.core.scheduler;

import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.SchedulerSnapshot;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.model.Allocation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * Starts that failed. A job waits before its next attempt, twice as long each time, and fails for good after {@link
 * #MAX_FAILURES} in a row. A node that is the cause of {@link #NODE_FAILURES} failed starts in a row gets no attempts for a
 * while; then one more failure excludes it again. A start that succeeds there ends both.
 */
final class StartFailures {
    static final int MAX_FAILURES = 8;
    static final int NODE_FAILURES = 3;
    private static final long BACKOFF_MILLIS = 2_000;
    private static final long MAX_BACKOFF_MILLIS = 300_000;
    private static final long EXCLUSION_MILLIS = 300_000;

    private final ClusterState cluster;
    /** Pending jobs that wait for their next attempt, in the order of their failures. */
    private final List<TrackedJob> waiting = new ArrayList<>();

    private final TreeMap<Integer, NodeFailures> nodes = new TreeMap<>();

    /** Failed starts in a row that a node is the cause of. */
    private static final class NodeFailures {
        int failures;
        long excludedUntilMillis;
        boolean excluded;
    }

    StartFailures(ClusterState cluster) {
        this.cluster = cluster;
    }

    /**
     * The attempt never started, and never will.
     *
     * @param node the node that is the cause, -1 for none
     */
    void fail(TrackedJob job, String cause, int node) {
        int failures = job.startFailures + 1;
        boolean last = failures >= MAX_FAILURES;
        long wait = Math.min(MAX_BACKOFF_MILLIS, BACKOFF_MILLIS << Math.min(failures - 1, 16));
        NodeFailures known = nodes.get(node);
        boolean excluded = node >= 0 && (known == null ? 0 : known.failures) + 1 >= NODE_FAILURES;
        record(
                job,
                new HistoryRecord.StartFailed(
                        job.id(),
                        job.attempt,
                        cause,
                        failures,
                        last || job.cancelling ? 0 : cluster.nowMillis + wait,
                        node,
                        excluded ? cluster.nowMillis + EXCLUSION_MILLIS : 0));
        Outcome outcome = job.cancelling ? Outcome.CANCELLED : last ? Outcome.FAILED : Outcome.LOST;
        JobState next = job.cancelling ? JobState.CANCELLED : last ? JobState.FAILED : JobState.PENDING;
        long held = cluster.nowMillis - job.startedMillis;
        cluster.endAttempt(job, outcome, new Usage(held, 0, 0, 0, 0, job.savedWorkMillis), next);
    }

    /** Records the failure before what follows from it; the end of the attempt comes after. */
    void record(TrackedJob job, HistoryRecord.StartFailed failure) {
        cluster.records.add(failure);
        job.startFailures = failure.failures();
        job.failedStart = job.attempt;
        backOff(job, failure.retryAtMillis());
        if (failure.node() >= 0) {
            exclude(failure.node(), nodeFailures(failure.node()).failures + 1, failure.excludedUntilMillis());
        }
    }

    private void backOff(TrackedJob job, long retryAtMillis) {
        job.retryAtMillis = retryAtMillis;
        job.inStartBackoff = retryAtMillis > cluster.nowMillis;
        if (job.inStartBackoff) {
            waiting.add(job);
        }
    }

    private NodeFailures nodeFailures(int node) {
        return nodes.computeIfAbsent(node, number -> new NodeFailures());
    }

    private void exclude(int node, int failures, long untilMillis) {
        NodeFailures known = nodeFailures(node);
        known.failures = failures;
        known.excludedUntilMillis = untilMillis;
        boolean excluded = untilMillis > cluster.nowMillis;
        if (excluded != known.excluded) {
            setExcluded(node, known, excluded);
        }
    }

    private void setExcluded(int node, NodeFailures known, boolean excluded) {
        known.excluded = excluded;
        cluster.capacity.setNodeExcluded(node, excluded);
        cluster.capacityVersion++;
        if (excluded) {
            cluster.nodes.releaseReservationsOn(node);
        }
    }

    /** Another node takes this slot. */
    void forget(int node) {
        nodes.remove(node);
    }

    /** The attempt has started: its job and its nodes are fine. */
    void succeed(TrackedJob job) {
        job.startFailures = 0;
        job.retryAtMillis = 0;
        Allocation held = Objects.requireNonNull(job.held);
        for (int i = 0; i < held.size() && !nodes.isEmpty(); i++) {
            int node = cluster.topology.nodeOf(held.gpu(i));
            NodeFailures known = nodes.remove(node);
            if (known != null && known.excluded) {
                setExcluded(node, known, false);
            }
        }
    }

    /** Ends the waits and exclusions whose time is over. */
    void expire() {
        for (int i = waiting.size() - 1; i >= 0; i--) {
            TrackedJob job = waiting.get(i);
            if (job.state != JobState.PENDING || job.retryAtMillis <= cluster.nowMillis) {
                waiting.remove(i);
                job.inStartBackoff = false;
                if (job.state == JobState.PENDING) {
                    cluster.markChanged(job);
                }
            }
        }
        for (Map.Entry<Integer, NodeFailures> entry : nodes.entrySet()) {
            if (entry.getValue().excluded && entry.getValue().excludedUntilMillis <= cluster.nowMillis) {
                setExcluded(entry.getKey(), entry.getValue(), false);
            }
        }
    }

    /** When {@link #expire} has something to do. */
    long nextMillis() {
        long next = Plan.NEVER;
        for (int i = 0; i < waiting.size(); i++) {
            next = Math.min(next, waiting.get(i).retryAtMillis);
        }
        for (NodeFailures known : nodes.values()) {
            next = known.excluded ? Math.min(next, known.excludedUntilMillis) : next;
        }
        return next;
    }

    /** What it knows; expired waits included, so that it follows from the records alone. */
    SchedulerSnapshot.StartFailureState snapshot(List<TrackedJob> jobs) {
        List<SchedulerSnapshot.JobStartFailures> ofJobs = jobs.stream()
                .filter(job -> job.startFailures > 0)
                .map(job -> new SchedulerSnapshot.JobStartFailures(job.id(), job.startFailures, job.retryAtMillis))
                .toList();
        List<SchedulerSnapshot.NodeStartFailures> ofNodes = nodes.entrySet().stream()
                .map(entry -> new SchedulerSnapshot.NodeStartFailures(
                        entry.getKey(), entry.getValue().failures, entry.getValue().excludedUntilMillis))
                .toList();
        return new SchedulerSnapshot.StartFailureState(ofJobs, ofNodes);
    }

    void restore(SchedulerSnapshot.StartFailureState state) {
        for (SchedulerSnapshot.JobStartFailures failures : state.jobs()) {
            TrackedJob job = Objects.requireNonNull(cluster.find(failures.jobId()));
            job.startFailures = failures.failures();
            if (job.state == JobState.PENDING) {
                backOff(job, failures.retryAtMillis());
            } else {
                job.retryAtMillis = failures.retryAtMillis();
            }
        }
        state.nodes().forEach(node -> exclude(node.node(), node.failures(), node.excludedUntilMillis()));
    }
}
