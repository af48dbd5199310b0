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
    private final @Nullable JobsByNode byNode;
    private final int[][] nodesOfType;
    private final Topology topology;

    private @Nullable VictimNeed futileNeed;
    private int futileType;
    private long futileVersion;

    // the last sum, which a decision asks for several times
    private @Nullable Rank summedRank;
    private int summedType;
    private long summedMillis;
    private long weightSum;

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

    void add(RankedJob entry) {
        forgetAnswers();
        Allocation held = Objects.requireNonNull(entry.job().allocation());
        entry.indexedAllocation = held;
        tree(topology.typeOf(held.gpu(0)), entry.rank.slope()).add(entry);
        if (byNode != null) {
            byNode.add(entry, held);
        }
    }

    /** Answers hold while the jobs stay the same. */
    private void forgetAnswers() {
        summedRank = null;
        futileNeed = null;
    }

    void remove(RankedJob entry) {
        forgetAnswers();
        Allocation held = Objects.requireNonNull(entry.indexedAllocation);
        entry.indexedAllocation = null;
        RankTree tree = Objects.requireNonNull(entry.tree);
        tree.remove(entry);
        if (tree.isEmpty()) { // slopes come and go; sums walk all trees
            treesByType.get(topology.typeOf(held.gpu(0))).remove(tree);
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
        for (List<RankTree> trees : treesByType) {
            for (RankTree tree : trees) {
                RankedJob first = tree.slope < 0 ? tree.first() : null;
                while (first != null) {
                    if (first.rank.keyAt(nowMillis) < 0) {
                        return first;
                    }
                    first = tree.firstAfterLevel(first.rank.level());
                }
            }
        }
        return null;
    }

    /** GPUs of a type held by jobs that rank strictly after {@code rank}. */
    public long weightAfter(int type, Rank rank, long nowMillis) {
        if (!rank.equals(summedRank) || summedType != type || summedMillis != nowMillis) {
            summedRank = rank;
            summedType = type;
            summedMillis = nowMillis;
            weightSum = 0;
            List<RankTree> trees = treesByType.get(type);
            for (int i = 0; i < trees.size(); i++) {
                weightSum += trees.get(i).weightAfter(rank, nowMillis);
            }
        }
        return weightSum;
    }

    /** Jobs on a type that rank strictly after {@code rank}, in no particular order. */
    public void forEachAfter(int type, Rank rank, long nowMillis, Consumer<RankedJob> visitor) {
        for (RankTree tree : treesByType.get(type)) {
            tree.forEachAfter(rank, nowMillis, visitor);
        }
    }

    /** Walks the jobs on a type from the last in rank on. */
    public LowestRankFirst lowestRankFirst(int type, long nowMillis) {
        return new LowestRankFirst(treesByType.get(type), nowMillis);
    }

    /** Last in rank first, at one moment. */
    public static Comparator<RankedJob> lowestRankFirstOrder(long nowMillis) {
        return (a, b) -> RankedJob.compareAt(b, a, nowMillis);
    }

    /** A walk over several trees at once; valid while they do not change. */
    public static final class LowestRankFirst {
        private final List<RankTree> trees;
        private final @Nullable RankedJob[] cursors;
        private final long nowMillis;

        LowestRankFirst(List<RankTree> trees, long nowMillis) {
            this.trees = trees;
            this.nowMillis = nowMillis;
            this.cursors = new @Nullable RankedJob[trees.size()];
            for (int i = 0; i < cursors.length; i++) {
                cursors[i] = trees.get(i).last();
            }
        }

        public @Nullable RankedJob next() {
            int worst = -1;
            RankedJob found = null;
            for (int i = 0; i < cursors.length; i++) {
                RankedJob e = cursors[i];
                if (e != null && (found == null || RankedJob.compareAt(e, found, nowMillis) > 0)) {
                    found = e;
                    worst = i;
                }
            }
            if (found != null) {
                cursors[worst] = trees.get(worst).predecessor(found);
            }
            return found;
        }
    }
}
