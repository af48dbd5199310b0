package dev.fermata.live.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.JobState;
import dev.fermata.history.HistoryEntry;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Pages of jobs and entries, compared with plain lists of the same rows. */
class StoreQueryTest {
    private static final int JOBS = 300;
    private static final int ENTRIES = 900;
    private static final List<String> ENTRY_TYPES = List.of("Submitted", "Started", "AttemptEnded", "Held");

    @TempDir
    Path folder;

    @ParameterizedTest
    @EnumSource
    void jobPagesMatchAFilteredList(StoreLocation location) {
        try (Store store = StoreFactory.open(location.newAddress(), folder)) {
            Random random = new Random(5);
            Map<Long, JobRow> model = fill(store, random);
            for (int round = 0; round < 150; round++) {
                JobQuery query = query(random);
                List<Long> expected = model.values().stream()
                        .filter(matches(query))
                        .map(JobRow::id)
                        .sorted(Comparator.reverseOrder())
                        .toList();
                List<Long> found = readAllPages(
                        before -> store.reader()
                                .jobs(new JobQuery(
                                        query.states(),
                                        query.user(),
                                        query.queue(),
                                        query.name(),
                                        query.arrayId(),
                                        before,
                                        query.limit())),
                        JobRow::id,
                        Long.MAX_VALUE,
                        query.limit());
                assertThat(found).as("seed 5, round %d: %s", round, query).isEqualTo(expected);
            }
            Map<JobState, Long> counts = store.reader().countsByState();
            for (JobState state : JobState.values()) {
                assertThat(counts.get(state))
                        .isEqualTo(model.values().stream()
                                .filter(job -> job.state() == state)
                                .count());
            }
            assertThat(store.reader().endedJobs(20))
                    .isEqualTo(model.values().stream()
                            .filter(job -> job.finishedMillis() >= 0)
                            .sorted(Comparator.comparingLong(JobRow::finishedMillis)
                                    .thenComparingLong(JobRow::id)
                                    .reversed())
                            .limit(20)
                            .toList());
        }
    }

