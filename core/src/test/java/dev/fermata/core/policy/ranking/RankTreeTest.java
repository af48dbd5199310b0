package dev.fermata.core.policy.ranking;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.estimate.PastJob;
import dev.fermata.core.model.Job;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The tree against a sorted list. */
class RankTreeTest {
    private static PastJob waiting(long id) {
        return PastJob.of(Job.builder(id, 1).build(), JobState.PENDING, 0);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void behavesLikeASortedList(long seed) {
        Random random = new Random(seed);
        long slope = seed % 2 == 0 ? 0 : -3;
        RankTree tree = new RankTree(slope);
        List<RankedJob> list = new ArrayList<>();
        for (int i = 1; i <= 600; i++) {
            if (random.nextInt(3) > 0 || list.isEmpty()) {
                RankedJob entry = entry(i, random, slope);
                tree.add(entry);
                list.add(entry);
                list.sort(RankTree::compare);
            } else {
                RankedJob gone = list.remove(random.nextInt(list.size()));
                tree.remove(gone);
                assertThat(gone.tree).isNull();
            }
            assertThat(tree.size()).isEqualTo(list.size());
            assertThat(tree.weight())
                    .isEqualTo(list.stream().mapToLong(RankedJob::weight).sum());
            assertThat(tree.first()).isSameAs(list.isEmpty() ? null : list.get(0));
            assertThat(tree.last()).isSameAs(list.isEmpty() ? null : list.get(list.size() - 1));
            if (!list.isEmpty()) {
                compareQueries(tree, list, random);
            }
        }
    }

    private static RankedJob entry(long id, Random random, long slope) {
        Rank rank = new Rank(random.nextInt(3), random.nextInt(50), slope, Long.MAX_VALUE);
        RankedJob entry = new RankedJob(waiting(id), rank);
        entry.weight = 1 + random.nextInt(8);
        entry.estimateMillis = random.nextInt(100);
        return entry;
    }

    private static void compareQueries(RankTree tree, List<RankedJob> list, Random random) {
        int at = random.nextInt(list.size());
        RankedJob entry = list.get(at);
        assertThat(tree.position(entry)).isEqualTo(at);
        assertThat(tree.predecessor(entry)).isSameAs(at == 0 ? null : list.get(at - 1));

        long through =
                list.subList(0, at + 1).stream().mapToLong(RankedJob::weight).sum();
        assertThat(tree.firstReachingWeight(through)).isSameAs(entry);
        assertThat(tree.firstReachingWeight(through - entry.weight() + 1)).isSameAs(entry);
        assertThat(tree.firstReachingWeight(tree.weight() + 1)).isNull();

        long limit = random.nextInt(100);
        assertThat(tree.firstNotLongerThan(null, limit)).isSameAs(firstShort(list, 0, limit));
        assertThat(tree.firstNotLongerThan(entry, limit)).isSameAs(firstShort(list, at + 1, limit));

        long now = random.nextInt(20);
        Rank rank = Rank.fixed(random.nextInt(3), random.nextInt(80) - 40);
        long after = list.stream()
                .filter(e -> rank.isBefore(e.rank(), now))
                .mapToLong(RankedJob::weight)
                .sum();
        assertThat(tree.weightAfter(rank, now)).isEqualTo(after);
        List<RankedJob> all = new ArrayList<>();
        tree.forEach(all::add);
        assertThat(all).isEqualTo(list);
        compareOverdue(tree, list, now);
    }

    private static void compareOverdue(RankTree tree, List<RankedJob> list, long now) {
        boolean any = tree.slope < 0 && list.stream().anyMatch(e -> e.rank().keyAt(now) < 0);
        RankedJob overdue = tree.overdue(now);
        assertThat(overdue != null).isEqualTo(any);
        if (overdue != null) {
            assertThat(overdue.rank().keyAt(now)).isNegative();
        } else {
            assertThat(tree.overdueFromMillis()).isGreaterThan(now);
        }
    }

    private static @Nullable RankedJob firstShort(List<RankedJob> list, int from, long limit) {
        return list.subList(from, list.size()).stream()
                .filter(e -> e.estimateMillis() <= limit)
                .findFirst()
                .orElse(null);
    }

    @Test
    void removingAnAbsentEntryFails() {
        RankTree tree = new RankTree(0);
        RankedJob absent = new RankedJob(waiting(7), Rank.fixed(0, 1));

        assertThatThrownBy(() -> tree.remove(absent)).hasMessageContaining("job 7 is not in this tree");
    }

    @Test
    void equalsNeverGoBeforeEachOther() {
        Rank fixed = Rank.fixed(0, 70);
        Rank sinking = new Rank(0, 100, -1, Long.MAX_VALUE);

        assertThat(fixed.isBefore(sinking, 30)).isFalse();
        assertThat(sinking.isBefore(fixed, 30)).isFalse();
        assertThat(fixed.isBefore(sinking, 29)).isTrue();
        assertThat(sinking.isBefore(fixed, 31)).isTrue();
        assertThat(Rank.fixed(-1, 1000).isBefore(fixed, 0)).isTrue();
    }
}
