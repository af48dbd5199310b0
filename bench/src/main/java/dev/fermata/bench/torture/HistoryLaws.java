package dev.fermata.bench.torture;

import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Topology;
import dev.fermata.history.HistoryCodec;
import dev.fermata.history.HistoryEntry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Reads the durable history as text, entry by entry, and keeps the slowest and most obvious books of it: which job is on which
 * GPU. It knows nothing of the scheduler but its records.
 */
final class HistoryLaws {
    private enum State {
        PENDING,
        ON_GPUS,
        ENDED
    }

    private static final class Book {
        State state = State.PENDING;
        int attempt;
        boolean onHold;
        /** Since when its attempt must leave, -1 while it need not. */
        long leavingMillis = -1;

        @Nullable
        Allocation held;

        List<String> gpus = List.of();
    }

    /** Where nothing fails, an attempt that must leave has left after this time. The latest news take an hour. */
    private static final long LEAVING_MILLIS = 4_500_000;

    private final Supplier<Set<Long>> acknowledged;
    private final LongSupplier time;
    private long healedMillis = Long.MAX_VALUE;
    private final Map<Long, Book> jobs = new TreeMap<>();
    /** By the ids of GPUs, which are never those of others. */
    private final Map<String, List<Long>> onGpu = new HashMap<>();

    private final Set<Integer> drainedNodes = new HashSet<>();
    private final Set<Integer> downNodes = new HashSet<>();
    private final Set<Integer> silentNodes = new HashSet<>();
    private final Map<Integer, List<Integer>> foreignGpus = new HashMap<>();
    /** Jobs whose cancellation was acknowledged before the entries that come now. */
    private Set<Long> cancelled = Set.of();

    private Topology cluster;
    private final HistoryCodec codec;
    private long lastMillis = Long.MIN_VALUE;
    private int started;
    private int preempted;

    /** @param acknowledged the jobs whose cancellation was acknowledged so far */
    HistoryLaws(Supplier<Set<Long>> acknowledged, Topology cluster, LongSupplier time) {
        this.acknowledged = acknowledged;
        this.time = time;
        this.cluster = cluster;
        this.codec = new HistoryCodec(() -> this.cluster);
    }

    /** From now on nothing fails. */
    void expectProgress() {
        healedMillis = time.getAsLong();
    }

    /** Faults delay what must happen, but not for ever. */
    void checkProgress() {
        long now = time.getAsLong();
        if (healedMillis > now - LEAVING_MILLIS) {
            return;
        }
        jobs.forEach((id, book) -> BrokenLaw.require(
                book.leavingMillis < 0 || book.leavingMillis > now - LEAVING_MILLIS,
                "what must leave its GPUs leaves them",
                () -> "attempt " + id + "." + book.attempt + " must leave since " + book.leavingMillis + " ms"));
    }

    int started() {
        return started;
    }

    int preempted() {
        return preempted;
    }

    void accept(List<HistoryEntry> entries) {
        cancelled = Set.copyOf(acknowledged.get());
        for (HistoryEntry entry : entries) {
            BrokenLaw.require(entry.atMillis() >= lastMillis, "time never goes back in the history", () -> entry);
            lastMillis = entry.atMillis();
            cluster = Objects.requireNonNull(HistoryCodec.clusterAfter(cluster, entry));
            codec.decode(entry).ifPresent(record -> apply(record, entry));
        }
    }

    private Book require(HistoryRecord record) {
        Book book = jobs.get(record.jobId());
        BrokenLaw.require(book != null, "records are about known jobs", () -> record);
        return Objects.requireNonNull(book);
    }

