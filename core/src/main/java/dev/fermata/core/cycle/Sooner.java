package dev.fermata.core.cycle;

import dev.fermata.core.admit.FewestNodes;
import dev.fermata.core.contract.Horizon;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.QueueRule;
import java.util.ArrayList;
import org.jspecify.annotations.Nullable;

/**
 * Whoever was promised GPUs that others still leave starts on those that come free first, if they serve it as well: as many, of
 * the same type, on no more nodes and racks. It does so before anybody else is asked, so nobody overtakes it there; what is
 * being vacated will be the next one's. Nobody waits for a victim that takes its time beside GPUs that would do.
 */
final class Sooner {
    private final Ledger ledger;
    private long lookedVersion = -1;

    Sooner(Ledger ledger) {
        this.ledger = ledger;
    }

    /** Starts every promised job for which there is room now, who was promised first first. */
    void start() {
        while (!ledger.promised.isEmpty() && lookedVersion != ledger.capacityVersion) {
            lookedVersion = ledger.capacityVersion;
            for (JobRecord job : new ArrayList<>(ledger.promised)) {
                Allocation place = job.held == null && job.promise != null ? elsewhere(job, job.promise) : null;
                if (place != null) {
                    ledger.breakPromise(job); // what it no longer waits for may serve another: that is a new version
                    ledger.start(job, place);
                }
            }
        }
    }

    private @Nullable Allocation elsewhere(JobRecord job, Allocation promise) {
        Demand demand = job.job.demand();
        int type = ledger.topology.typeOf(promise.gpu(0));
        int vacated = promise.size() == 1 ? 0 : vacated(promise);
        if (promise.mixed()
                || ledger.capacity.available(type, Horizon.NOW) + vacated < promise.size()
                || !limitsAllow(job, promise.size())) {
            return null;
        }
        ledger.capacity.promise(promise, demand, -1); // what of it is free already counts
        Allocation place = FewestNodes.find(ledger.capacity, demand, type, promise.size(), Horizon.NOW);
        ledger.capacity.promise(promise, demand, 1);
        boolean asClose = place != null
                && place.nodeCount() <= promise.nodeCount()
                && place.shape().racks() <= promise.shape().racks();
        return asClose ? place : null;
    }

    private int vacated(Allocation promise) {
        int vacated = 0;
        for (int i = 0; i < promise.size(); i++) {
            vacated += ledger.capacity.sharers(promise.gpu(i)) == 0 ? 1 : 0;
        }
        return vacated;
    }

    /** Whether it may have GPUs beside all that jobs under the same limits hold, those who leave included. */
    private boolean limitsAllow(JobRecord job, int gpus) {
        for (QueueRule rule : ledger.queueRules) {
            if (rule.limitGpus() != QueueRule.NO_LIMIT && rule.covers(job.job.queue())) {
                long used = gpus;
                for (JobRecord other : ledger.all()) {
                    boolean counts = other != job && rule.covers(other.job.queue());
                    used += counts && other.held != null ? other.held.size() : 0;
                    used += counts && other.promise != null ? other.promise.size() : 0;
                }
                if (used > rule.limitGpus()) {
                    return false;
                }
            }
        }
        return true;
    }
}
