package dev.fermata.live.preemptions;

import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.measure.DeclinedPreemption;
import dev.fermata.core.measure.PreemptionLog;
import dev.fermata.core.measure.PreemptionResult;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Topology;
import dev.fermata.history.HistoryCodec;
import dev.fermata.history.HistoryEntry;
import dev.fermata.history.RecordJson;
import dev.fermata.live.preemptions.PreemptionLogEntry.DecisionOutcome;
import dev.fermata.live.preemptions.PreemptionLogEntry.InvolvedJob;
import dev.fermata.live.preemptions.PreemptionLogEntry.PreemptedJob;
import dev.fermata.live.profile.AttemptMeasurements;
import dev.fermata.live.store.HistoryQuery;
import dev.fermata.live.store.RowPage;
import dev.fermata.live.store.Store;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The preemption log of a history. It stores nothing: each query first reads the new history entries and passes them to
 * {@link PreemptionLog}, so a restart never changes its contents. It keeps the latest finished entries and the sum of all others,
 * so its memory is bounded. It never runs on the scheduler loop's thread.
 */
public final class PreemptionLogReader {
    private static final Logger LOG = LoggerFactory.getLogger(PreemptionLogReader.class);

    /** Types of history entries that can belong to a preemption. */
    private static final Set<String> TYPES = Arrays.stream(HistoryRecord.Type.values())
            .filter(PreemptionLogReader::concernsPreemptions)
            .map(HistoryCodec::nameOf)
            .collect(Collectors.toUnmodifiableSet());

    private static final Pattern POLICY = Pattern.compile("\"policy\":\"([^\"\\\\]*)\"");

    private static final Set<String> JOB_DESCRIPTIONS = Set.of(
            HistoryCodec.nameOf(HistoryRecord.Type.SUBMITTED), HistoryCodec.nameOf(HistoryRecord.Type.JOB_UPDATED));
    private static final String REQUEUED = "\"next\":\"PENDING\"";
    private static final String MEASURED = "\"measured\":";

    /** The measurements in a history entry. */
    private record MeasuredPart(AttemptMeasurements measured) {}

    /** Finished entries that are kept one by one. */
    static final int MAX_ENTRIES = 20_000;

    private final int maxEntries;
    private final RecordJson json = new RecordJson();
    private final Store.StoreReader reader;
    private final HistoryCodec codec;
    private final PreemptionLog log = new PreemptionLog(this::finish, this::finishDeclined);
    private final NavigableMap<Long, PreemptionLogEntry> finished = new TreeMap<>();
    /** Entries of live jobs that no preemption involves so far, not decoded. */
    private final Map<Long, List<HistoryEntry>> unreadEntries = new HashMap<>();
    /** The sum of the finished entries that are not kept. */
    private final PreemptionSums older = PreemptionSums.of(Stream.empty());

    private volatile PreemptionSums lastTotals = older.copy();
    private final AtomicBoolean reading = new AtomicBoolean();

    /** Jobs that have ended and that some preemption involves. */
    private final Set<Long> endedJobs = new HashSet<>();

    /** Jobs that some preemption involves. */
    private final Map<Long, InvolvedJob> involvedJobs = new HashMap<>();
    /** Measurements of preempted jobs by job and attempt. */
    private final Map<Long, Map<Integer, AttemptMeasurements>> measurements = new HashMap<>();

    /** The policy by the first history entry it decided. */
    private final NavigableMap<Long, String> policies = new TreeMap<>(Map.of(0L, ""));

    private long lastSeq;

    /** @param topology the cluster of the history, once it is known */
    public PreemptionLogReader(Store.StoreReader reader, Supplier<Topology> topology) {
        this(reader, topology, MAX_ENTRIES);
    }

    /** @param maxEntries finished entries that are kept one by one */
    public PreemptionLogReader(Store.StoreReader reader, Supplier<Topology> topology, int maxEntries) {
        this.maxEntries = maxEntries;
        this.reader = reader;
        this.codec = new HistoryCodec(topology);
    }

    /** Reads the history in the background, so that the first query is fast. Errors are left to that query. */
    public void readAhead() {
        Thread thread = new Thread(
                () -> {
                    try {
                        catchUp();
                    } catch (RuntimeException e) {
                        LOG.debug("preemption log: history cannot be read yet: {}", e.getMessage());
                    }
                },
                "fermata-preemption-log");
        thread.setDaemon(true);
        thread.start();
    }

    /** The matching entries, newest first. */
    public synchronized List<PreemptionLogEntry> entries(PreemptionLogQuery query) {
        NavigableMap<Long, PreemptionLogEntry> found = new TreeMap<>();
        allEntries().filter(query::matches).forEach(entry -> found.put(entry.number(), entry));
        return List.copyOf(found.descendingMap().values());
    }

    /** The sum of all entries; as of the last reading while another thread reads a long history. */
    public PreemptionSums totals() {
        return reading.get() ? lastTotals : readTotals();
    }

    private synchronized PreemptionSums readTotals() {
        PreemptionSums sums = older.copy();
        allEntries().forEach(sums::add);
        lastTotals = sums;
        return sums;
    }

