package dev.fermata.core.policy.order;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.JobClass;
import dev.fermata.core.model.LongMap;
import dev.fermata.core.model.Pace;
import dev.fermata.core.policy.queue.Rank;
import dev.fermata.core.policy.tune.Lifetimes;

/**
 * Least remaining work times the square root of its GPUs first, as far as it can be known: between SRTF, which is best
 * where gangs are large against the cluster, and SRSF, which is best where they are small. Where estimates proved wrong, what is left is judged from how jobs of the same age against their estimate went on.
 */
public final class ForesightOrder implements Order {
    private final boolean trialsFirst;
    private final Lifetimes lifetimes = new Lifetimes();
    private final ShortestOrder trusting = new ShortestOrder(0.5);
    /** What each live job was expected to need in all when it was first seen. */
    private final LongMap<Long> expected = new LongMap<>();

    /** @param trialsFirst trial jobs go before all others of their priority */
    public ForesightOrder(boolean trialsFirst) {
        this.trialsFirst = trialsFirst;
    }

    @Override
    public Rank waiting(JobView job, View view) {
        expect(job, view);
        return lifetimes.exact() ? trusting.waiting(job, view) : Rank.fixed(Order.level(job), service(job, view));
    }

    @Override
    public Rank running(JobView job, View view) {
        if (lifetimes.exact()) {
            Rank rank = trusting.running(job, view);
            return new Rank(level(job), rank.base(), rank.slope(), rank.rekeyAtMillis());
        }
        long pace = Math.max(1, job.paceMicro());
        double whole = expect(job, view);
        double age = job.doneWorkMillis(view.nowMillis()) / whole;
        double missing = (lifetimes.nextStep(age) - age) * whole;
        long rekeyAt = view.nowMillis() + 1 + (long) Math.min(1e15, missing * Pace.UNIT / pace);
        return new Rank(level(job), service(job, view), 0, rekeyAt);
    }

    private int level(JobView job) {
        return 2 * Order.level(job) - (trialsFirst && job.job().jobClass() == JobClass.TRIAL ? 1 : 0);
    }

    private long service(JobView job, View view) {
        return remainingMillis(job, view) * ShortestOrder.UNIT * trusting.weight(job);
    }

    @Override
    public long remainingMillis(JobView job, View view) {
        if (lifetimes.exact()) {
            return view.remainingMillis(job);
        }
        double whole = expect(job, view);
        double age = job.doneWorkMillis(view.nowMillis()) / whole;
        return Math.max(1, Math.round(Math.min(FOREVER_MILLIS, lifetimes.remaining(age) * whole)));
    }

    private long expect(JobView job, View view) {
        Long known = expected.get(job.id());
        if (known == null) {
            known = view.remainingMillis(job) + job.doneWorkMillis(view.nowMillis());
            expected.put(job.id(), known);
        }
        return known;
    }

    @Override
    public boolean ended(JobView job, View view) {
        Long whole = expected.remove(job.id());
        if (whole == null || job.state() != JobState.COMPLETED) {
            return false;
        }
        return lifetimes.learn((double) job.doneWorkMillis(view.nowMillis()) / whole);
    }
}
