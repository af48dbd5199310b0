package dev.fermata.core.cycle;

import dev.fermata.core.contract.Draft;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Outlook;
import dev.fermata.core.contract.Space;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.QueueRule;
import dev.fermata.core.model.Topology;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The ledger as policies see it. One instance for the life of the ledger. */
final class Window implements View {
    /** Three decades: longer estimates are cut, so that ranks stay far from overflow. */
    private static final long FOREVER_MILLIS = 1_000_000_000_000L;

    private final Ledger ledger;
    private final Draft draft;
    private final List<JobView> changed;

    Window(Ledger ledger, Draft draft) {
        this.ledger = ledger;
        this.draft = draft;
        this.changed = Collections.unmodifiableList(ledger.changed);
    }

    @Override
    public long nowMillis() {
        return ledger.nowMillis;
    }

    @Override
    public Topology topology() {
        return ledger.topology;
    }

    @Override
    public Space space() {
        return ledger.capacity;
    }

    @Override
    public List<JobView> changed() {
        return changed;
    }

    @Override
    public long capacityVersion() {
        return ledger.capacityVersion;
    }

    @Override
    public @Nullable JobView job(long id) {
        return ledger.find(id);
    }

    @Override
    public List<JobView> live() {
        return ledger.live();
    }

    @Override
    public int gpusUp() {
        return ledger.capacity.gpusUp();
    }

    @Override
    public int gpusUp(int type) {
        return ledger.capacity.gpusUp(type);
    }

    @Override
    public int pendingJobs() {
        return ledger.pending;
    }

    @Override
    public int runningJobs() {
        return ledger.running;
    }

    @Override
    public List<QueueRule> queueRules() {
        return ledger.queueRules;
    }

    @Override
    public long remainingMillis(JobView job) {
        return Math.max(1, Math.min(FOREVER_MILLIS, ledger.estimator.remainingMillis(job, ledger.nowMillis)));
    }

    @Override
    public @Nullable Outlook outlook(JobView job) {
        return ledger.estimator.outlook(job, ledger.nowMillis);
    }

    @Override
    public long estimateVersion() {
        return ledger.estimator.version(nowMillis());
    }

    @Override
    public Draft draft() {
        return draft;
    }
}
