package dev.fermata.live.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.JobState;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Counting only what is new gives the same as counting all. */
class JobCountsTest {
    @TempDir
    Path folder;

    private static Map<JobState, Long> counted(Map<Long, JobState> jobs) {
        Map<JobState, Long> counts = new EnumMap<>(JobState.class);
        for (JobState state : JobState.values()) {
            counts.put(state, jobs.values().stream().filter(state::equals).count());
        }
        return counts;
    }

    /** Ids are given in the order in which these jobs end: their times of end grow with the id. */
    @ParameterizedTest
    @EnumSource
    void countsFollowEveryChange(StoreLocation location) {
        AtomicLong nanos = new AtomicLong();
        try (Store store = StoreFactory.open(location.newAddress(), folder)) {
            store.recover(() -> true);
            JobCounts counts = new JobCounts((SqlReader) store.reader(), 5, nanos::get);
            Random random = new Random(3);
            List<JobState> states = List.of(JobState.values());
            Map<Long, JobState> jobs = new TreeMap<>();
            assertThat(counts.read()).isEqualTo(counted(jobs));
            long next = 1;
            for (int round = 0; round < 60; round++) {
                List<JobRow> changed = new ArrayList<>();
                for (int i = random.nextInt(4); i >= 0; i--) {
                    JobState state = states.get(random.nextInt(states.size()));
                    jobs.put(next, state);
                    changed.add(StoreSamples.job(next++, "ann", state));
                }
                store.append(new Batch(List.of(), changed, List.of(), List.of(), List.of()));
                assertThat(counts.read()).as("round " + round).isEqualTo(counted(jobs));
                if (round % 7 == 0) {
                    nanos.addAndGet(TimeUnit.HOURS.toNanos(2));
                }
            }
            assertThat(store.reader().countsByState()).isEqualTo(counted(jobs));
        }
    }
}
