package dev.fermata.core.scheduler;

import dev.fermata.core.model.Demand;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Node;
import dev.fermata.core.model.Profile;
import dev.fermata.core.model.Topology;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a job could ever get on this cluster when everything is free and healthy. Returns are cached by demand. */
final class Feasibility {
    private record HostDemand(long cpuMilli, long memoryMib) {}

    private final Topology topology;
    private final Map<HostDemand, int[]> feasibleByHostDemand = new HashMap<>();
    private final Map<Profile, Map<Long, int[]>> preferences = new HashMap<>();
    /** The last query about preferences: most jobs ask the same as the one before. */
    private @Nullable Profile lastProfile;

    private long lastMask;
    private int[] lastPreference = {};

    Feasibility(Topology topology) {
        this.topology = topology;
    }

    /** Whether the cluster has too few GPUs for it at present, used or not. */
    boolean lacksNodes(TrackedJob job) {
        return maxGpusOfOneType(job.job.demand(), job.eligibleTypes)
                < job.job.demand().minGpus();
    }

    /** The most GPUs of one type that this demand could be given. */
    int maxGpusOfOneType(Demand demand, long eligibleTypes) {
        HostDemand host = new HostDemand(demand.cpuMilliPerGpu(), demand.memoryMibPerGpu());
        int[] feasible = feasibleByHostDemand.computeIfAbsent(host, h -> feasibleByType(demand));
        int best = 0;
        for (int t = 0; t < feasible.length; t++) {
            if ((eligibleTypes >> t & 1) != 0) {
                best = Math.max(best, feasible[t]);
            }
        }
        return best;
    }

    private int[] feasibleByType(Demand demand) {
        int[] feasible = new int[topology.types().size()];
        for (Node node : topology.nodes()) {
            feasible[node.type()] += demand.maxGpusOn(node);
        }
        return feasible;
    }

    /** Eligible types, fastest for this job's model first, then in the order of the cluster. */
    @SuppressWarnings("ReferenceEquality") // an equal profile that is not the same one is looked up
    int[] typesByPreference(Job job, long eligibleTypes) {
        if (job.profile() != lastProfile || eligibleTypes != lastMask) {
            lastPreference = preferences
                    .computeIfAbsent(job.profile(), p -> new HashMap<>())
                    .computeIfAbsent(eligibleTypes, mask -> sortBySpeed(job.profile(), mask));
            lastProfile = job.profile();
            lastMask = eligibleTypes;
        }
        return lastPreference;
    }

    private int[] sortBySpeed(Profile profile, long mask) {
        return java.util.stream.IntStream.range(0, topology.types().size())
                .filter(t -> (mask >> t & 1) != 0)
                .boxed()
                .sorted((a, b) -> {
                    int bySpeed = Double.compare(
                            profile.speedOn(topology.types().get(b)),
                            profile.speedOn(topology.types().get(a)));
                    return bySpeed != 0 ? bySpeed : Integer.compare(a, b);
                })
                .mapToInt(Integer::intValue)
                .toArray();
    }
}
