package dev.fermata.live.loop;

import dev.fermata.live.request.RequestRejectedException;
import dev.fermata.live.request.RequestRejectedException.Category;
import dev.fermata.live.spec.JobSize;
import dev.fermata.live.spec.JobSpec;
import dev.fermata.live.state.LiveJob;
import dev.fermata.live.state.LiveJobIndex;
import java.util.Collection;
import java.util.List;

/** Bounds what live jobs need in memory, of one user and of all, so that no submission can exhaust the heap. */
final class LiveJobBudget {
    /** Of one user: nearly a hundred thousand short jobs, or a hundred of the largest scripts. */
    static final long PER_USER = 96L << 20;

    static final long IN_ALL = 256L << 20;

    private static final long MIB = 1 << 20;

    private LiveJobBudget() {}

    /**
     * Throws when there is no room for these jobs of this user.
     *
     * @param accepted jobs of this cycle that are not live yet
     */
    static void check(LiveJobIndex live, Collection<LiveJob> accepted, String user, List<JobSpec> jobs) {
        long more = jobs.stream().mapToLong(JobSize::bytes).sum();
        long all = live.bytes() + more;
        long ofUser = live.bytesOf(user) + more;
        for (LiveJob job : accepted) {
            all += job.bytes();
            ofUser += job.user.equals(user) ? job.bytes() : 0;
        }
        require(ofUser, PER_USER, "the live jobs of " + user);
        require(all, IN_ALL, "all live jobs");
    }

    private static void require(long bytes, long most, String whose) {
        if (bytes > most) {
            throw new RequestRejectedException(
                    Category.BUSY,
                    whose + " would need " + bytes / MIB + " MiB; at most " + most / MIB
                            + " MiB are kept. Try again when some have ended, or put scripts into files");
        }
    }
}
