package dev.fermata.live.conductor;

import dev.fermata.core.contract.Reason;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * GPUs that nobody uses and that a job could have if they were in service.
 *
 * @param places what is out of service, a sentence each, with what brings it back where people can do that
 */
record Outages(int gpus, List<String> places) {
    /** Whoever waits for one of these might not with more GPUs in service. */
    private static final Set<Reason> SHORT_OF_GPUS = EnumSet.of(
            Reason.QUEUE_SHARE,
            Reason.PRIORITY,
            Reason.RESOURCES,
            Reason.FRAGMENTED,
            Reason.WAITING_FOR_LOCALITY,
            Reason.HOST_RESOURCES,
            Reason.MEMORY,
            Reason.RESERVATION,
            Reason.PREEMPTION_NOT_WORTH_IT);

    private static final int NAMED = 3;

    Outages {
        places = List.copyOf(places);
    }

    /** The explanation with what is out of service, where that keeps the job from starting. */
    Explanation in(Explanation why, Reason reason) {
        if (places.isEmpty() || !SHORT_OF_GPUS.contains(reason)) {
            return why;
        }
        Map<String, Object> evidence = new LinkedHashMap<>(why.evidence());
        evidence.put("outOfServiceGpus", gpus);
        int more = places.size() - NAMED;
        String named = String.join("; ", places.subList(0, Math.min(NAMED, places.size())))
                + (more > 0 ? "; and " + more + " more (fermata nodes)" : "");
        return new Explanation(
                why.job(),
                why.state(),
                why.reason(),
                why.message() + "; " + gpus + (gpus == 1 ? " is" : " are") + " out of service",
                evidence,
                named + (why.unblockedBy().isEmpty() ? "" : "; or " + why.unblockedBy()),
                why.position());
    }
}
