package dev.fermata.core.scheduler;

import dev.fermata.core.admission.FewestNodes;
import dev.fermata.core.contract.Horizon;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.QueueRule;
import java.util.ArrayList;
import org.jspecify.annotations.Nullable;

/**
 * Starts a job with a reservation on GPUs that become free first, if they serve it as well. They must be as many, of
 * the same type, on no more nodes and racks. It runs before the policy decides, so no other job overtakes it; the GPUs
 * still being vacated then serve the next job. No job waits for a slow victim while suitable GPUs are free.
 */
final class EarlyStart {
    private final ClusterState cluster;
    private long checkedVersion = -1;

    EarlyStart(ClusterState cluster) {
        this.cluster = cluster;
    }

    /** Starts every reserved job for which there is room now, in the order of the reservations. */
    void startEarly() {
        while (!cluster.reservedJobs.isEmpty() && checkedVersion != cluster.capacityVersion) {
            checkedVersion = cluster.capacityVersion;
            for (TrackedJob job : new ArrayList<>(cluster.reservedJobs)) {
                Allocation place = job.held == null && job.reservation != null && job.suspension == null
                        ? findElsewhere(job, job.reservation)
                        : null;
                if (place != null) {
                    cluster.releaseReservation(job); // its old reservation may serve another: capacity has changed
                    cluster.start(job, place);
                }
            }
        }
    }

    private @Nullable Allocation findElsewhere(TrackedJob job, Allocation reservation) {
        Demand demand = job.job.demand();
        int type = cluster.topology.typeOf(reservation.gpu(0));
        int vacated = reservation.size() == 1 ? 0 : countVacated(reservation);
        if (reservation.mixed()
                || cluster.capacity.available(type, Horizon.NOW) + vacated < reservation.size()
                || !withinQueueLimits(job, reservation.size())) {
            return null;
        }
        cluster.capacity.reserve(reservation, demand, -1); // already free GPUs of its reservation count
        Allocation place = FewestNodes.find(cluster.capacity, demand, type, reservation.size(), Horizon.NOW);
        cluster.capacity.reserve(reservation, demand, 1);
        boolean asClose = place != null
                && place.nodeCount() <= reservation.nodeCount()
                && place.shape().racks() <= reservation.shape().racks();
        return asClose ? place : null;
    }

    private int countVacated(Allocation reservation) {
        int vacated = 0;
        for (int i = 0; i < reservation.size(); i++) {
            vacated += cluster.capacity.jobsOn(reservation.gpu(i)) == 0 ? 1 : 0;
        }
        return vacated;
    }

    /** Whether the limits of its queues allow the GPUs in addition to all that is held there, by leaving jobs too. */
    private boolean withinQueueLimits(TrackedJob job, int gpus) {
        for (QueueRule rule : cluster.queueRules) {
            if (rule.limitGpus() != QueueRule.NO_LIMIT && rule.covers(job.job.queue())) {
                long used = gpus;
                for (TrackedJob other : cluster.all()) {
                    boolean counts = other != job && rule.covers(other.job.queue());
                    used += counts && other.held != null ? other.held.size() : 0;
                    used += counts && other.reservation != null ? other.reservation.size() : 0;
                }
                if (used > rule.limitGpus()) {
                    return false;
                }
            }
        }
        return true;
    }
}
