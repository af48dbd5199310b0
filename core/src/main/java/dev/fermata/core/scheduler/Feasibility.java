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

    /** What jobs that want as much CPU and RAM for each GPU could get, by type of GPU. */
    private static final class Limits {
        final Demand example;
        final int[] gpusOfType;
        /** The most GPUs that a live job has wanted, by the types that it may run on. */
        final Map<Long, Integer> wanted = new HashMap<>();

        Limits(Demand example, Topology topology) {
            this.example = example;
            this.gpusOfType = new int[topology.types().size()];
            for (Node node : topology.nodes()) {
                gpusOfType[node.type()] += example.maxGpusOn(node);
            }
        }

        int best(long eligibleTypes) {
            int best = 0;
            for (int t = 0; t < gpusOfType.length; t++) {
                if ((eligibleTypes >> t & 1) != 0) {
                    best = Math.max(best, gpusOfType[t]);
                }
            }
            return best;
        }

        int gained(Node before, Node now) {
            return example.maxGpusOn(now) - example.maxGpusOn(before);
        }

        /** Whether some job could have too few before or after so many more. */
        boolean mayMatter(int type, int gained) {
            boolean may = false;
            for (Map.Entry<Long, Integer> entry : wanted.entrySet()) {
                int before = best(entry.getKey());
                gpusOfType[type] += gained;
                int now = best(entry.getKey());
                gpusOfType[type] -= gained;
                may |= before != now && Math.min(before, now) < entry.getValue();
            }
            return may;
        }
    }

    private Topology topology;
    private final Map<HostDemand, Limits> limits = new HashMap<>();
    private final Map<Profile, Map<Long, int[]>> preferences = new HashMap<>();
    /** The last query about preferences: most jobs ask the same as the one before. */
    private @Nullable Profile lastProfile;

    private long lastMask;
    private int[] lastPreference = {};

    Feasibility(Topology topology) {
        this.topology = topology;
    }

    /** Whether the cluster has too few GPUs for it at present, used or not. The job is remembered, for {@link #mayMatter}. */
    boolean lacksNodes(TrackedJob job) {
        int wanted = job.job.demand().minGpus();
        Limits known = limitsOf(job.job.demand());
        known.wanted.merge(job.eligibleTypes, wanted, Math::max);
        return known.best(job.eligibleTypes) < wanted;
    }

    /** The most GPUs of one type that this demand could be given. */
    int maxGpusOfOneType(Demand demand, long eligibleTypes) {
        return limitsOf(demand).best(eligibleTypes);
    }

    private Limits limitsOf(Demand demand) {
        HostDemand host = new HostDemand(demand.cpuMilliPerGpu(), demand.memoryMibPerGpu());
        return limits.computeIfAbsent(host, h -> new Limits(demand, topology));
    }

    /** Whether some job may lack nodes, or no longer lack them, when a node changes that keeps its type. */
    boolean mayMatter(Node before, Node now) {
        for (Limits known : limits.values()) {
            int gained = known.gained(before, now);
            if (gained != 0 && known.mayMatter(now.type(), gained)) {
                return true;
            }
        }
        return false;
    }

    /** A node has changed and keeps its type. */
    void describe(Topology now, Node before, Node after) {
        topology = now;
        limits.values().forEach(known -> known.gpusOfType[after.type()] += known.gained(before, after));
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
