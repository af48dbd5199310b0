package dev.fermata.sim.forecast;

import dev.fermata.core.contract.Estimator;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Outlook;
import dev.fermata.core.estimate.Counted;
import dev.fermata.core.model.LongMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the live estimator said when the forecast was made, carried on: work done since is taken off, and a job that has grown older
 * is judged as the estimator would judge it at that age. It never knows the future that is being played.
 */
final class Believed implements Estimator {
    /** Nobody is expected to end within less than this share of what he has done. */
    private static final long LEAST_SHARE = 16;

    private static final class Notes {
        final Belief belief;

        @Nullable
        Outlook outlook;

        Notes(Belief belief) {
            this.belief = belief;
            this.outlook = belief.outlook();
        }
    }

    private final LongMap<Notes> notes = new LongMap<>();

    Believed(Map<Long, Belief> beliefs, List<Newcomer> newcomers) {
        beliefs.forEach((id, belief) -> notes.put(id, new Notes(belief)));
        newcomers.forEach(one -> notes.put(one.job().id(), new Notes(one.belief())));
    }

    @Override
    public long remainingMillis(JobView job, long nowMillis) {
        Notes known = notes.get(job.id());
        if (known == null) {
            return 1;
        }
        Belief belief = known.belief;
        long done = job.doneWorkMillis(nowMillis);
        long left = belief.remainingMillis() - (done - belief.doneMillis());
        Outlook outlook = belief.outlook();
        if (outlook == null || belief.isNumber()) {
            return left > 0 ? left : Math.max(1, done / 2); // outrun: half again what it has done
        }
        if (done >= outlook.untilWorkMillis()) {
            left = outlook.wholeMillis(done, 0.5) - done;
        }
        return Math.max(1, Math.max(done / LEAST_SHARE, left));
    }

    @Override
    public @Nullable Outlook outlook(JobView job, long nowMillis) {
        Notes known = notes.get(job.id());
        if (known == null || known.outlook == null) {
            return null;
        }
        long done = job.doneWorkMillis(nowMillis);
        if (known.outlook.certain()) {
            return new Counted(done, remainingMillis(job, nowMillis));
        }
        if (done >= known.outlook.untilWorkMillis()) {
            known.outlook = known.outlook.after(done);
        }
        return known.outlook;
    }
}
