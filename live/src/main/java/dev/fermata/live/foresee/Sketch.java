package dev.fermata.live.foresee;

import dev.fermata.core.contract.LedgerImage;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PolicySpec;
import java.util.List;
import java.util.Map;

/**
 * The world at one moment: what the ledger remembers and what is thought of each job. Drawn by the conductor's thread, looked at by others.
 *
 * @param policysPast what the policy remembers that no image has
 * @param guesses by job id, for all jobs of the image and all newcomers
 * @param newcomers jobs that are only thought of
 * @param recent who came of late, ended or not: others like them may come
 */
public record Sketch(
        Topology topology,
        PolicySpec policy,
        LedgerImage image,
        long policysPast,
        Map<Long, Guess> guesses,
        List<Job> newcomers,
        List<Came> recent,
        long nowMillis) {
    public Sketch {
        newcomers = List.copyOf(newcomers);
        recent = List.copyOf(recent);
    }
}