    private void apply(HistoryRecord record, HistoryEntry entry) {
        switch (record.type()) {
            case SUBMITTED ->
                BrokenLaw.require(jobs.put(record.jobId(), new Book()) == null, "a job is submitted once", () -> entry);
            case JOB_REJECTED -> {
                Book book = new Book();
                book.state = State.ENDED;
                BrokenLaw.require(jobs.put(record.jobId(), book) == null, "a job is submitted once", () -> entry);
            }
            case STARTED -> start((HistoryRecord.Started) record);
            case ATTEMPT_ENDED -> {
                HistoryRecord.AttemptEnded ended = (HistoryRecord.AttemptEnded) record;
                Book book = requireAttempt(record, ended.attempt());
                for (String gpu : book.gpus) {
                    onGpu.getOrDefault(gpu, new ArrayList<>()).remove((Long) ended.jobId());
                }
                book.held = null;
                book.leavingMillis = -1;
                book.state = ended.next().isFinal() ? State.ENDED : State.PENDING;
            }
            case JOB_ENDED -> {
                Book book = require(record);
                BrokenLaw.require(book.state == State.PENDING, "only pending jobs end without an attempt", () -> entry);
                book.state = State.ENDED;
            }
            case RUNNING -> requireAttempt(record, ((HistoryRecord.Running) record).attempt());
            case SPEED_CHANGED -> requireAttempt(record, ((HistoryRecord.SpeedChanged) record).attempt());
            case PREEMPTING -> {
                preempted++;
                leave(record, ((HistoryRecord.Preempting) record).attempt());
            }
            case PROFILED -> requireAttempt(record, ((HistoryRecord.Profiled) record).attempt());
            case CANCELLING -> leave(record, ((HistoryRecord.Cancelling) record).attempt());
            case START_FAILED -> requireAttempt(record, ((HistoryRecord.StartFailed) record).attempt());
            case HELD -> require(record).onHold = true;
            case RELEASED -> require(record).onHold = false;
            case DRAIN_CHANGED -> {
                HistoryRecord.DrainChanged drain = (HistoryRecord.DrainChanged) record;
                set(drainedNodes, drain.node(), drain.drained());
            }
            case CAPACITY_CHANGED -> {
                HistoryRecord.CapacityChanged change = (HistoryRecord.CapacityChanged) record;
                if (change.isNode()) {
                    set(downNodes, change.index(), !change.up());
                }
            }
            case NODE_ADDED -> { // nothing of the last node in this slot is true of it
                int node = ((HistoryRecord.NodeAdded) record).node();
                List.of(drainedNodes, downNodes, silentNodes).forEach(nodes -> nodes.remove(node));
                foreignGpus.remove(node);
            }
            case REACHABILITY_CHANGED -> {
                HistoryRecord.ReachabilityChanged change = (HistoryRecord.ReachabilityChanged) record;
                set(silentNodes, change.node(), !change.reachable());
            }
            case FOREIGN_LOAD_CHANGED -> {
                HistoryRecord.ForeignLoadChanged change = (HistoryRecord.ForeignLoadChanged) record;
                foreignGpus.put(change.node(), change.load().gpus());
            }
            case ACTION_REJECTED ->
                BrokenLaw.require(
                        ((HistoryRecord.ActionRejected) record).action().equals("JobUpdated"),
                        "the plan guard rejects nothing but late updates",
                        () -> entry);
            case SUSPEND_FAILED ->
                requireAttempt(record, ((HistoryRecord.SuspendFailed) record).attempt()).leavingMillis = -1;
            case RESERVED,
                    SUSPENSION_ENDED,
                    NODE_REMOVED,
                    NODE_CHANGED,
                    RESERVATION_RELEASED,
                    JOB_UPDATED,
                    PREEMPTION_DECLINED,
                    QUEUES_SET,
                    CLUSTER_CHANGED -> {}
        }
    }

    private void leave(HistoryRecord record, int attempt) {
        Book book = requireAttempt(record, attempt);
        book.leavingMillis = book.leavingMillis < 0 ? time.getAsLong() : book.leavingMillis;
    }

    private static void set(Set<Integer> nodes, int node, boolean in) {
        if (in) {
            nodes.add(node);
        } else {
            nodes.remove(node);
        }
    }

    private Book requireAttempt(HistoryRecord record, int attempt) {
        Book book = require(record);
        BrokenLaw.require(
                book.state == State.ON_GPUS && book.attempt == attempt,
                "late news never affect another attempt",
                () -> record + " in " + book.state + " attempt " + book.attempt);
        return book;
    }

    private void start(HistoryRecord.Started record) {
        Book book = require(record);
        started++;
        BrokenLaw.require(
                book.state == State.PENDING && record.attempt() == book.attempt + 1,
                "at most one live attempt of a job",
                () -> record + " in " + book.state + " after attempt " + book.attempt);
        BrokenLaw.require(!book.onHold, "a job on hold does not start", () -> record);
        BrokenLaw.require(!cancelled.contains(record.jobId()), "a cancelled job does not start again", () -> record);
        for (int gpu : record.allocation().toArray()) {
            int node = cluster.nodeOf(gpu);
            BrokenLaw.require(
                    !drainedNodes.contains(node)
                            && !downNodes.contains(node)
                            && !silentNodes.contains(node)
                            && !cluster.isMissing(gpu),
                    "no job starts on a GPU that is down, silent, drained or missing",
                    () -> record + " on GPU " + gpu);
            BrokenLaw.require(
                    !foreignGpus.getOrDefault(node, List.of()).contains(gpu),
                    "no job starts on a GPU that others use",
                    () -> record + " on GPU " + gpu);
            List<Long> others = onGpu.computeIfAbsent(cluster.gpuId(gpu), unused -> new ArrayList<>());
            for (long other : others) {
                Allocation theirs = Objects.requireNonNull(jobs.get(other)).held;
                BrokenLaw.require(
                        record.allocation().shared() && theirs != null && theirs.shared(),
                        "no GPU is given twice",
                        () -> record + " on GPU " + gpu + " of job " + other);
            }
            others.add(record.jobId());
        }
        book.state = State.ON_GPUS;
        book.attempt = record.attempt();
        book.held = record.allocation();
        book.gpus = IntStream.of(record.allocation().toArray())
                .mapToObj(cluster::gpuId)
                .toList();
    }

    /** The jobs that have not ended. */
    List<Long> liveJobs() {
        return jobs.entrySet().stream()
                .filter(job -> job.getValue().state != State.ENDED)
                .map(Map.Entry::getKey)
                .toList();
    }

    boolean isKnown(long job) {
        return jobs.containsKey(job);
    }
}
