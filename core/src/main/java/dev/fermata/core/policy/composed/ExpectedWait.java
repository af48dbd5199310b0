package dev.fermata.core.policy.composed;

import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.View;
import dev.fermata.core.policy.order.JobOrder;
import dev.fermata.core.policy.place.SharingAccount;
import org.jspecify.annotations.Nullable;

/** How long a job would wait for GPUs of its own, by when running jobs are expected to end. */
public final class ExpectedWait implements SharingAccount.Wait {
    private final JobOrder order;
    private @Nullable ExpectedEnds ends;

    public ExpectedWait(JobOrder order) {
        this.order = order;
    }

    @Override
    public void update(View view) {
        ExpectedEnds known = ends;
        if (known == null) {
            known = new ExpectedEnds(view.topology().types().size(), order::remainingMillis);
            ends = known;
        }
        known.update(view);
    }

    @Override
    public double millis(View view, JobView job, int type) {
        int need = job.job().demand().minGpus();
        int free = view.draft().capacity().available(type, Horizon.NOW);
        long[] at = ends == null ? new long[0] : ends.availableMillis(type, free, view.nowMillis(), need);
        return at.length == 0 ? 0 : at[at.length - 1] - view.nowMillis();
    }
}
