package dev.fermata.live.profile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.fermata.core.model.Costs;
import dev.fermata.history.SampleSummary;
import dev.fermata.history.SlidingSamples;
import dev.fermata.live.profile.ProfileEstimate.Basis;
import dev.fermata.live.store.ProfileRow;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Estimates of profile keys. */
class ProfileStoreTest {
    private static final Costs PRIOR = new Costs(5_000, 10_000, 0, 0);
    private static final ProfileKey KEY = new ProfileKey("train.py", "resnet", "H100", 4);

    private final ProfileStore store = new ProfileStore(PRIOR);
    private long nowMillis;

    static AttemptMeasurements preempt(long millis) {
        return AttemptMeasurements.NONE.withPreemption(new AttemptMeasurements.PreemptionTimes(millis, -1, 1));
    }

    static AttemptMeasurements load(long start, long build, long restore, long warmup) {
        long load = start + build + Math.max(0, restore) + warmup;
        return AttemptMeasurements.NONE
                .withLoad(new AttemptMeasurements.LoadTimes(start, build, restore, warmup, load))
                .withUse(new AttemptMeasurements.ResourceUse(9_000, -1, -1))
                .withSteps(new AttemptMeasurements.Steps(10, -1, 100));
    }

    private void learn(ProfileKey key, AttemptMeasurements measured) {
        learn(key, measured, Set.of(), -1);
    }

    private void learn(
            ProfileKey key, AttemptMeasurements measured, Set<ProfileMetric> unusable, long insufficientMib) {
        store.learn(measured, new ProfileUpdate(key, unusable, insufficientMib, null), ++nowMillis);
    }

    @Test
    void unmeasuredCostsAreAssumed() {
        ProfileEstimate known = store.estimate(KEY);

        assertThat(known.costs()).isEqualTo(PRIOR);
        assertThat(known.isMeasured()).isFalse();
        assertThat(known.maxLoadMillis()).isZero();
    }

    @Test
    void exactKeyCountsBeforeTheSameProgram() {
        learn(KEY.onGpus("A100", 4), preempt(900));
        assertThat(store.estimate(KEY).preemptBasis()).isEqualTo(Basis.SAME_PROGRAM);
        assertThat(store.estimate(KEY).costs().preemptMillis()).isEqualTo(900);

        learn(KEY, preempt(300));
        assertThat(store.estimate(KEY).preemptBasis()).isEqualTo(Basis.EXACT);
        assertThat(store.estimate(KEY).costs().preemptMillis()).isEqualTo(300);
        assertThat(store.estimate(new ProfileKey("train.py", "bert", "H100", 4)).preemptBasis())
                .isEqualTo(Basis.ASSUMED);
    }

    @Test
    void forgettingTheOnlyKeyForgetsTheProgram() {
        learn(KEY, preempt(300));
        assertThat(store.isOnlyKeyOfProgram(KEY)).isTrue();
        assertThat(store.forget(KEY, 9)).containsExactly(KEY, KEY.programKey());
        assertThat(store.estimate(KEY).costs()).isEqualTo(PRIOR);

        learn(KEY, preempt(300));
        learn(KEY.onGpus("A100", 4), preempt(900));
        assertThat(store.isOnlyKeyOfProgram(KEY)).isFalse();
        assertThat(store.forget(KEY, 9)).containsExactly(KEY);
        assertThat(store.estimate(KEY).preemptBasis()).isEqualTo(Basis.SAME_PROGRAM);
    }

    @Test
    void loadPhasesAreSeparatedWhereMeasured() {
        learn(KEY, load(400, 2_000, -1, 600));
        assertThat(store.estimate(KEY).costs()).isEqualTo(new Costs(5_000, 2_400, 0, 600));

        learn(KEY, load(400, 2_000, 3_000, 600));
        ProfileEstimate known = store.estimate(KEY);
        assertThat(known.costs()).isEqualTo(new Costs(5_000, 2_400, 3_000, 600));
        assertThat(known.maxLoadMillis()).isEqualTo(6_000);
        assertThat(known.preemptBasis()).isEqualTo(Basis.ASSUMED);
    }

    @Test
    void outlierChangesLittle() {
        for (int i = 0; i < 9; i++) {
            learn(KEY, preempt(1_000 + i));
        }
        learn(KEY, preempt(600_000));

        assertThat(store.estimate(KEY).costs().preemptMillis()).isBetween(1_000L, 1_009L);
        assertThat(store.estimate(KEY).preempt().p90()).isLessThan(1_010);
    }

    @Test
    void changedBehaviourIsFollowed() {
        for (int i = 0; i < ProfileSamples.MAX_SAMPLES; i++) {
            learn(KEY, preempt(8_000));
        }
        for (int i = 0; i < ProfileSamples.MAX_SAMPLES / 2 + 1; i++) {
            learn(KEY, preempt(500));
        }

        assertThat(store.estimate(KEY).costs().preemptMillis()).isEqualTo(500);
        assertThat(store.samples(KEY).summary(ProfileMetric.PREEMPT).count()).isEqualTo(ProfileSamples.MAX_SAMPLES);
    }

    @Test
    void writtenRowsRestoreTheSameStore() {
        Random random = new Random(3);
        List<ProfileKey> keys =
                List.of(KEY, KEY.onGpus("A100", 1), KEY.onGpus("H100", 8), new ProfileKey("other.py", "", "H100", 1));
        for (int i = 0; i < 500; i++) {
            ProfileKey key = keys.get(random.nextInt(keys.size()));
            learn(key, random.nextBoolean() ? preempt(random.nextInt(9_000)) : load(10, random.nextInt(999), -1, 5));
        }
        store.replace(KEY, store.samples(KEY).withOverrides(Map.of(ProfileMetric.PREEMPT, 77L)), 1_000);
        ProfileStore another = new ProfileStore(PRIOR);
        another.restore(store.unwritten(1), List.of());

        for (ProfileKey key : keys) {
            assertThat(another.estimate(key)).isEqualTo(store.estimate(key));
            assertThat(another.estimate(key.onGpus("B200", 2))).isEqualTo(store.estimate(key.onGpus("B200", 2)));
        }
        assertThat(another.all()).isEqualTo(store.all());
        assertThat(another.estimate(KEY).costs().preemptMillis()).isEqualTo(77);
    }

