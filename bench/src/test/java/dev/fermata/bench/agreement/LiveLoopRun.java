package dev.fermata.bench.agreement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.bench.virtual.VirtualTimeEngine;
import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.history.HistoryCodec;
import dev.fermata.history.HistoryEntry;
import dev.fermata.live.loop.LoopSettings;
import dev.fermata.live.loop.MonotonicClock;
import dev.fermata.live.loop.SchedulerLoop;
import dev.fermata.live.metrics.DaemonMetrics;
import dev.fermata.live.request.Actor;
import dev.fermata.live.service.DefaultSchedulerService;
import dev.fermata.live.store.HistoryQuery;
import dev.fermata.live.store.RowPage;
import dev.fermata.live.store.Store;
import dev.fermata.live.store.StoreFactory;
import dev.fermata.sim.engine.Faults;
import dev.fermata.sim.engine.SimulatedEngine;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** Runs submissions through the daemon's scheduler loop, on a real store and with a clock set by the test. */
public final class LiveLoopRun {
    private static final int MAX_CYCLES = 20_000;

    private final RandomSubmissions submissions;
    private final String policy;
    private final LoopSettings settings;

    LiveLoopRun(RandomSubmissions submissions, String policy, LoopSettings settings) {
        this.submissions = submissions;
        this.policy = policy;
        this.settings = settings;
    }

    /**
     * The history entries that the store has in the end.
     *
     * @param killEvery after so many cycles the scheduler loop is dropped and another one made
     */
    List<HistoryEntry> history(Path folder, int killEvery) throws InterruptedException {
        SimulatedEngine cluster = new SimulatedEngine(submissions.topology, Faults.none(submissions.topology));
        VirtualTimeEngine engine = new VirtualTimeEngine(submissions.topology, cluster);
        HistoryCodec codec = new HistoryCodec(submissions.topology);
        Actor ann = new Actor(RandomSubmissions.USER, "USER", "");
        try (Store store = StoreFactory.open("sqlite", folder)) {
            SchedulerLoop loop = startLeading(store, engine);
            int next = 0;
            int arrived = 0;
            int live = 0;
            long now = 0;
            long wake = Plan.NEVER;
            long seen = 0;
            for (int cycles = 1; next < submissions.submissions.size() || live > 0; cycles++) {
                long arrival = next < submissions.submissions.size()
                        ? submissions.submissions.get(next).atMillis()
                        : Plan.NEVER;
                long due = Math.min(Math.min(arrival, cluster.nextMillis()), wake);
                assertThat(due)
                        .as("something must happen, %s jobs are live", live)
                        .isLessThan(Plan.NEVER);
                assertThat(cycles)
                        .as("cycles, with %s jobs live at %s", live, now)
                        .isLessThan(MAX_CYCLES);
                now = Math.max(now, due);
                if (cycles % killEvery == 0) {
                    loop = startLeading(store, engine);
                }
                engine.advanceTo(now);
                List<CompletableFuture<List<Long>>> answers = new ArrayList<>();
                while (next < submissions.submissions.size()
                        && submissions.submissions.get(next).atMillis() <= now) {
                    RandomSubmissions.Submission submission = submissions.submissions.get(next++);
                    for (int i = 0; i < submission.specs().size(); i++) {
                        cluster.addJob(submissions.jobs.get(arrived++));
                        live++;
                    }
                    answers.add(new DefaultSchedulerService(loop).submit(ann, submission.specs(), null));
                }
                wake = loop.runCycle(now);
                answers.forEach(CompletableFuture::join);
                for (HistoryEntry line : entriesAfter(store, seen)) {
                    seen++;
                    HistoryRecord entry = codec.decode(line).orElseThrow();
                    if (entry.finalState() != null) {
                        cluster.removeJob(entry.jobId());
                        live--;
                    }
                }
            }
            return entriesAfter(store, 0);
        }
    }

    private SchedulerLoop startLeading(Store store, VirtualTimeEngine engine) {
        SchedulerLoop loop = new SchedulerLoop(
                store, engine, PolicySpec.parse(policy), settings, false, new MonotonicClock(), new DaemonMetrics());
        assertThat(loop.lead()).isTrue();
        return loop;
    }

    private static List<HistoryEntry> entriesAfter(Store store, long seq) {
        List<HistoryEntry> history = new ArrayList<>();
        long from = seq;
        RowPage<HistoryEntry> page;
        do {
            page = store.reader().history(new HistoryQuery(from, 0, -1, "", Set.of(), 5000));
            for (HistoryEntry line : page.rows()) {
                history.add(line);
                from = line.seq();
            }
        } while (page.more());
        return history;
    }
}
