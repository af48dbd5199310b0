package dev.fermata.core.measure;

import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.LongMap;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Follows every preemption, done or declined, to its consequences: records in, results out. It reads nothing else, so
 * a simulated run and a live history are judged by the same code. It keeps nothing of ended jobs.
 */
public final class PreemptionLog {
    /** GPU-time of saving, loading again and repeating; {@code other} is what no decision of the policy caused. */
    public record PreemptionOverhead(
            long preemptGpuMillis,
            long reloadGpuMillis,
            long lostGpuMillis,
            long otherOverheadGpuMillis,
            long otherLostGpuMillis) {}

    /** Counters of a job between its submission and its end. */
    private static final class JobTrack {
        Job job;
        int gpus;
        long startedMillis;
        boolean hasRun;
        /** Time it made progress that was kept, over all attempts that left. */
        long usefulMillis;

        /** The preemption in progress. */
        @Nullable
        OpenVictim vacating;

        /** The last preemption, while the attempt after it has not ended: its load is not known before. */
        @Nullable
        OpenVictim reloading;

        /** The last preemption, until it is known when the job made progress again. */
        @Nullable
        OpenVictim away;

        /** The decision that reserved GPUs for it, and the decision that gave it the GPUs it holds. */
        @Nullable
        OpenPreemption reservedBy;

        @Nullable
        OpenPreemption startedBy;

        /** Preemptions after which the job has not ended yet. */
        final List<OpenVictim> preemptions = new ArrayList<>(0);

        final List<DeclinedPreemption> declined = new ArrayList<>(0);

        JobTrack(Job job) {
            this.job = job;
        }
    }

    private final Consumer<PreemptionResult> onClosed;
    private final Consumer<DeclinedPreemption> onWaitOver;
    private final LongMap<JobTrack> tracks = new LongMap<>();
    private final SortedMap<Long, OpenPreemption> openPreemptions = new TreeMap<>();
    private final SortedMap<Long, JobTrack> waitingAfterDecline = new TreeMap<>();
    private @Nullable OpenPreemption currentPreemption;
    private long preemptGpu;
    private long reloadGpu;
    private long lostGpu;
    private long otherOverheadGpu;
    private long otherLostGpu;

    /**
     * @param closed receives each decision when its result is final
     * @param over receives each declined preemption when the wait of its job is over
     */
    public PreemptionLog(Consumer<PreemptionResult> closed, Consumer<DeclinedPreemption> over) {
        this.onClosed = closed;
        this.onWaitOver = over;
    }

    /** @param number of the history entry, ascending */
    public void accept(long number, long now, HistoryRecord historyRecord) {
        if (historyRecord instanceof HistoryRecord.Submitted r) {
            tracks.put(r.jobId(), new JobTrack(r.job()));
            return;
        }
        JobTrack track = tracks.get(historyRecord.jobId());
        if (track == null) {
            return;
        }
        switch (historyRecord.type()) {
            case JOB_UPDATED -> track.job = ((HistoryRecord.JobUpdated) historyRecord).job();
            case STARTED ->
                attemptStarted(
                        now,
                        track,
                        ((HistoryRecord.Started) historyRecord).allocation().size());
            case RUNNING -> {
                track.hasRun = true;
                if (track.away != null) {
                    track.away.markResumed(now);
                }
            }
            case PREEMPTING -> preempting(number, now, track, (HistoryRecord.Preempting) historyRecord);
            case RESERVED -> currentPreemption = null; // later victims belong to another decision
            case RESERVATION_RELEASED -> reservationReleased(track);
            case PREEMPTION_DECLINED -> {
                HistoryRecord.PreemptionDeclined r = (HistoryRecord.PreemptionDeclined) historyRecord;
                track.declined.add(declined(number, now, track.job, r));
                waitingAfterDecline.put(historyRecord.jobId(), track);
            }
            case ATTEMPT_ENDED -> {
                HistoryRecord.AttemptEnded r = (HistoryRecord.AttemptEnded) historyRecord;
                attemptEnded(now, track, r.usage(), r.next().isFinal());
            }
            case JOB_ENDED -> jobEnded(now, track);
            case SUSPEND_FAILED -> suspendFailed(now, track);
            case SUBMITTED,
                    JOB_REJECTED,
                    SPEED_CHANGED,
                    HELD,
                    RELEASED,
                    QUEUES_SET,
                    PROFILED,
                    CANCELLING,
                    CAPACITY_CHANGED,
                    DRAIN_CHANGED,
                    NODE_ADDED,
                    NODE_REMOVED,
                    NODE_CHANGED,
                    REACHABILITY_CHANGED,
                    FOREIGN_LOAD_CHANGED,
                    CLUSTER_CHANGED,
                    START_FAILED,
                    SUSPENSION_ENDED,
                    ACTION_REJECTED -> {} // no preemption depends on them
        }
    }

    private static DeclinedPreemption declined(
            long number, long now, Job job, HistoryRecord.PreemptionDeclined historyRecord) {
        return new DeclinedPreemption(
                number,
                now,
                new DeclinedPreemption.WaitingJob(
                        job.id(), job.name(), job.demand().maxGpus()),
                historyRecord.victims(),
                new PreemptionEstimate(historyRecord.gainMillis(), historyRecord.costMillis()),
                -1,
                -1);
    }

