package dev.fermata.core.policy.ranking;

import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Node;
import dev.fermata.core.model.Topology;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/** Running jobs that may be preempted: in rank order by GPU type and slope, and by node. */
public final class RunningJobs {
    private final List<List<RankTree>> treesByType = new ArrayList<>();
    /** Kept from when they are first asked for: most policies never do. */
    private @Nullable List<VictimGroups> groupsByType;

    private final @Nullable JobsByNode byNode;
    private final int[][] nodesOfType;
    private final Topology topology;

    /** No job has sunk below all ranks before this time. */
    private long overdueFromMillis = Long.MAX_VALUE;

    private @Nullable VictimNeed futileNeed;
    private int futileType;
    private long futileVersion;

    /** The last walk, which a decision asks for several times. */
    private @Nullable LowestRankFirst lowestFirst;

    // the last sum, which a decision asks for several times
    private @Nullable Rank summedRank;
    private int summedType;
    private long summedMillis;
    private long weightSum;
    /** How many trees it covers. */
    private int summedTrees;

    /** @param indexesNodes also keep the jobs by node, for policies that look for victims on one node */
    RunningJobs(Topology topology, boolean indexesNodes) {
        this.topology = topology;
        byNode = indexesNodes ? new JobsByNode(topology.nodes().size()) : null;
        nodesOfType = new int[topology.types().size()][];
        for (int t = 0; t < nodesOfType.length; t++) {
            int type = t;
            treesByType.add(new ArrayList<>());
            nodesOfType[t] = topology.nodes().stream()
                    .filter(n -> n.type() == type)
                    .mapToInt(Node::index)
                    .toArray();
        }
    }

    void add(RankedJob entry, long nowMillis) {
        forgetAnswers();
        Allocation held = Objects.requireNonNull(entry.job().allocation());
        entry.indexedAllocation = held;
        int type = topology.typeOf(held.gpu(0));
        RankTree tree = tree(type, entry.rank.slope());
        tree.add(entry);
        overdueFromMillis = Math.min(overdueFromMillis, tree.overdueFromMillis());
        if (groupsByType != null) {
            groupsByType.get(type).add(entry);
        }
        if (byNode != null) {
            byNode.add(entry, held, nowMillis);
        }
    }

    /** Answers hold while the jobs stay the same. */
    private void forgetAnswers() {
        summedRank = null;
        futileNeed = null;
        lowestFirst = null;
    }

    void remove(RankedJob entry) {
        forgetAnswers();
        Allocation held = Objects.requireNonNull(entry.indexedAllocation);
        entry.indexedAllocation = null;
        RankTree tree = Objects.requireNonNull(entry.tree);
        tree.remove(entry);
        int type = topology.typeOf(held.gpu(0));
        if (groupsByType != null) {
            groupsByType.get(type).remove(entry);
        }
        if (tree.isEmpty()) { // slopes come and go; sums walk all trees
            treesByType.get(type).remove(tree);
        }
        if (byNode != null) {
            byNode.remove(entry, held);
        }
    }

    /** The jobs on a type whose ranks change at this rate. */
    public RankTree tree(int type, long slope) {
        List<RankTree> trees = treesByType.get(type);
        for (RankTree tree : trees) {
            if (tree.slope == slope) {
                return tree;
            }
        }
        RankTree tree = new RankTree(slope);
        trees.add(tree);
        return tree;
    }

    /** The first node of a type, at or after {@code from}, where these jobs may free what is needed, or -1. */
    public int nextNode(int type, int from, VictimNeed need, IntUnaryOperator available) {
        int[] nodes = nodesOfType[type];
        int at = Arrays.binarySearch(nodes, from);
        int found = byNode().next(nodes, at < 0 ? -at - 1 : at, need, available);
        return found < 0 ? -1 : nodes[found];
    }

    /** The first node from {@code from} on where one job holds as many GPUs as are needed and may rank low enough, or -1. */
    public int nextOfOneVictim(int from, VictimNeed need) {
        return byNode().nextOfOneVictim(from, need);
    }

    /** Whether these jobs may free what is needed on a node. It is cheap, and false for most nodes. */
    public boolean mayFree(int node, VictimNeed need, int available) {
        return byNode().mayFree(node, need, available);
    }

    /**
     * Whether a need that this one implies was recorded as futile, with the same jobs and no more GPUs available since. Jobs are
     * met in rank order, so the first that finds no victims speaks for many after it.
     */
    public boolean isKnownFutile(int type, VictimNeed need, long capacityVersion) {
        VictimNeed known = futileNeed;
        return known != null && futileType == type && futileVersion == capacityVersion && need.implies(known);
    }