    /** Jobs that it has in memory. */
    public synchronized int knownJobs() {
        return involvedJobs.size() + measurements.size() + unreadEntries.size();
    }

    private Stream<PreemptionLogEntry> allEntries() {
        catchUp();
        Stream<PreemptionLogEntry> open = Stream.concat(
                log.openPreemptions().stream().map(this::entry),
                log.declined().stream().map(this::entry));
        return Stream.concat(finished.values().stream(), open);
    }

    private synchronized void catchUp() {
        reading.set(true);
        try {
            RowPage<HistoryEntry> page;
            do {
                page = reader.history(new HistoryQuery(lastSeq, 0, -1, "", TYPES, RowPage.MAX_ROWS));
                for (HistoryEntry historyEntry : page.rows()) {
                    accept(historyEntry);
                    lastSeq = historyEntry.seq();
                }
                forgetEnded();
            } while (page.more());
        } finally {
            reading.set(false);
        }
    }

    /** Forgets ended jobs that no open preemption involves, and sums up the oldest entries. */
    private void forgetEnded() {
        if (!endedJobs.isEmpty()) {
            Set<Long> needed = new HashSet<>();
            for (PreemptionResult open : log.openPreemptions()) {
                needed.add(open.beneficiary());
                open.victims().forEach(victim -> needed.add(victim.id()));
            }
            endedJobs.removeIf(job -> {
                boolean over = !needed.contains(job);
                if (over) {
                    involvedJobs.remove(job);
                    measurements.remove(job);
                }
                return over;
            });
        }
        while (finished.size() > maxEntries) {
            older.add(finished.pollFirstEntry().getValue());
        }
    }

    private static boolean concernsPreemptions(HistoryRecord.Type type) {
        return switch (type) {
            case SUBMITTED,
                    JOB_UPDATED,
                    STARTED,
                    RUNNING,
                    PREEMPTING,
                    RESERVED,
                    RESERVATION_RELEASED,
                    PREEMPTION_DECLINED,
                    ATTEMPT_ENDED,
                    JOB_ENDED -> true;
            case JOB_REJECTED,
                    SPEED_CHANGED,
                    HELD,
                    RELEASED,
                    QUEUES_SET,
                    PROFILED,
                    CANCELLING,
                    START_FAILED,
                    SUSPEND_FAILED,
                    SUSPENSION_ENDED,
                    CAPACITY_CHANGED,
                    DRAIN_CHANGED,
                    NODE_ADDED,
                    NODE_REMOVED,
                    NODE_CHANGED,
                    REACHABILITY_CHANGED,
                    FOREIGN_LOAD_CHANGED,
                    CLUSTER_CHANGED,
                    ACTION_REJECTED -> false;
        };
    }

    private void accept(HistoryEntry historyEntry) {
        HistoryRecord.Type type = HistoryCodec.typeOf(historyEntry).orElseThrow();
        boolean decision = type == HistoryRecord.Type.PREEMPTING || type == HistoryRecord.Type.PREEMPTION_DECLINED;
        if (decision) {
            markInvolved(historyEntry.jobId());
            recordPolicy(historyEntry.seq(), policyOf(historyEntry));
        }
        if (decision || involvedJobs.containsKey(historyEntry.jobId())) {
            decode(historyEntry);
        } else {
            retain(type, historyEntry);
        }
    }

    private void decode(HistoryEntry historyEntry) {
        HistoryRecord record = codec.decode(historyEntry).orElseThrow();
        switch (record.type()) {
            case SUBMITTED, JOB_UPDATED ->
                involvedJobs.put(record.jobId(), involvedJob(((HistoryRecord.JobDescription) record).job()));
            case PREEMPTING -> markInvolved(((HistoryRecord.Preempting) record).beneficiary());
            case ATTEMPT_ENDED -> recordMeasurements((HistoryRecord.AttemptEnded) record, historyEntry);
            case STARTED,
                    RUNNING,
                    RESERVED,
                    RESERVATION_RELEASED,
                    PREEMPTION_DECLINED,
                    JOB_ENDED -> {} // the log alone needs them
            case JOB_REJECTED,
                    SPEED_CHANGED,
                    HELD,
                    RELEASED,
                    QUEUES_SET,
                    PROFILED,
                    CANCELLING,
                    START_FAILED,
                    SUSPEND_FAILED,
                    SUSPENSION_ENDED,
                    CAPACITY_CHANGED,
                    DRAIN_CHANGED,
                    NODE_ADDED,
                    NODE_REMOVED,
                    NODE_CHANGED,
                    REACHABILITY_CHANGED,
                    FOREIGN_LOAD_CHANGED,
                    CLUSTER_CHANGED,
                    ACTION_REJECTED -> throw notQueried(record.type());
        }
        log.accept(historyEntry.seq(), historyEntry.atMillis(), record);
        boolean over = record.type() == HistoryRecord.Type.JOB_ENDED
                || (record instanceof HistoryRecord.AttemptEnded ended
                        && ended.next().isFinal());
        if (over) {
            endedJobs.add(record.jobId());
        }
    }