    @Test
    void writtenProfilesAreNotWrittenAgainUntilChanged() {
        learn(KEY, preempt(300));
        learn(KEY.onGpus("A100", 1), preempt(400));
        assertThat(store.unwritten(9)).extracting(ProfileRow::seq).containsExactly(9L, 9L, 9L);
        store.markWritten();
        assertThat(store.unwritten(10)).isEmpty();
        learn(KEY, preempt(500));
        assertThat(store.unwritten(11))
                .extracting(ProfileRow::gpuType, ProfileRow::atMillis)
                .containsExactlyInAnyOrder(tuple("H100", 3L), tuple("", 3L));
    }

    @Test
    void unusableMetricsAndFailedMemoryStayWithTheExactKey() {
        learn(KEY, AttemptMeasurements.NONE.withGpu(800, 9_000), Set.of(ProfileMetric.BUSY_PERMILLE), 20_000);

        assertThat(store.samples(KEY).samples())
                .containsOnlyKeys(ProfileMetric.PEAK_MEMORY_MIB, ProfileMetric.FAILED_MEMORY_MIB);
        assertThat(store.samples(KEY.programKey()).samples()).containsOnlyKeys(ProfileMetric.PEAK_MEMORY_MIB);
    }

    /** Compared with a plain list that is sorted again each time. */
    @Test
    void slidingSamplesMatchASortedList() {
        Random random = new Random(5);
        for (int kept : List.of(4, 5, 64)) {
            SlidingSamples latest = new SlidingSamples(kept);
            List<Long> all = new ArrayList<>();
            for (int i = 0; i < 5 * kept; i++) {
                long value = random.nextInt(3) == 0 ? random.nextInt(4) : random.nextLong();
                latest.add(value);
                all.add(value);
                List<Long> last = all.subList(Math.max(0, all.size() - kept), all.size());
                assertThat(latest.values()).isEqualTo(last);
                assertThat(latest.summary()).isEqualTo(SampleSummary.of(last));
                assertThat(latest.max()).isEqualTo(Collections.max(last));
                assertThat(latest.count()).isEqualTo(last.size());
            }
        }
    }

    @Test
    void quantilesAreMeasuredValues() {
        assertThat(SampleSummary.of(List.of(5L, 1L, 3L, 2L, 4L, 10L, 6L, 9L, 8L, 7L)))
                .isEqualTo(new SampleSummary(10, 6, 1, 5, 9));
        assertThat(SampleSummary.of(List.of(4L))).isEqualTo(new SampleSummary(1, 4, 4, 4, 4));
        assertThat(SampleSummary.of(List.of())).isEqualTo(SampleSummary.NONE);
    }

    private static ProfileUpdate updateReplacing(@Nullable AttemptMeasurements instead) {
        return new ProfileUpdate(KEY, Set.of(), -1, instead);
    }

    /** An attempt is measured while it runs, again when its figures grow, and at its end: it counts once. */
    @Test
    void laterUpdateOfAnAttemptReplacesTheEarlierOne() {
        Random random = new Random(3);
        ProfileStore once = new ProfileStore(PRIOR);
        for (int i = 0; i < 40; i++) {
            int peak = 1_000 + random.nextInt(5_000);
            AttemptMeasurements early = load(random.nextInt(900), 5, -1, 7).withGpu(1 + random.nextInt(999), peak);
            AttemptMeasurements end =
                    load(random.nextInt(900), 6, -1, 8).withGpu(1 + random.nextInt(999), peak + random.nextInt(99));
            learn(KEY, early);
            if (random.nextBoolean()) {
                learn(KEY, preempt(100 + i)); // another attempt in between
                once.learn(preempt(100 + i), updateReplacing(null), i);
            }
            store.learn(end, updateReplacing(early), i);
            once.learn(end, updateReplacing(null), i);
        }
        for (ProfileMetric metric : ProfileMetric.values()) {
            assertThat(store.samples(KEY).summary(metric))
                    .as("%s", metric)
                    .isEqualTo(once.samples(KEY).summary(metric));
        }
        assertThat(store.estimate(KEY)).isEqualTo(once.estimate(KEY));
        assertThat(store.estimate(KEY.programKey())).isEqualTo(once.estimate(KEY.programKey()));
    }

    @Test
    void laterUpdateKeepsMissingMetricsAndPeakMemory() {
        AttemptMeasurements early = load(100, 200, -1, 300).withGpu(400, 9_000);
        learn(KEY, early);
        store.learn(
                preempt(50).withGpu(900, 8_000),
                new ProfileUpdate(KEY, Set.of(ProfileMetric.BUSY_PERMILLE), -1, early),
                1);

        ProfileSamples samples = store.samples(KEY);
        assertThat(samples.value(ProfileMetric.PREEMPT)).isEqualTo(50);
        assertThat(samples.value(ProfileMetric.START)).isEqualTo(100);
        assertThat(samples.value(ProfileMetric.BUSY_PERMILLE)).isEqualTo(400);
        assertThat(samples.peakMemoryMib()).isEqualTo(9_000);
        assertThat(samples.summary(ProfileMetric.PEAK_MEMORY_MIB).count()).isEqualTo(1);
    }
}
