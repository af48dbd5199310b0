package dev.fermata.core.admit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.model.QueueRule;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How a cluster is divided among queues. */
class QueueTreeTest {
    private final QueueTree tree = new QueueTree(100);

    private Queue wants(String queue, int gpus) {
        Queue leaf = tree.leaf(queue);
        leaf.pend(gpus);
        leaf.count(1);
        return leaf;
    }

    private static QueueRule rule(String path, int guarantee, int limit, double weight) {
        return new QueueRule(path, guarantee, limit, weight);
    }

    @Test
    void guaranteesComeFirstThenWeights() {
        tree.rules(List.of(rule("a", 50, 100, 1), rule("b", 0, 100, 3), rule("c", 10, 100, 1)));
        Queue a = wants("a", 100);
        Queue b = wants("b", 100);
        Queue c = wants("c", 5);
        tree.divide(100);
        assertThat(c.share).isEqualTo(5); // no more than it wants
        assertThat(a.share).isEqualTo(50 + 11); // the 45 that are left are divided one to three
        assertThat(b.share).isEqualTo(34);
    }

    @Test
    void limitsHoldForChildrenTogether() {
        tree.rules(List.of(rule("a", 0, 20, 1), rule("a/x", 5, 10, 1)));
        Queue x = wants("a/x", 50);
        Queue y = wants("a/y", 50);
        Queue own = wants("a", 50);
        Queue other = wants("other", 500);
        tree.divide(100);
        assertThat(x.share).isEqualTo(10);
        assertThat(y.share + own.share).isEqualTo(10);
        assertThat(other.share).isEqualTo(80);
    }

    @Test
    void moreGuaranteedThanThereIsIsCutInProportion() {
        tree.rules(List.of(rule("a", 60, 100, 1), rule("b", 30, 100, 1)));
        Queue a = wants("a", 100);
        Queue b = wants("b", 100);
        Queue c = wants("c", 100);
        tree.divide(45);
        assertThat(List.of(a.share, b.share, c.share)).containsExactly(30, 15, 0);
    }

    @Test
    void aParentIsGuaranteedWhatItsChildrenAre() {
        tree.rules(List.of(rule("a/x", 30, 100, 1)));
        Queue x = wants("a/x", 100);
        Queue y = wants("b", 100);
        tree.divide(40);
        assertThat(x.share).isEqualTo(30 + 5);
        assertThat(y.share).isEqualTo(5);
    }

    @Test
    void queuesThatNobodyNamesAndNobodyUsesAreForgotten() {
        tree.rules(List.of(rule("a", 1, 2, 1)));
        Queue leaf = wants("gone/far/away", 1);
        leaf.count(-1);
        tree.prune(leaf);
        assertThat(tree.leaves()).isEmpty();
        assertThat(tree.leaf("gone/far/away")).isNotSameAs(leaf);
    }

    @Test
    void wishesBeyondAllBoundsTakeNothingFromASister() {
        tree.rules(List.of(rule("a", 0, QueueRule.NO_LIMIT, 1), rule("b", 0, QueueRule.NO_LIMIT, 1)));
        Queue x = wants("a/x", 1_500_000_000);
        wants("a/x", 1_500_000_000);
        Queue y = wants("a/y", 1_500_000_000);
        Queue b = wants("b", 7);
        tree.divide(100);
        assertThat(b.share).isEqualTo(7);
        assertThat(x.share + y.share).isEqualTo(93);
        assertThat(y.share).isBetween(46, 47);
    }
}