    private void preempting(long number, long now, JobTrack track, HistoryRecord.Preempting historyRecord) {
        JobTrack beneficiary = tracks.get(historyRecord.beneficiary());
        JobTrack beneficiaryTrack = beneficiary == null ? track : beneficiary;
        OpenPreemption preemption = currentPreemption;
        if (preemption == null
                || preemption.atMillis != now
                || preemption.beneficiary.id() != beneficiaryTrack.job.id()) {
            preemption = new OpenPreemption(
                    number,
                    now,
                    beneficiaryTrack.job,
                    new PreemptionEstimate(historyRecord.gainMillis(), historyRecord.costMillis()));
            currentPreemption = preemption;
            beneficiaryTrack.reservedBy = preemption;
            openPreemptions.put(number, preemption);
        }
        OpenVictim victim = new OpenVictim(preemption, track.job, historyRecord.attempt(), track.gpus);
        preemption.victims.add(victim);
        preemption.openVictims++;
        track.vacating = victim;
        track.preemptions.add(victim);
    }

    /** The victim goes on running, as if nothing had been asked of it. */
    private static void suspendFailed(long now, JobTrack track) {
        OpenVictim victim = track.vacating;
        if (victim != null) {
            victim.preemptMillis = 0;
            victim.lostMillis = 0;
            victim.usefulMillis = track.usefulMillis;
            victim.markResumed(now);
            track.vacating = null;
        }
    }

    private void attemptStarted(long now, JobTrack track, int gpus) {
        track.gpus = gpus;
        track.startedMillis = now;
        track.hasRun = false;
        OpenPreemption reservation = track.reservedBy;
        if (reservation != null) {
            reservation.startedMillis = now;
            reservation.reservationOpen = false;
            reservation.loading = true;
            track.startedBy = reservation;
            track.reservedBy = null;
        }
        waitEnded(now, track, true);
    }

    private void reservationReleased(JobTrack track) {
        OpenPreemption reservation = track.reservedBy;
        if (reservation != null) {
            reservation.reservationOpen = false;
            track.reservedBy = null;
            closeIfComplete(reservation);
        }
    }

    /** The wait of the job is over, with or without a start. */
    private void waitEnded(long now, JobTrack track, boolean started) {
        if (!track.declined.isEmpty()) {
            for (DeclinedPreemption d : track.declined) {
                onWaitOver.accept(d.ended(now, started));
            }
            track.declined.clear();
            waitingAfterDecline.remove(track.job.id());
        }
    }

    private void attemptEnded(long now, JobTrack track, Usage usage, boolean forGood) {
        long load = usage.loadMillis() * track.gpus;
        OpenVictim before = track.reloading;
        if (before != null) {
            before.reloadMillis = usage.loadMillis();
            before.reloadGpuMillis = load;
            reloadGpu += load;
            track.reloading = null;
        } else {
            otherOverheadGpu += load;
        }
        if (track.away != null && track.hasRun) {
            track.away.markResumed(track.startedMillis + usage.loadMillis()); // a process may run before it has loaded
            track.away = null;
        }
        OpenPreemption startedBy = track.startedBy;
        if (startedBy != null) {
            startedBy.loadMillis = usage.loadMillis();
            startedBy.loading = false;
            track.startedBy = null;
            closeIfComplete(startedBy);
        }
        track.usefulMillis += usage.usefulMillis();
        OpenVictim victim = track.vacating;
        if (victim == null) {
            otherOverheadGpu += usage.preemptMillis() * track.gpus;
            otherLostGpu += usage.lostMillis() * track.gpus;
        } else {
            victim.vacatedMillis = now;
            victim.preemptMillis = usage.preemptMillis();
            victim.lostMillis = usage.lostMillis();
            victim.usefulMillis = track.usefulMillis + usage.lostMillis();
            preemptGpu += usage.preemptMillis() * track.gpus;
            lostGpu += usage.lostMillis() * track.gpus;
            track.vacating = null;
            track.reloading = victim;
            track.away = victim;
        }
        track.gpus = 0;
        if (forGood) {
            jobEnded(now, track);
        }
    }

    private void jobEnded(long now, JobTrack track) {
        tracks.remove(track.job.id());
        if (track.away != null) {
            track.away.markResumed(now);
        }
        reservationReleased(track);
        waitEnded(now, track, false);
        for (OpenVictim victim : track.preemptions) {
            victim.remainingMillis = Math.max(0, track.usefulMillis - victim.usefulMillis);
            victim.preemption.openVictims--;
            closeIfComplete(victim.preemption);
        }
    }

    private void closeIfComplete(OpenPreemption preemption) {
        if (preemption.isClosed() && openPreemptions.remove(preemption.number) != null) {
            onClosed.accept(preemption.toResult());
        }
    }

    /** The decisions whose result is not final, as far as is known, in their order. */
    public List<PreemptionResult> openPreemptions() {
        return openPreemptions.values().stream().map(OpenPreemption::toResult).toList();
    }

    /** What was declined for jobs that still wait, by job. */
    public List<DeclinedPreemption> declined() {
        return waitingAfterDecline.values().stream()
                .flatMap(track -> track.declined.stream())
                .toList();
    }

    public PreemptionOverhead overhead() {
        return new PreemptionOverhead(preemptGpu, reloadGpu, lostGpu, otherOverheadGpu, otherLostGpu);
    }
}
