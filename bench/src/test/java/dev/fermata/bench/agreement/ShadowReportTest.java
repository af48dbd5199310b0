package dev.fermata.bench.agreement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.GpuType;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.core.scheduler.GuardMode;
import dev.fermata.history.HistoryEntry;
import dev.fermata.history.ObservedJob;
import dev.fermata.history.ObservedJob.ObservedRequest;
import dev.fermata.history.ObservedJob.ObservedRun;
import dev.fermata.history.ObservedJob.Result;
import dev.fermata.insight.input.ClusterInput;
import dev.fermata.insight.input.FaultsInput;
import dev.fermata.insight.replay.RecordedHistoryReader;
import dev.fermata.insight.replay.ShadowComparison;
import dev.fermata.live.engine.EngineEvent;
import dev.fermata.live.engine.EngineOrder;
import dev.fermata.live.engine.ExecutionEngine;
import dev.fermata.live.engine.ExpectedAttempts;
import dev.fermata.live.loop.LoopSettings;
import dev.fermata.live.loop.MonotonicClock;
import dev.fermata.live.loop.SchedulerLoop;
import dev.fermata.live.metrics.DaemonMetrics;
import dev.fermata.live.store.HistoryQuery;
import dev.fermata.live.store.RowPage;
import dev.fermata.live.store.Store;
import dev.fermata.live.store.StoreFactory;
import dev.fermata.report.replay.ShadowReport;
import dev.fermata.report.text.OutputFormat;
import dev.fermata.report.text.Screen;
import dev.fermata.sim.experiment.Experiment;
import dev.fermata.sim.workload.SimulatedJob;
import dev.fermata.sim.workload.Workload;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The whole path of shadow mode in virtual time: another scheduler on the simulated engine, a daemon in shadow mode that sees what
 * it does, and the report that compares the two.
 */
class ShadowReportTest {
    private static final Topology CLUSTER = Topology.builder()
            .node(new GpuType("H100", 81_920, 1.0), 8)
            .node(new GpuType("H100", 81_920, 1.0), 8)
            .build();
    private static final int JOBS = 80;
    private static final long FIRST_MILLIS = 60_000;

    @TempDir
    private Path folder;

    private record Seen(long atMillis, ObservedJob job) {}

    /** What the other scheduler does with its jobs, in the order of time: first-come, first-served. */
    private static List<Seen> otherScheduler() {
        Random random = new Random(11);
        List<SimulatedJob> jobs = new ArrayList<>();
        long submit = FIRST_MILLIS;
        for (long id = 1; id <= JOBS; id++) {
            Job job = Job.builder(id, 1 << random.nextInt(4))
                    .name("train" + id % 5)
                    .user("ann")
                    .costs(Costs.NONE)
                    .build();
            long duration = (long) (600_000 * Math.exp(1.5 * random.nextGaussian())) + 60_000;
            jobs.add(SimulatedJob.of(job, submit, duration));
            submit += (long) (-300_000 * Math.log(1 - random.nextDouble()));
        }
        Map<Long, ObservedJob> now = new HashMap<>();
        List<Seen> seen = new ArrayList<>();
        Experiment experiment = new Experiment(
                "two nodes",
                CLUSTER,
                new Workload("other", jobs),
                PolicySpec.parse("fifo"),
                "oracle",
                FaultsInput.parse("none").rates(),
                1,
                GuardMode.FULL);
        experiment.run(0, (at, record) -> {
            ObservedJob next = next(at, record, now.get(record.jobId()));
            if (next != null) {
                now.put(record.jobId(), next);
                seen.add(new Seen(at, next));
            }
        });
        return seen.stream().sorted(Comparator.comparingLong(Seen::atMillis)).toList();
    }

    private static ObservedJob next(long at, HistoryRecord record, ObservedJob before) {
        if (record instanceof HistoryRecord.Submitted submitted) {
            Job job = submitted.job();
            return new ObservedJob(
                    "s" + job.id(),
                    job.user(),
                    job.name(),
                    new ObservedRequest(job.demand().minGpus(), "", 0, 0, 0, true),
                    new ObservedRun(at, -1, -1, Result.NONE, List.of()));
        }
        if (record instanceof HistoryRecord.Started started) {
            List<String> gpus = Arrays.stream(started.allocation().toArray())
                    .mapToObj(CLUSTER::gpuId)
                    .toList();
            return before.withRun(new ObservedRun(before.run().submittedMillis(), at, -1, Result.NONE, gpus));
        }
        if (record instanceof HistoryRecord.AttemptEnded) {
            ObservedRun run = before.run();
            return before.withRun(
                    new ObservedRun(run.submittedMillis(), run.startedMillis(), at, Result.COMPLETED, run.gpuIds()));
        }
        return null;
    }

    /** Observes what the test says. */
    private static final class ObservedSite implements ExecutionEngine {
        private Consumer<EngineEvent> inbox = event -> {};
        /** What the other scheduler has. */
        private final Map<String, ObservedJob> present = new HashMap<>();

        void see(ObservedJob job) {
            present.put(job.id(), job);
            inbox.accept(new EngineEvent.JobObserved(job));
        }

        @Override
        public String name() {
            return "observed";
        }

