package dev.fermata.core.policy.whole;

import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.Job;
import java.util.function.ToDoubleFunction;

/** Any job, in an order that hashes the two jobs' ids: the same in every run. A baseline of FitGpp. */
public final class RandomVictims implements VictimChoice {
    @Override
    public int budget() {
        return Job.UNLIMITED_PREEMPTIONS;
    }

    @Override
    public ToDoubleFunction<VictimCandidate> scoreSeveral(View view, JobView trial) {
        long salt = mix(trial.id());
        return r -> (mix(r.id() ^ salt) >>> 11) * 0x1.0p-53;
    }

    private static long mix(long id) {
        long z = (id + 0x9E3779B97F4A7C15L) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }
}