    private void recordMeasurements(HistoryRecord.AttemptEnded ended, HistoryEntry historyEntry) {
        if (historyEntry.body().contains(MEASURED)) {
            measurements
                    .computeIfAbsent(ended.jobId(), job -> new HashMap<>())
                    .put(ended.attempt(), measurementsOf(historyEntry));
        }
    }

    /** Keeps an entry undecoded: most jobs are never involved in a preemption, and decoding is slow. */
    private void retain(HistoryRecord.Type type, HistoryEntry historyEntry) {
        switch (type) {
            case SUBMITTED -> unreadEntries.put(historyEntry.jobId(), new ArrayList<>(List.of(historyEntry)));
            case JOB_ENDED -> unreadEntries.remove(historyEntry.jobId());
            case ATTEMPT_ENDED -> {
                if (historyEntry.body().contains(REQUEUED)) {
                    retainedOf(historyEntry.jobId()).removeIf(before -> !JOB_DESCRIPTIONS.contains(before.type()));
                } else {
                    unreadEntries.remove(historyEntry.jobId());
                }
            }
            case RESERVED, RESERVATION_RELEASED -> {} // without victims they belong to no preemption
            case JOB_UPDATED, STARTED, RUNNING, PREEMPTING, PREEMPTION_DECLINED ->
                retainedOf(historyEntry.jobId()).add(historyEntry);
            case JOB_REJECTED,
                    SPEED_CHANGED,
                    HELD,
                    RELEASED,
                    QUEUES_SET,
                    PROFILED,
                    CANCELLING,
                    START_FAILED,
                    SUSPEND_FAILED,
                    SUSPENSION_ENDED,
                    CAPACITY_CHANGED,
                    DRAIN_CHANGED,
                    NODE_ADDED,
                    NODE_REMOVED,
                    NODE_CHANGED,
                    REACHABILITY_CHANGED,
                    FOREIGN_LOAD_CHANGED,
                    CLUSTER_CHANGED,
                    ACTION_REJECTED -> throw notQueried(type);
        }
    }

    private static IllegalArgumentException notQueried(HistoryRecord.Type type) {
        return new IllegalArgumentException(type + " belongs to no preemption");
    }

    private List<HistoryEntry> retainedOf(long job) {
        return unreadEntries.getOrDefault(job, new ArrayList<>());
    }

    /** The job is involved in a preemption; its kept entries are decoded now. */
    private void markInvolved(long job) {
        List<HistoryEntry> before = unreadEntries.remove(job);
        if (before != null) {
            before.forEach(this::decode);
        }
    }

    private void recordPolicy(long seq, String policy) {
        if (!policyAt(seq).equals(policy)) {
            policies.put(seq, policy);
        }
    }

    private String policyAt(long seq) {
        return policies.floorEntry(seq).getValue();
    }

    private static InvolvedJob involvedJob(Job job) {
        return new InvolvedJob(
                job.id(), job.name(), job.user(), job.queue(), job.demand().maxGpus());
    }

    private AttemptMeasurements measurementsOf(HistoryEntry historyEntry) {
        return json.read(historyEntry.body(), MeasuredPart.class).measured();
    }

    private static String policyOf(HistoryEntry historyEntry) {
        Matcher matcher = POLICY.matcher(historyEntry.body());
        return matcher.find() ? matcher.group(1) : "";
    }

    private void finish(PreemptionResult preemption) {
        finished.put(preemption.number(), entry(preemption));
    }

    private void finishDeclined(DeclinedPreemption declined) {
        finished.put(declined.number(), entry(declined));
    }

    private PreemptionLogEntry entry(PreemptionResult p) {
        List<PreemptedJob> preempted = new ArrayList<>();
        for (PreemptionResult.VictimResult victim : p.victims()) {
            AttemptMeasurements reload = measurements
                    .getOrDefault(victim.id(), Map.of())
                    .getOrDefault(victim.attempt() + 1, AttemptMeasurements.NONE);
            preempted.add(new PreemptedJob(describe(victim.id(), victim.name(), victim.gpus()), reload));
        }
        return new PreemptionLogEntry(
                p.number(),
                p.atMillis(),
                policyAt(p.number()),
                DecisionOutcome.valueOf(p.balance().name()),
                describe(p.beneficiary(), p.beneficiaryName(), p.beneficiaryGpus()),
                preempted,
                p,
                null);
    }

    private PreemptionLogEntry entry(DeclinedPreemption d) {
        return new PreemptionLogEntry(
                d.number(),
                d.atMillis(),
                policyAt(d.number()),
                DecisionOutcome.DECLINED,
                describe(d.job(), d.name(), d.gpus()),
                List.of(),
                null,
                d);
    }

    private InvolvedJob describe(long job, String name, int gpus) {
        InvolvedJob involved = involvedJobs.get(job);
        return new InvolvedJob(
                job, name, involved == null ? "" : involved.user(), involved == null ? "" : involved.queue(), gpus);
    }
}
