package dev.fermata.core.policy.queue;

import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Topology;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Running jobs that may be asked to leave: in rank order by GPU type and slope, and by node. */
public final class Running {
    private final List<List<RankTree>> treesByType = new ArrayList<>();
    private final List<List<Entry>> byNode = new ArrayList<>();
    private final Topology topology;

    Running(Topology topology) {
        this.topology = topology;
        topology.types().forEach(t -> treesByType.add(new ArrayList<>()));
        topology.nodes().forEach(n -> byNode.add(new ArrayList<>()));
    }

    void add(Entry entry) {
        Allocation held = Objects.requireNonNull(entry.job().allocation());
        entry.linked = held;
        tree(topology.typeOf(held.gpu(0)), entry.rank.slope()).add(entry);
        for (int k = 0; k < held.nodeCount(); k++) {
            byNode.get(held.node(k)).add(entry);
        }
    }

    void remove(Entry entry) {
        Allocation held = Objects.requireNonNull(entry.linked);
        entry.linked = null;
        Objects.requireNonNull(entry.tree).remove(entry);
        for (int k = 0; k < held.nodeCount(); k++) {
            byNode.get(held.node(k)).remove(entry);
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

    public List<Entry> onNode(int node) {
        return byNode.get(node);
    }

    /** A job that should have ended by what its rank says, or null: its estimate was too short. */
    @Nullable Entry overdue(long nowMillis) {
        for (List<RankTree> trees : treesByType) {
            for (RankTree tree : trees) {
                Entry first = tree.slope < 0 ? tree.first() : null;
                if (first != null && first.rank.at(nowMillis) < 0) {
                    return first;
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

    /** Walks the jobs on a type from the least deserving on. */
    public WorstFirst worstFirst(int type, long nowMillis) {
        return new WorstFirst(treesByType.get(type), nowMillis);
    }

    /** Least deserving first, at one moment. */
    public static Comparator<Entry> worstFirstOrder(long nowMillis) {
        return (a, b) -> Entry.compareAt(b, a, nowMillis);
    }

    /** A walk over several trees at once; valid while they do not change. */
    public static final class WorstFirst {
        private final List<RankTree> trees;
        private final @Nullable Entry[] cursors;
        private final long nowMillis;

        WorstFirst(List<RankTree> trees, long nowMillis) {
            this.trees = trees;
            this.nowMillis = nowMillis;
            this.cursors = new @Nullable Entry[trees.size()];
            for (int i = 0; i < cursors.length; i++) {
                cursors[i] = trees.get(i).last();
            }
        }

        public @Nullable Entry next() {
            int worst = -1;
            Entry found = null;
            for (int i = 0; i < cursors.length; i++) {
                Entry e = cursors[i];
                if (e != null && (found == null || Entry.compareAt(e, found, nowMillis) > 0)) {
                    found = e;
                    worst = i;
                }
            }
            if (found != null) {
                cursors[worst] = trees.get(worst).before(found);
            }
            return found;
        }
    }
}
