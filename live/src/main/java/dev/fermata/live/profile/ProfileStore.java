package dev.fermata.live.profile;

import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.model.Checkpointing;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.GpuCatalogue;
import dev.fermata.core.model.Profile;
import dev.fermata.core.model.SuspendCosts;
import dev.fermata.history.HistoryEntry;
import dev.fermata.history.RecordJson;
import dev.fermata.live.profile.ProfileEstimate.Basis;
import dev.fermata.live.store.ProfileRow;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The samples of all profile keys. Only one thread uses it; other threads receive copies.
 *
 * <p>Every figure is estimated on its own: from the exact key, else from the same program on any GPUs, else it is
 * assumed. The median of the latest {@link ProfileSamples#MAX_SAMPLES} samples counts, so one outlier hardly moves it.
 *
 * <p>The samples of an attempt are durable in the history entry of its end. A profile row is a summary that shortens a
 * restart: it names the last entry that it contains, and recovery adds the samples of the later entries.
 */
public final class ProfileStore {
    private static final Logger LOG = LoggerFactory.getLogger(ProfileStore.class);
    private static final RecordJson JSON = new RecordJson();
    private static final String ATTEMPT_ENDED = HistoryRecord.AttemptEnded.class.getSimpleName();
    /** Type of the history entry with measurements of a running attempt. */
    public static final String ATTEMPT_MEASURED = "AttemptMeasured";

    private static final ProfileMetric[] METRICS = ProfileMetric.values();
    private static final ProfileStatistics EMPTY = ProfileSamples.NONE;

    private final Costs prior;
    /** Samples by key; those of a program on any GPUs are under {@link ProfileKey#programKey}. */
    private final Map<ProfileKey, ProfileHistory> histories = new HashMap<>();
    /** Estimates since the last change: thousands of live jobs may need the same one. */
    private Map<ProfileKey, ProfileEstimate> estimates = new HashMap<>();

    /** The learned part of a history entry; older entries lack it. */
    private record StoredUpdate(
            @Nullable ProfileUpdate profileUpdate, @Nullable AttemptMeasurements measured) {}

    /** @param prior assumed costs of preempting and loading a job before any measurement */
    public ProfileStore(Costs prior) {
        this.prior = prior;
    }

    /**
     * Restores the samples.
     *
     * @param rows oldest first
     * @param entries all history entries that some row lacks, oldest first
     */
    public void restore(List<ProfileRow> rows, List<HistoryEntry> entries) {
        for (ProfileRow row : rows) {
            try {
                ProfileHistory memory =
                        historyOf(new ProfileKey(row.command(), row.model(), row.gpuType(), row.gpus()));
                memory.replaceAll(JSON.readStored(row.body(), ProfileSamples.class));
                memory.atMillis = row.atMillis();
                memory.knownSeq = row.seq();
            } catch (IllegalArgumentException e) {
                LOG.warn("profile ({}): row cannot be read: {}", row.command(), e.getMessage());
            }
        }
        for (HistoryEntry entry : entries) {
            if (entry.type().equals(ATTEMPT_ENDED) || entry.type().equals(ATTEMPT_MEASURED)) {
                restore(entry);
            }
        }
    }

    private void restore(HistoryEntry entry) {
        StoredUpdate stored = JSON.read(entry.body(), StoredUpdate.class);
        ProfileUpdate learned = stored.profileUpdate;
        if (learned == null) {
            return;
        }
        AttemptMeasurements measured = stored.measured == null ? AttemptMeasurements.NONE : stored.measured;
        learn(measured, learned, entry.seq(), entry.atMillis());
    }

    /** Adds the samples of an attempt. */
    public void learn(AttemptMeasurements measured, ProfileUpdate learned, long nowMillis) {
        learn(measured, learned, Long.MAX_VALUE, nowMillis);
    }

    /** @param seq the history entry with these samples; a row that contains it is not changed */
    private void learn(AttemptMeasurements measured, ProfileUpdate learned, long seq, long nowMillis) {
        ProfileHistory own = historyOf(learned.profileKey());
        ProfileHistory program = historyOf(learned.profileKey().programKey());
        boolean updatesOwn = seq > own.knownSeq;
        boolean updatesProgram = seq > program.knownSeq;
        for (ProfileMetric metric : METRICS) {
            long value = metric.of(measured);
            long before = learned.replaces() == null ? AttemptMeasurements.UNKNOWN : metric.of(learned.replaces());
            if (value >= 0 && !learned.unusable().contains(metric)) {
                if (updatesOwn) {
                    own.replace(metric, before, value);
                }
                if (updatesProgram) {
                    program.replace(metric, before, value);
                }
            }
        }
        if (updatesOwn && learned.failedMemoryMib() >= 0) {
            own.add(ProfileMetric.FAILED_MEMORY_MIB, learned.failedMemoryMib());
        }
        if (updatesOwn) {
            markChanged(own, nowMillis);
        }
        if (updatesProgram) {
            markChanged(program, nowMillis);
        }
    }

    /** Replaces the samples of a key by those that a person set or imported. */
    public void replace(ProfileKey key, ProfileSamples samples, long nowMillis) {
        ProfileHistory memory = historyOf(key);
        memory.replaceAll(samples);
        markChanged(memory, nowMillis);
    }

    /** Deletes the samples of a key, and of its program if it has no other key; returns the deleted keys. */
    public List<ProfileKey> forget(ProfileKey key, long nowMillis) {
        List<ProfileKey> forgotten =
                statistics(key.programKey()) instanceof ProfileHistory program && program.keyCount == 1
                        ? List.of(key, key.programKey())
                        : List.of(key);
        forgotten.forEach(each -> replace(each, ProfileSamples.NONE, nowMillis));
        return forgotten;
    }

    private void markChanged(ProfileHistory memory, long nowMillis) {
        memory.atMillis = nowMillis;
        memory.unwritten = true;
        if (!estimates.isEmpty()) {
            estimates = new HashMap<>();
        }
    }

    private ProfileHistory historyOf(ProfileKey key) {
        ProfileHistory known = histories.get(key);
        if (known == null) {
            known = new ProfileHistory();
            histories.put(key, known);
            if (!key.isProgramKey()) {
                historyOf(key.programKey()).keyCount++;
            }
        }
        return known;
    }

    /** Whether no other key of its program was ever measured, so that both have the same samples. */
    public boolean isOnlyKeyOfProgram(ProfileKey key) {
        return statistics(key.programKey()) instanceof ProfileHistory program
                && program.keyCount == 1
                && statistics(key).overrides().isEmpty();
    }

    /** The row of a key, to be written with history entry {@code seq} or later. */
    public ProfileRow row(ProfileKey key, long seq) {
        return row(key, historyOf(key), seq);
    }

    private static ProfileRow row(ProfileKey key, ProfileHistory memory, long seq) {
        return new ProfileRow(
                key.command(),
                key.model(),
                key.gpuType(),
                key.gpus(),
                memory.atMillis,
                seq,
                JSON.writeStored(memory.snapshot()));
    }

    /** Rows of all keys with unwritten changes; {@code seq} is the last history entry. */
    public List<ProfileRow> unwritten(long seq) {
        List<ProfileRow> rows = new ArrayList<>();
        histories.forEach((key, memory) -> {
            if (memory.unwritten) {
                rows.add(row(key, memory, seq));
            }
        });
        return rows;
    }

    /** All rows are written. */
    public void markWritten() {
        histories.values().forEach(memory -> memory.unwritten = false);
    }

    /** The samples of a key itself. The returned object changes with later samples. */
    public ProfileStatistics statistics(ProfileKey key) {
        ProfileHistory memory = histories.get(key);
        return memory == null ? EMPTY : memory;
    }

    /** A copy of the samples of a key itself. */
    public ProfileSamples samples(ProfileKey key) {
        ProfileHistory memory = histories.get(key);
        return memory == null ? ProfileSamples.NONE : memory.snapshot();
    }

    /** A copy of the samples of every key. */
    public Map<ProfileKey, ProfileSamples> all() {
        Map<ProfileKey, ProfileSamples> statistics = new HashMap<>();
        histories.forEach((key, memory) -> {
            ProfileSamples samples = memory.snapshot();
            if (!key.isProgramKey() && !samples.equals(ProfileSamples.NONE)) {
                statistics.put(key, samples);
            }
        });
        return statistics;
    }

    public ProfileEstimate estimate(ProfileKey key) {
        return estimates.computeIfAbsent(key, this::computeEstimate);
    }

    private ProfileEstimate computeEstimate(ProfileKey key) {
        ProfileStatistics own = statistics(key);
        ProfileStatistics any = statistics(key.programKey());
        ProfileStatistics preemptFrom = own.has(ProfileMetric.PREEMPT) ? own : any;
        ProfileStatistics loadFrom = own.has(ProfileMetric.LOAD) ? own : any;
        boolean loads = loadFrom.has(ProfileMetric.LOAD);
        long preempt = preemptFrom.value(ProfileMetric.PREEMPT);
        Costs costs = new Costs(
                preempt >= 0 ? preempt : prior.preemptMillis(),
                loads ? buildMillis(loadFrom) : prior.buildMillis(),
                loads ? Math.max(0, loadFrom.value(ProfileMetric.RESTORE)) : prior.restoreMillis(),
                loads ? Math.max(0, loadFrom.value(ProfileMetric.WARMUP)) : prior.warmupMillis());
        costs = costs.withSuspend(suspendCosts(own, any));
        return new ProfileEstimate(
                costs,
                keepsWork(preemptFrom, any),
                new ProfileEstimate.CostEvidence(
                        basis(own, any, ProfileMetric.PREEMPT),
                        basis(own, any, ProfileMetric.LOAD),
                        preemptFrom.summary(ProfileMetric.PREEMPT),
                        loadFrom.summary(ProfileMetric.LOAD)),
                profile(key, own),
                (int) Math.max(0, own.peakMemoryMib()),
                Math.max(0, own.value(ProfileMetric.CHECKPOINT_EVERY)),
                new ProfileEstimate.Saving(wasSeenToSave(any), prior.suspend().possible()));
    }

    private static boolean wasSeenToSave(ProfileStatistics program) {
        return program.value(ProfileMetric.KEPT_BY_PREEMPTION) == 1
                || program.has(ProfileMetric.SAVE)
                || program.has(ProfileMetric.SAVED_BYTES)
                || program.value(ProfileMetric.CAN_SAVE) > 0;
    }

    /** As measured with this program; else by its memory, at the speed of this machine; else assumed. */
    private SuspendCosts suspendCosts(ProfileStatistics own, ProfileStatistics program) {
        SuspendCosts assumed = prior.suspend();
        if (!assumed.possible() || program.value(ProfileMetric.CAN_BE_SUSPENDED) == 0) {
            return SuspendCosts.CANNOT;
        }
        SuspendCosts usual = bySize(own.peakMemoryMib());
        return new SuspendCosts(
                own.has(ProfileMetric.SUSPEND)
                        ? own.value(ProfileMetric.SUSPEND)
                        : Math.round(usual.outMillis() * machineFactor(ProfileMetric.SUSPEND)),
                own.has(ProfileMetric.RESUME)
                        ? own.value(ProfileMetric.RESUME)
                        : Math.round(usual.inMillis() * machineFactor(ProfileMetric.RESUME)),
                usual.memoryMibPerGpu(),
                assumed.reach());
    }

    private SuspendCosts bySize(long peakMemoryMib) {
        SuspendCosts assumed = prior.suspend();
        return assumed.reach() == SuspendCosts.Reach.SAME_GPUS && peakMemoryMib > 0
                ? SuspendCosts.measured(peakMemoryMib, assumed.reach())
                : assumed;
    }

    /** How many times as long as assumed it takes here: the median of the programs whose size is known. */
    private double machineFactor(ProfileMetric metric) {
        double[] factors = histories.entrySet().stream()
                .filter(entry -> !entry.getKey().isProgramKey()
                        && entry.getValue().has(metric)
                        && entry.getValue().peakMemoryMib() > 0)
                .mapToDouble(entry -> {
                    SuspendCosts usual = bySize(entry.getValue().peakMemoryMib());
                    long assumed = metric == ProfileMetric.SUSPEND ? usual.outMillis() : usual.inMillis();
                    return (double) entry.getValue().value(metric) / Math.max(1, assumed);
                })
                .sorted()
                .toArray();
        return factors.length == 0 ? 1 : factors[factors.length / 2];
    }

    /** As preemptions showed, else what the programs of earlier attempts showed, else what is assumed of all. */
    private boolean keepsWork(ProfileStatistics preemptFrom, ProfileStatistics any) {
        long kept = preemptFrom.value(ProfileMetric.KEPT_BY_PREEMPTION);
        return kept >= 0
                ? kept != 0
                : any.value(ProfileMetric.CAN_SAVE) > 0 || prior.checkpointing() != Checkpointing.NONE;
    }

    /** The measured training profile; missing figures are those of {@link Profile#UNKNOWN}. */
    private static Profile profile(ProfileKey key, ProfileStatistics samples) {
        long iteration = samples.value(ProfileMetric.ITERATION_MICROS);
        long busy = samples.value(ProfileMetric.BUSY_PERMILLE);
        double speed =
                key.gpuType().isEmpty() ? 1 : GpuCatalogue.byName(key.gpuType()).speed();
        return new Profile(
                key.label(),
                iteration > 0 ? roundToTwoDigits(iteration / 1000.0 * speed) : Profile.UNKNOWN.iterationMillis(),
                busy > 0 ? Math.min(20, (busy + 49) / 50) / 20.0 : Profile.UNKNOWN.busyShare(),
                0,
                1,
                (int) (Math.max(0, samples.peakMemoryMib()) + 63) / 64 * 64,
                Map.of());
    }

    /** Rounds to two digits, so that measurement noise does not count as a change. */
    private static double roundToTwoDigits(double millis) {
        double unit = Math.pow(10, Math.floor(Math.log10(millis)) - 1);
        return Math.max(unit, Math.round(millis / unit) * unit);
    }

    /** Load time before the checkpoint; the whole load time when its phases are not measured. */
    private static long buildMillis(ProfileStatistics samples) {
        boolean apart = samples.has(ProfileMetric.BUILD) || samples.has(ProfileMetric.START);
        return apart
                ? Math.max(0, samples.value(ProfileMetric.START)) + Math.max(0, samples.value(ProfileMetric.BUILD))
                : samples.value(ProfileMetric.LOAD);
    }

    private static Basis basis(ProfileStatistics own, ProfileStatistics any, ProfileMetric metric) {
        return own.has(metric) ? Basis.EXACT : any.has(metric) ? Basis.SAME_PROGRAM : Basis.ASSUMED;
    }
}