        @Override
        public Topology topology() {
            return CLUSTER;
        }

        @Override
        public void open(Topology cluster, ExpectedAttempts expected, Consumer<EngineEvent> sink) {
            throw new AssertionError("opened in shadow mode");
        }

        @Override
        public void observe(Topology cluster, Consumer<EngineEvent> sink) {
            inbox = sink;
            present.values().forEach(job -> sink.accept(new EngineEvent.JobObserved(job)));
            sink.accept(new EngineEvent.Reachable());
        }

        @Override
        public void submit(EngineOrder order) {
            throw new AssertionError("ordered in shadow mode: " + order);
        }

        @Override
        public void close() {}
    }

    /** A daemon in shadow mode sees all that, and dies once in the middle of it. */
    private ShadowComparison shadow(String policy) {
        Deque<Seen> coming = new ArrayDeque<>(otherScheduler());
        try (Store store = StoreFactory.open("sqlite", folder)) {
            ObservedSite site = new ObservedSite();
            SchedulerLoop loop = lead(store, site, policy);
            long now = 0;
            long wake = loop.runCycle(now);
            boolean killed = false;
            long end = Objects.requireNonNull(coming.peekLast()).atMillis() * 2;
            while (now < end) {
                long next = coming.isEmpty() ? Plan.NEVER : coming.peek().atMillis();
                now = Math.max(now, Math.min(Math.min(next, loop.inbox.size() > 0 ? now + 1 : wake), end));
                while (!coming.isEmpty() && coming.peek().atMillis() <= now) {
                    site.see(coming.remove().job());
                }
                wake = loop.runCycle(now);
                if (!killed && coming.size() < JOBS) {
                    killed = true;
                    loop = lead(store, site, policy);
                    wake = now;
                }
            }
            return ShadowComparison.of(
                    read(store).finish("shadow", ClusterInput.ofHistory(CLUSTER), policy, now, List.of()), () -> false);
        }
    }

    private static SchedulerLoop lead(Store store, ExecutionEngine engine, String policy) {
        SchedulerLoop loop = new SchedulerLoop(
                store,
                engine,
                PolicySpec.parse(policy),
                LoopSettings.DEFAULT.withGuard(GuardMode.FULL),
                true,
                new MonotonicClock(),
                new DaemonMetrics());
        assertThat(loop.lead()).isTrue();
        return loop;
    }

    /** As the API writes it. */
    private static RecordedHistoryReader read(Store store) {
        ObjectMapper json = new ObjectMapper();
        RecordedHistoryReader reader = new RecordedHistoryReader(CLUSTER, "test");
        long from = 0;
        RowPage<HistoryEntry> page;
        do {
            page = store.reader().history(new HistoryQuery(from, 0, -1, "", Set.of(), 5000));
            for (HistoryEntry entry : page.rows()) {
                ObjectNode event = json.createObjectNode()
                        .put("seq", entry.seq())
                        .put("at", Instant.ofEpochMilli(entry.atMillis()).toString())
                        .put("actor", entry.actor())
                        .put("type", entry.type());
                try {
                    event.set("body", json.readTree(entry.body()));
                } catch (JsonProcessingException e) {
                    throw new AssertionError(entry.body(), e);
                }
                reader.read(entry.jobId() < 0 ? event : event.put("job", entry.jobId()));
                from = entry.seq();
            }
        } while (page.more());
        return reader;
    }

    private static double meanWait(ShadowComparison comparison, int run) {
        return comparison.runs().get(run).summary().all().waiting().mean();
    }

    @Test
    void theSamePolicyWouldHaveDoneTheSame() {
        ShadowComparison comparison = shadow("fifo");
        assertThat(comparison.jobs()).isEqualTo(new ShadowComparison.JobCounts(JOBS, JOBS));
        assertThat(meanWait(comparison, 0)).isGreaterThan(60);
        assertThat(meanWait(comparison, 1)).isCloseTo(meanWait(comparison, 0), within(0.1));
        assertThat(comparison.waitChanges(1)).isEqualTo(new ShadowComparison.WaitChanges(0, 0));
        assertThat(comparison.live().started()).isEqualTo(JOBS);
        assertThat(comparison.live().earlier()).isZero();
        assertThat(comparison.live().later()).isZero();
    }

    @Test
    void fermataIsComparedWithAndWithoutPauses() {
        ShadowComparison comparison = shadow("fermata");
        assertThat(comparison.runs().get(0).summary().all().completed()).isEqualTo(JOBS);
        assertThat(comparison.runs().get(1).summary().all().completed()).isEqualTo(JOBS);
        assertThat(comparison.runs().get(1).summary().preemptions()).isPositive();
        assertThat(comparison.runs().get(2).summary().preemptions()).isZero();
        assertThat(meanWait(comparison, 1)).isLessThan(meanWait(comparison, 0));
        assertThat(comparison.live().earlier()).isPositive();
        StringWriter text = new StringWriter();
        new ShadowReport(comparison).print(OutputFormat.TABLE, new Screen(false, false, 100), new PrintWriter(text));
        assertThat(text.toString()).contains("as it was", "fermata, no pauses", "What this does not know");
    }
}