    /** No node has victims for this need. */
    public void recordFutile(int type, VictimNeed need, long capacityVersion) {
        futileNeed = need;
        futileType = type;
        futileVersion = capacityVersion;
    }

    public List<RankedJob> onNode(int node) {
        return byNode().on(node);
    }

    private JobsByNode byNode() {
        return Objects.requireNonNull(byNode, "jobs are not indexed by node");
    }

    /** A job that should have ended by its rank, or null: its estimate was too short. */
    @Nullable
    RankedJob overdue(long nowMillis) {
        if (nowMillis < overdueFromMillis) {
            return null;
        }
        long next = Long.MAX_VALUE;
        for (List<RankTree> trees : treesByType) {
            for (int i = 0; i < trees.size(); i++) {
                RankedJob found = trees.get(i).overdue(nowMillis);
                if (found != null) {
                    return found;
                }
                next = Math.min(next, trees.get(i).overdueFromMillis());
            }
        }
        overdueFromMillis = next;
        return null;
    }

    /**
     * GPUs of a type held by jobs that rank strictly after {@code rank}, or at least {@code enough} of them. There may be
     * hundreds of slopes, and the first few mostly suffice.
     */
    public long weightAfter(int type, Rank rank, long nowMillis, long enough) {
        boolean known = rank.equals(summedRank) && summedType == type && summedMillis == nowMillis;
        if (!known) {
            summedRank = rank;
            summedType = type;
            summedMillis = nowMillis;
            weightSum = 0;
            summedTrees = 0;
        }
        List<RankTree> trees = treesByType.get(type);
        while (summedTrees < trees.size() && weightSum < enough) {
            weightSum += trees.get(summedTrees++).weightAfter(rank, nowMillis);
        }
        return weightSum;
    }

    /** Jobs on a type that rank strictly after {@code rank}, in no particular order. */
    public void forEachAfter(int type, Rank rank, long nowMillis, Consumer<RankedJob> visitor) {
        for (RankTree tree : treesByType.get(type)) {
            tree.forEachAfter(rank, nowMillis, visitor);
        }
    }

    /** The jobs on a type, grouped by what preempting them costs. */
    public VictimGroups groups(int type) {
        List<VictimGroups> kept = groupsByType;
        if (kept == null) {
            kept = new ArrayList<>();
            for (List<RankTree> trees : treesByType) {
                VictimGroups groups = new VictimGroups();
                trees.forEach(tree -> tree.forEach(groups::add));
                kept.add(groups);
            }
            groupsByType = kept;
        }
        return kept.get(type);
    }

    /** The jobs on a type from the last in rank on. */
    public LowestRankFirst lowestRankFirst(int type, long nowMillis) {
        LowestRankFirst walk = lowestFirst;
        if (walk == null || walk.nowMillis != nowMillis || walk.trees != treesByType.get(type)) {
            walk = new LowestRankFirst(treesByType.get(type), nowMillis);
            lowestFirst = walk;
        }
        return walk;
    }

    /** Last in rank first, at one moment. */
    public static Comparator<RankedJob> lowestRankFirstOrder(long nowMillis) {
        return (a, b) -> RankedJob.compareAt(b, a, nowMillis);
    }

    /** The jobs of several trees, the last in rank first, found as far as they are asked for; valid while the jobs stay. */
    public static final class LowestRankFirst {
        private final List<RankTree> trees;
        private final @Nullable RankedJob[] cursors;
        private final long nowMillis;
        private final List<RankedJob> found = new ArrayList<>();

        LowestRankFirst(List<RankTree> trees, long nowMillis) {
            this.trees = trees;
            this.nowMillis = nowMillis;
            this.cursors = new @Nullable RankedJob[trees.size()];
            for (int i = 0; i < cursors.length; i++) {
                cursors[i] = trees.get(i).last();
            }
        }

        /** The job with so many after it in rank, or null. */
        public @Nullable RankedJob get(int index) {
            while (index >= found.size()) {
                RankedJob next = next();
                if (next == null) {
                    return null;
                }
                found.add(next);
            }
            return found.get(index);
        }

        private @Nullable RankedJob next() {
            int worst = -1;
            RankedJob last = null;
            for (int i = 0; i < cursors.length; i++) {
                RankedJob e = cursors[i];
                if (e != null && (last == null || RankedJob.compareAt(e, last, nowMillis) > 0)) {
                    last = e;
                    worst = i;
                }
            }
            if (last != null) {
                cursors[worst] = trees.get(worst).predecessor(last);
            }
            return last;
        }
    }
}
