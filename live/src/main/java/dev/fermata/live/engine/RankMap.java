package dev.fermata.live.engine;

import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Topology;
import dev.fermata.live.spec.JobSpec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;

/**
 * Which rank of an attempt runs on which node, next to which GPUs. Ranks follow the order of the GPUs, so those of a node are
 * consecutive. It is the same for every engine, and knows no addresses.
 *
 * @param nodes the nodes of the attempt, in the order of their GPUs
 * @param ranks one for each process, by rank
 */
public record RankMap(List<NodeRanks> nodes, List<Rank> ranks) {
    /** The part of one node; {@code firstGpu} counts among the GPUs of the attempt. */
    public record NodeRanks(int node, String name, int firstGpu, int gpus, int firstRank, int ranks) {}

    /** One process: its node, counted among those of the attempt, and its place there. */
    public record Rank(int rank, int nodeRank, int localRank) {}

    public RankMap {
        nodes = List.copyOf(nodes);
        ranks = List.copyOf(ranks);
    }

    /** Of an attempt with these GPUs, for {@code ranks} as the job file has it. */
    public static RankMap of(int ranks, Allocation allocation, Topology topology) {
        int count = count(ranks, allocation);
        int[] ranksOnNode = new int[allocation.nodeCount()];
        for (int rank = 0; rank < count; rank++) {
            ranksOnNode[nodeOf(rank, count, ranks, allocation)]++;
        }
        List<NodeRanks> nodes = new ArrayList<>();
        List<Rank> all = new ArrayList<>();
        int gpu = 0;
        for (int i = 0; i < allocation.nodeCount(); i++) {
            nodes.add(new NodeRanks(
                    allocation.node(i),
                    topology.node(allocation.node(i)).name(),
                    gpu,
                    allocation.gpusOn(i),
                    all.size(),
                    ranksOnNode[i]));
            gpu += allocation.gpusOn(i);
            for (int local = 0; local < ranksOnNode[i]; local++) {
                all.add(new Rank(all.size(), i, local));
            }
        }
        return new RankMap(nodes, all);
    }

    /** Of an attempt on one machine, whatever nodes stand for parts of it. */
    public static RankMap onOneNode(String name, int count, int gpus) {
        List<Rank> ranks = new ArrayList<>();
        for (int rank = 0; rank < count; rank++) {
            ranks.add(new Rank(rank, 0, rank));
        }
        return new RankMap(List.of(new NodeRanks(0, name, 0, gpus, 0, count)), ranks);
    }

    /** How many processes {@code ranks} of the job file means on these GPUs. */
    public static int count(int ranks, Allocation allocation) {
        return switch (ranks) {
            case JobSpec.RANK_PER_GPU -> allocation.size();
            case JobSpec.RANK_PER_NODE -> allocation.nodeCount();
            default -> Math.max(1, ranks);
        };
    }

    /** One per node, or spread evenly over the GPUs: the node of the GPU at the rank's part of them. */
    private static int nodeOf(int rank, int count, int ranks, Allocation allocation) {
        if (ranks == JobSpec.RANK_PER_NODE) {
            return rank;
        }
        long gpu = (long) rank * allocation.size() / count;
        int node = 0;
        for (long passed = allocation.gpusOn(0); passed <= gpu; passed += allocation.gpusOn(node)) {
            node++;
        }
        return node;
    }

    /**
     * The variables by which distributed programs find each other, the same for all ranks.
     *
     * @param masterAddress how the other nodes reach the first one
     */
    public Map<String, String> variables(String masterAddress, int masterPort) {
        StringJoiner names = new StringJoiner(",");
        StringJoiner tasks = new StringJoiner(",");
        nodes.forEach(node -> {
            names.add(node.name);
            tasks.add(Integer.toString(node.ranks));
        });
        Map<String, String> set = new LinkedHashMap<>();
        set.put("WORLD_SIZE", Integer.toString(ranks.size()));
        set.put("MASTER_ADDR", masterAddress);
        set.put("MASTER_PORT", Integer.toString(masterPort));
        set.put("FERMATA_NODES", names.toString());
        set.put("SLURM_NTASKS", Integer.toString(ranks.size()));
        set.put("SLURM_NNODES", Integer.toString(nodes.size()));
        set.put("SLURM_JOB_NUM_NODES", Integer.toString(nodes.size()));
        set.put("SLURM_JOB_NODELIST", names.toString());
        set.put("SLURM_TASKS_PER_NODE", tasks.toString());
        return set;
    }

    /** The variables of one rank. */
    public Map<String, String> variables(Rank rank) {
        Map<String, String> set = new LinkedHashMap<>();
        set.put("RANK", Integer.toString(rank.rank));
        set.put("LOCAL_RANK", Integer.toString(rank.localRank));
        set.put("NODE_RANK", Integer.toString(rank.nodeRank));
        set.put("LOCAL_WORLD_SIZE", Integer.toString(nodes.get(rank.nodeRank).ranks));
        set.put("SLURM_PROCID", Integer.toString(rank.rank));
        set.put("SLURM_LOCALID", Integer.toString(rank.localRank));
        set.put("SLURM_NODEID", Integer.toString(rank.nodeRank));
        return set;
    }
}
