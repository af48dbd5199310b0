package dev.fermata.core.admission;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.model.Job;
import dev.fermata.core.model.QueueRule;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How a cluster is divided among queues. */
class QueueTreeTest {
    private final QueueTree tree = new QueueTree(100);

    private QueueNode addDemand(String queue, int gpus) {
        QueueNode leaf = tree.leaf(Job.builder(1, 1).queue(queue).build());
        leaf.addPending(gpus);
        leaf.addJobs(1);
        return leaf;
    }

    private static QueueRule rule(String path, int guarantee, int limit, double weight) {
        return new QueueRule(path, guarantee, limit, weight);
    }

    @Test
    void guaranteesAreServedBeforeWeights() {
        tree.setRules(List.of(rule("a", 50, 100, 1), rule("b", 0, 100, 3), rule("c", 10, 100, 1)));
        QueueNode a = addDemand("a", 100);
        QueueNode b = addDemand("b", 100);
        QueueNode c = addDemand("c", 5);
        tree.divideShares(100);
        assertThat(c.share).isEqualTo(5); // no more than it requests
        assertThat(a.share).isEqualTo(50 + 11); // the 45 that are left are divided one to three
        assertThat(b.share).isEqualTo(34);
    }

    @Test
    void limitsApplyToAllChildrenTogether() {
        tree.setRules(List.of(rule("a", 0, 20, 1), rule("a/x", 5, 10, 1)));
        QueueNode x = addDemand("a/x", 50);
        QueueNode y = addDemand("a/y", 50);
        QueueNode own = addDemand("a", 50);
        QueueNode other = addDemand("other", 500);
        tree.divideShares(100);
        assertThat(x.share).isEqualTo(10);
        assertThat(y.share + own.share).isEqualTo(10);
        assertThat(other.share).isEqualTo(80);
    }

    @Test
    void guaranteesBeyondCapacityAreCutInProportion() {
        tree.setRules(List.of(rule("a", 60, 100, 1), rule("b", 30, 100, 1)));
        QueueNode a = addDemand("a", 100);
        QueueNode b = addDemand("b", 100);
        QueueNode c = addDemand("c", 100);
        tree.divideShares(45);
        assertThat(List.of(a.share, b.share, c.share)).containsExactly(30, 15, 0);
    }

    @Test
    void aParentIsGuaranteedWhatItsChildrenAre() {
        tree.setRules(List.of(rule("a/x", 30, 100, 1)));
        QueueNode x = addDemand("a/x", 100);
        QueueNode y = addDemand("b", 100);
        tree.divideShares(40);
        assertThat(x.share).isEqualTo(30 + 5);
        assertThat(y.share).isEqualTo(5);
    }

    @Test
    void unusedQueuesWithoutRulesAreRemoved() {
        tree.setRules(List.of(rule("a", 1, 2, 1)));
        QueueNode leaf = addDemand("gone/far/away", 1);
        leaf.addJobs(-1);
        tree.prune(leaf);
        assertThat(tree.leaves()).isEmpty();
        assertThat(tree.leaf(Job.builder(1, 1).queue("gone/far/away").build())).isNotSameAs(leaf);
    }

    @Test
    void unboundedDemandTakesNothingFromASiblingQueue() {
        tree.setRules(List.of(rule("a", 0, QueueRule.NO_LIMIT, 1), rule("b", 0, QueueRule.NO_LIMIT, 1)));
        QueueNode x = addDemand("a/x", 1_500_000_000);
        addDemand("a/x", 1_500_000_000);
        QueueNode y = addDemand("a/y", 1_500_000_000);
        QueueNode b = addDemand("b", 7);
        tree.divideShares(100);
        assertThat(b.share).isEqualTo(7);
        assertThat(x.share + y.share).isEqualTo(93);
        assertThat(y.share).isBetween(46, 47);
    }
}
