package dev.fermata.core.policy.place;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Which nodes a search for GPUs to share looks at after one that failed. */
class FailedSearchesTest {
    private static final long JOB = 7;
    private static final int[] TYPES = {0, 1};

    private final FailedSearches searches = new FailedSearches();

    @Test
    void theFirstSearchLooksAtAllNodes() {
        searches.nodeChanged(3);
        assertThat(searches.nodesToSearch(JOB, 0, 0)).isNull();
    }

    @Test
    void theNextLooksAtNodesThatChangedSinceEachOnceInTheirOrder() {
        searches.nodeChanged(3);
        searches.addFailed(JOB, 0, 0, 1e9, 1);
        assertThat(searches.nodesToSearch(JOB, 0, 0)).isEmpty();
        searches.nodeChanged(5);
        searches.nodeChanged(2);
        searches.nodeChanged(5);
        assertThat(searches.nodesToSearch(JOB, 0, 0)).containsExactly(2, 5);
    }

    @Test
    void aNodeThatChangedLastBeforeTheSearchAndFirstAfterItHasChanged() {
        searches.nodeChanged(3);
        searches.addFailed(JOB, 0, 0, 1e9, 1);
        searches.nodeChanged(3);
        assertThat(searches.nodesToSearch(JOB, 0, 0)).containsExactly(3);
    }

    @Test
    void allNodesAreLookedAtWhenTheBestPlaceMayPayByThen() {
        searches.addFailed(JOB, 0, 1000, 600, 3);
        assertThat(searches.nodesToSearch(JOB, 0, 1199)).isEmpty();
        assertThat(searches.nodesToSearch(JOB, 0, 1200)).isNull();
    }

    @Test
    void aSearchOfFewNodesDoesNotPutThatOff() {
        searches.addFailed(JOB, 0, 1000, 600, 3);
        searches.addFailed(JOB, 0, 1100, 1e9, 3);
        assertThat(searches.nodesToSearch(JOB, 0, 1200)).isNull();
    }

    @Test
    void allNodesAreLookedAtOnceAMinute() {
        searches.addFailed(JOB, 0, 0, Double.POSITIVE_INFINITY, 1);
        assertThat(searches.nodesToSearch(JOB, 0, 59_999)).isEmpty();
        assertThat(searches.nodesToSearch(JOB, 0, 60_000)).isNull();
    }

    @Test
    void allNodesAreLookedAtAfterManyChanges() {
        searches.addFailed(JOB, 0, 0, 1e9, 1);
        for (int node = 0; node < 64; node++) {
            searches.nodeChanged(node);
        }
        assertThat(searches.nodesToSearch(JOB, 0, 0)).hasSize(64);
        searches.nodeChanged(64);
        assertThat(searches.nodesToSearch(JOB, 0, 0)).isNull();
    }

    @Test
    void aJobThatChangedAndOtherTypesAreSearchedEverywhere() {
        searches.addFailed(JOB, 1, 0, 1e9, 1);
        assertThat(searches.nodesToSearch(JOB, 0, 0)).isNull();
        assertThat(searches.nodesToSearch(JOB + 1, 1, 0)).isNull();
        searches.forget(JOB, TYPES);
        assertThat(searches.nodesToSearch(JOB, 1, 0)).isNull();
    }
}
