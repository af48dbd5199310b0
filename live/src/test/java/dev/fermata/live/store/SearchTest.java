package dev.fermata.live.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.JobState;
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

/** Pages of jobs and lines, held against plain lists of the same rows. */
class SearchTest {
    private static final int JOBS = 300;
    private static final int LINES = 900;
    private static final List<String> KINDS = List.of("Submitted", "Started", "Left", "Held");

    @TempDir
    Path folder;

    @ParameterizedTest
    @EnumSource
    void pagesOfJobsAreWhatAListWouldGive(Place place) {
        try (Store store = Stores.open(place.fresh(), folder)) {
            Random random = new Random(5);
            Map<Long, JobRow> model = fill(store, random);
            for (int round = 0; round < 150; round++) {
                JobQuery query = query(random);
                List<Long> expected = model.values().stream()
                        .filter(matches(query))
                        .map(JobRow::id)
                        .sorted(Comparator.reverseOrder())
                        .toList();
                List<Long> found = pages(
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
            Map<JobState, Long> counts = store.reader().counts();
            for (JobState state : JobState.values()) {
                assertThat(counts.get(state))
                        .isEqualTo(model.values().stream()
                                .filter(job -> job.state() == state)
                                .count());
            }
            assertThat(store.reader().ended(20))
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
    void pagesOfLinesAreWhatAListWouldGive(Place place) {
        try (Store store = Stores.open(place.fresh(), folder)) {
            Random random = new Random(6);
            Map<Long, JobRow> jobs = fill(store, random);
            List<Line> model = new ArrayList<>();
            for (int i = 1; i <= LINES; i++) {
                long job = random.nextInt(10) == 0 ? -1 : 1 + random.nextInt(JOBS + 5);
                // Clocks are set back now and then.
                long at = 10L * i + random.nextInt(200);
                model.add(new Line(i, at, job, 1, "policy", KINDS.get(random.nextInt(4)), "{}"));
            }
            for (int from = 0; from < LINES; from += 100) {
                store.append(Samples.lines(model.subList(from, from + 100).toArray(Line[]::new)));
            }
            for (int round = 0; round < 150; round++) {
                LineQuery query = new LineQuery(
                        random.nextBoolean() ? 0 : random.nextInt(LINES),
                        random.nextBoolean() ? 0 : random.nextInt(10 * LINES + 300),
                        random.nextInt(3) == 0 ? 1 + random.nextInt(JOBS + 5) : -1,
                        random.nextBoolean() ? "" : "user" + random.nextInt(5),
                        random.nextBoolean() ? Set.of() : Set.of(KINDS.get(random.nextInt(3)), "Held"),
                        1 + random.nextInt(60));
                List<Long> expected = model.stream()
                        .filter(line -> line.seq() > query.afterSeq() && line.atMillis() >= query.sinceMillis())
                        .filter(line -> query.jobId() == -1 || line.jobId() == query.jobId())
                        .filter(line -> query.user().isEmpty()
                                || (jobs.containsKey(line.jobId())
                                        && jobs.get(line.jobId()).user().equals(query.user())))
                        .filter(line -> query.kinds().isEmpty() || query.kinds().contains(line.kind()))
                        .map(Line::seq)
                        .toList();
                List<Long> found = pages(
                        after -> store.reader()
                                .lines(new LineQuery(
                                        after,
                                        query.sinceMillis(),
                                        query.jobId(),
                                        query.user(),
                                        query.kinds(),
                                        query.limit())),
                        Line::seq,
                        query.afterSeq(),
                        query.limit());
                assertThat(found).as("seed 6, round %d: %s", round, query).isEqualTo(expected);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void theAuditTrailIsReadNewestFirst(Place place) {
        try (Store store = Stores.open(place.fresh(), folder)) {
            store.recover(() -> false);
            List<AuditRow> rows = IntStream.range(0, 25)
                    .mapToObj(i -> new AuditRow(0, i, "ada", "USER", "::1", "cancel", "" + i, "done"))
                    .toList();
            store.append(new Batch(List.of(), List.of(), List.of(), List.of(), rows.subList(0, 12)));
            store.append(new Batch(List.of(), List.of(), List.of(), List.of(), rows.subList(12, 25)));
            List<Long> times = new ArrayList<>();
            List<Long> found = pages(
                    before -> {
                        Page<AuditRow> page = store.reader().audit(before, 10);
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
    private static <T> List<Long> pages(Function<Long, Page<T>> ask, Function<T, Long> key, long start, int limit) {
        List<Long> found = new ArrayList<>();
        long cursor = start;
        while (true) {
            Page<T> page = ask.apply(cursor);
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
            model.put(id, Samples.drawn(random, id));
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