    @ParameterizedTest
    @EnumSource
    void historyPagesMatchAFilteredList(StoreLocation location) {
        try (Store store = StoreFactory.open(location.newAddress(), folder)) {
            Random random = new Random(6);
            Map<Long, JobRow> jobs = fill(store, random);
            List<HistoryEntry> model = new ArrayList<>();
            for (int i = 1; i <= ENTRIES; i++) {
                long job = random.nextInt(10) == 0 ? -1 : 1 + random.nextInt(JOBS + 5);
                // Clocks are sometimes set back.
                long at = 10L * i + random.nextInt(200);
                model.add(new HistoryEntry(i, at, job, 1, "policy", ENTRY_TYPES.get(random.nextInt(4)), "{}"));
            }
            for (int from = 0; from < ENTRIES; from += 100) {
                store.append(
                        StoreSamples.entries(model.subList(from, from + 100).toArray(HistoryEntry[]::new)));
            }
            for (int round = 0; round < 150; round++) {
                HistoryQuery query = new HistoryQuery(
                        random.nextBoolean() ? 0 : random.nextInt(ENTRIES),
                        random.nextBoolean() ? 0 : random.nextInt(10 * ENTRIES + 300),
                        random.nextInt(3) == 0 ? 1 + random.nextInt(JOBS + 5) : -1,
                        random.nextBoolean() ? "" : "user" + random.nextInt(5),
                        random.nextBoolean() ? Set.of() : Set.of(ENTRY_TYPES.get(random.nextInt(3)), "Held"),
                        1 + random.nextInt(60));
                List<Long> expected = model.stream()
                        .filter(entry -> entry.seq() > query.afterSeq() && entry.atMillis() >= query.sinceMillis())
                        .filter(entry -> query.jobId() == -1 || entry.jobId() == query.jobId())
                        .filter(entry -> query.user().isEmpty()
                                || (jobs.containsKey(entry.jobId())
                                        && jobs.get(entry.jobId()).user().equals(query.user())))
                        .filter(entry ->
                                query.types().isEmpty() || query.types().contains(entry.type()))
                        .map(HistoryEntry::seq)
                        .toList();
                List<Long> found = readAllPages(
                        after -> store.reader()
                                .history(new HistoryQuery(
                                        after,
                                        query.sinceMillis(),
                                        query.jobId(),
                                        query.user(),
                                        query.types(),
                                        query.limit())),
                        HistoryEntry::seq,
                        query.afterSeq(),
                        query.limit());
                assertThat(found).as("seed 6, round %d: %s", round, query).isEqualTo(expected);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void auditTrailIsReadNewestFirst(StoreLocation location) {
        try (Store store = StoreFactory.open(location.newAddress(), folder)) {
            store.recover(() -> false);
            List<AuditRow> rows = IntStream.range(0, 25)
                    .mapToObj(i -> new AuditRow(0, i, "ada", "USER", "::1", "cancel", "" + i, "done"))
                    .toList();
            store.append(new Batch(List.of(), List.of(), List.of(), List.of(), rows.subList(0, 12)));
            store.append(new Batch(List.of(), List.of(), List.of(), List.of(), rows.subList(12, 25)));
            List<Long> times = new ArrayList<>();
            List<Long> found = readAllPages(
                    before -> {
                        RowPage<AuditRow> page = store.reader().audit(before, 10);
                        page.rows().forEach(row -> times.add(row.atMillis()));
                        return page;
                    },
                    AuditRow::seq,
                    Long.MAX_VALUE,
                    10);
            assertThat(found).hasSize(25).isSortedAccordingTo(Comparator.reverseOrder());
            assertThat(times)
                    .isEqualTo(IntStream.range(0, 25).mapToObj(i -> 24L - i).toList());
        }
    }

    /** Follows the cursor to the end; every page but the last must be full. */
    private static <T> List<Long> readAllPages(
            Function<Long, RowPage<T>> ask, Function<T, Long> key, long start, int limit) {
        List<Long> found = new ArrayList<>();
        long cursor = start;
        while (true) {
            RowPage<T> page = ask.apply(cursor);
            page.rows().forEach(row -> found.add(key.apply(row)));
            if (!page.more()) {
                assertThat(page.rows().size()).isLessThanOrEqualTo(limit);
                return found;
            }
            assertThat(page.rows()).hasSize(limit);
            cursor = key.apply(page.rows().get(limit - 1));
        }
    }

    private static Map<Long, JobRow> fill(Store store, Random random) {
        Map<Long, JobRow> model = new LinkedHashMap<>();
        store.recover(() -> false);
        for (long id = 1; id <= JOBS; id++) {
            model.put(id, StoreSamples.randomJob(random, id));
        }
        store.append(new Batch(List.of(), List.copyOf(model.values()), List.of(), List.of(), List.of()));
        return model;
    }

    private static JobQuery query(Random random) {
        Set<JobState> states = EnumSet.noneOf(JobState.class);
        for (JobState state : JobState.values()) {
            if (random.nextInt(4) == 0) {
                states.add(state);
            }
        }
        List<String> queues = List.of("research", "research/nlp", "prod", "prod/ü🎼", "res");
        List<String> names = List.of("bert", "run1", "%", "_", "Bert", "%_B");
        return new JobQuery(
                random.nextBoolean() ? Set.of() : states,
                random.nextBoolean() ? "" : "user" + random.nextInt(5),
                random.nextBoolean() ? "" : queues.get(random.nextInt(queues.size())),
                random.nextInt(3) > 0 ? "" : names.get(random.nextInt(names.size())),
                random.nextInt(4) > 0 ? -1 : random.nextInt(6),
                Long.MAX_VALUE,
                1 + random.nextInt(40));
    }

    private static Predicate<JobRow> matches(JobQuery query) {
        return job -> (query.states().isEmpty() || query.states().contains(job.state()))
                && (query.user().isEmpty() || query.user().equals(job.user()))
                && (query.queue().isEmpty()
                        || job.queue().equals(query.queue())
                        || job.queue().startsWith(query.queue() + "/"))
                && job.name().contains(query.name())
                && (query.arrayId() < 0 || query.arrayId() == job.arrayId());
    }
}
