package dev.fermata.core.policy.ranking;

import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Node;
import dev.fermata.core.model.Topology;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/** Running jobs that may be preempted: in rank order by GPU type and slope, and by node. */
public final class RunningJobs {
    private final List<List<RankTree>> treesByType = new ArrayList<>();
    private final List<List<RankedJob>> byNode = new ArrayList<>();
    private final int[] heldOnNode;
    /** The most GPUs that one of these jobs holds on a node. */
    private final int[] maxHeldOnNode;

    private final int[][] nodesOfType;
    private final Topology topology;
    private final boolean indexesNodes;

    /** @param indexesNodes also keep the jobs by node, for policies that look for victims on one node */
    RunningJobs(Topology topology, boolean indexesNodes) {
        this.topology = topology;
        this.indexesNodes = indexesNodes;
        heldOnNode = new int[topology.nodes().size()];
        maxHeldOnNode = new int[topology.nodes().size()];
        nodesOfType = new int[topology.types().size()][];
        for (int t = 0; t < nodesOfType.length; t++) {
            int type = t;
            treesByType.add(new ArrayList<>());
            nodesOfType[t] = topology.nodes().stream()
                    .filter(n -> n.type() == type)
                    .mapToInt(Node::index)
                    .toArray();
        }
        topology.nodes().forEach(n -> byNode.add(new ArrayList<>()));
    }

    void add(RankedJob entry) {
        Allocation held = Objects.requireNonNull(entry.job().allocation());
        entry.indexedAllocation = held;
        tree(topology.typeOf(held.gpu(0)), entry.rank.slope()).add(entry);
        for (int k = 0; indexesNodes && k < held.nodeCount(); k++) {
            byNode.get(held.node(k)).add(entry);
            heldOnNode[held.node(k)] += held.gpusOn(k);
            maxHeldOnNode[held.node(k)] = Math.max(maxHeldOnNode[held.node(k)], held.gpusOn(k));
        }
    }

    void remove(RankedJob entry) {
        Allocation held = Objects.requireNonNull(entry.indexedAllocation);
        entry.indexedAllocation = null;
        RankTree tree = Objects.requireNonNull(entry.tree);
        tree.remove(entry);
        if (tree.isEmpty()) { // slopes come and go; sums walk all trees
            treesByType.get(topology.typeOf(held.gpu(0))).remove(tree);
        }
        for (int k = 0; indexesNodes && k < held.nodeCount(); k++) {
            byNode.get(held.node(k)).remove(entry);
            heldOnNode[held.node(k)] -= held.gpusOn(k);
            maxHeldOnNode[held.node(k)] = largestOn(held.node(k));
        }
    }

    private int largestOn(int node) {
        int largest = 0;
        for (RankedJob entry : byNode.get(node)) {
            Allocation held = Objects.requireNonNull(entry.indexedAllocation);
            largest = Math.max(largest, held.gpusOnNode(node));
        }
        return largest;
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

    /**
     * Finds the first node of a type, at or after position {@code from}, where {@code maxJobs} of these jobs may hold the
     * missing GPUs. Returns its position, or -1.
     */
    public int nextPosition(int type, int from, int need, int maxJobs, IntUnaryOperator available) {
        int[] nodes = nodesOfType[type];
        for (int i = from; i < nodes.length; i++) {
            long most = Math.min(heldOnNode[nodes[i]], (long) maxJobs * maxHeldOnNode[nodes[i]]);
            if (most >= need || (most > 0 && most + available.applyAsInt(nodes[i]) >= need)) {
                return i;
            }
        }
        return -1;
    }

    public int nodeAt(int type, int position) {
        return nodesOfType[type][position];
    }

    public List<RankedJob> onNode(int node) {
        return byNode.get(node);
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
        long sum = 0;
        for (RankTree tree : treesByType.get(type)) {
            sum += tree.weightAfter(rank, nowMillis);
        }
        return sum;
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
