package dev.fermata.sim.forecast;

import dev.fermata.core.contract.LedgerImage;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PolicySpec;
import java.util.List;
import java.util.Map;

/**
 * A world as it is at one moment: what its ledger remembers, and what is believed of each job in it.
 *
 * @param policysPast what its policy remembers that no image has
 * @param beliefs by job id, for every job of the image and every newcomer
 * @param newcomers jobs that are thought of as submitted at {@code nowMillis}
 * @param recent who came of late; those like them are expected to come again. Empty when nobody is expected
 */
public record LiveState(
        Topology topology,
        PolicySpec policy,
        LedgerImage image,
        long policysPast,
        Map<Long, Belief> beliefs,
        List<Job> newcomers,
        List<Arrival> recent,
        long nowMillis) {
    public LiveState {
        newcomers = List.copyOf(newcomers);
        recent = List.copyOf(recent);
        for (LedgerImage.Page page : image.jobs()) {
            require(beliefs, page.job());
        }
        newcomers.forEach(job -> require(beliefs, job));
    }

    private static void require(Map<Long, Belief> beliefs, Job job) {
        if (!beliefs.containsKey(job.id())) {
            throw new IllegalArgumentException("nothing is believed of job " + job.id() + " (" + job.name() + ")");
        }
    }
}
