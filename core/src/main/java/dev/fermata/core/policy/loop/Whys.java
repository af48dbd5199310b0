package dev.fermata.core.policy.loop;

import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.Reason;
import dev.fermata.core.contract.Space;
import dev.fermata.core.contract.Verdict;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.Demand;
import dev.fermata.core.policy.queue.Book;
import dev.fermata.core.policy.queue.Entry;
import dev.fermata.core.policy.queue.Patience;
import dev.fermata.core.policy.queue.Waiting;

/** Turns "it does not fit" into one reason with numbers. */
public final class Whys {
    private Whys() {}

    /** Why a job that the placement refused does not fit on what is free now. */
    public static Reason reason(JobView job, Space space) {
        Demand demand = job.job().demand();
        if (mostAvailable(job, space) < demand.minGpus()) {
            return missingMib(demand, roomiest(job, space), space) > 0 ? Reason.MEMORY : Reason.RESOURCES;
        }
        return demand.needsHost() ? Reason.HOST_RESOURCES : Reason.FRAGMENTED;
    }

    /** The same where jobs may be waiting for a closer place: that is the reason if there are GPUs enough. */
    public static Reason reason(JobView job, Space space, Patience patience) {
        Reason reason = reason(job, space);
        return reason == Reason.FRAGMENTED && patience.untilMillis(job) != Plan.NEVER
                ? Reason.WAITING_FOR_LOCALITY
                : reason;
    }

    public static Verdict doesNotFit(JobView job, Space space) {
        return doesNotFit(job, space, Patience.NONE);
    }

    public static Verdict doesNotFit(JobView job, Space space, Patience patience) {
        return verdict(job, reason(job, space, patience), space, 0, patience);
    }

    private static Verdict verdict(JobView job, Reason reason, Space space, int ahead, Patience patience) {
        Demand demand = job.job().demand();
        boolean memory = reason == Reason.MEMORY;
        int gpu = memory ? roomiest(job, space) : -1;
        int needed = memory ? demand.memoryOn(space.topology(), gpu) : demand.minGpus();
        int available = memory ? space.memoryLeftMib(gpu) : mostAvailable(job, space);
        long until = reason == Reason.WAITING_FOR_LOCALITY ? patience.untilMillis(job) : -1;
        return new Verdict(job.id(), reason, needed, available, ahead, until);
    }

    /** The GPU open for sharing whose memory is the least short of what the job would hold there; -1 without any. */
    private static int roomiest(JobView job, Space space) {
        Demand demand = job.job().demand();
        int best = -1;
        for (int type : job.typesByPreference()) {
            for (int gpu = space.nextOpen(type, 0); gpu >= 0; gpu = space.nextOpen(type, gpu + 1)) {
                int missing = missingMib(demand, gpu, space);
                boolean some = space.memoryLeftMib(gpu) >= 0; // without the guard more may be promised than there is
                if (some && missing == 0) {
                    return gpu; // memory is not what is missing; there may be thousands more to look at
                }
                if (some && (best < 0 || missing < missingMib(demand, best, space))) {
                    best = gpu;
                }
            }
        }
        return best;
    }

    private static int missingMib(Demand demand, int gpu, Space space) {
        return gpu < 0 ? 0 : Math.max(0, demand.memoryOn(space.topology(), gpu) - space.memoryLeftMib(gpu));
    }

    /** The reason alone of {@link #first}, for asking whether it is news. */
    static Reason firstReason(Entry entry, Waiting.Kind kind, Space space, Patience patience) {
        return kind.weighed(entry) == null ? reason(entry.job(), space, patience) : Reason.PREEMPTION_NOT_WORTH_IT;
    }

    /** Why the first of its kind does not run: pausing others for it does not pay, or it does not fit on what is free. */
    static Verdict first(Entry entry, Waiting.Kind kind, Space space, Patience patience) {
        Waiting.Weighed weighed = kind.weighed(entry);
        return weighed == null
                ? doesNotFit(entry.job(), space, patience)
                : new Verdict(
                        entry.job().id(),
                        Reason.PREEMPTION_NOT_WORTH_IT,
                        weighed.costMillis(),
                        weighed.gainMillis(),
                        weighed.victims(),
                        -1);
    }

    /** Why it does not run now if it is the first of its kind; else those before it. */
    public static Verdict explain(Book book, View view, JobView job, Patience patience) {
        Entry entry = book.entry(job);
        if (entry == null || entry.kind() == null) {
            return Verdict.of(
                    job.id(), Reason.NOT_YET_CONSIDERED, job.job().demand().minGpus(), 0);
        }
        if (entry.kind().tree().first() == entry) {
            return first(entry, entry.kind(), view.space(), patience);
        }
        return verdict(job, Reason.PRIORITY, view.space(), book.waiting().ahead(entry), patience);
    }

    /** Free GPUs of the type that has most of them for this job. */
    public static int mostAvailable(JobView job, Space space) {
        int most = 0;
        for (int type : job.typesByPreference()) {
            most = Math.max(most, space.available(type, Horizon.NOW));
        }
        return most;
    }
}
