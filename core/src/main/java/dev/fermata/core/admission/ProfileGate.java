package dev.fermata.core.admission;

import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.ProfileFirst;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Of jobs with an unmeasured profile key one runs first, and the others wait. They wait until its profile is known
 * (then they carry no {@code ProfileFirst} any more) or their time is over. While there are GPUs for all waiting jobs
 * none has to wait: the profile matters only where GPUs are scarce.
 */
final class ProfileGate {
    private static final class ProfileMembers {
        /** The waiting jobs. */
        private final Set<AdmissionEntry> pending = new LinkedHashSet<>();
        /** The jobs on GPUs. */
        private final Set<AdmissionEntry> running = new LinkedHashSet<>();

        private boolean planned;
        /** Whether the waiting jobs had to wait when last checked. */
        private boolean closed;

        /** The one that runs for longest. */
        @Nullable
        AdmissionEntry first() {
            AdmissionEntry first = null;
            for (AdmissionEntry one : running) {
                boolean earlier = first == null || one.jobView.startedMillis() < first.jobView.startedMillis();
                first = earlier ? one : first;
            }
            return first;
        }
    }

    private final Map<Long, ProfileMembers> byProfileKey = new TreeMap<>();
    private final List<ProfileMembers> touched = new ArrayList<>();
    private long nowMillis;
    /** Whether more jobs wait than GPUs are free. */
    private boolean scarce;

    /** Records whether a job's profile is unknown and whether it runs. */
    void update(AdmissionEntry entry, boolean live) {
        ProfileMembers before = byProfileKey.get(entry.profileFirst.profileKey());
        if (before != null) {
            before.pending.remove(entry);
            before.running.remove(entry);
            if (before.pending.isEmpty() && before.running.isEmpty()) {
                byProfileKey.remove(entry.profileFirst.profileKey());
            }
        }
        entry.profileFirst = live ? entry.jobView.job().profileFirst() : ProfileFirst.NONE;
        if (!entry.profileFirst.isNone()) {
            ProfileMembers members =
                    byProfileKey.computeIfAbsent(entry.profileFirst.profileKey(), profileKey -> new ProfileMembers());
            if (AdmissionTable.isOnGpus(entry.jobView)) {
                members.running.add(entry);
            } else if (entry.isPending()) {
                members.pending.add(entry);
            }
        }
    }

    /**
     * Jobs whose gate may have moved, by recorded changes or by time.
     *
     * @param waiting how many jobs wait that nothing else keeps back
     */
    List<AdmissionEntry> entriesToReevaluate(View view, IntSupplier waiting) {
        nowMillis = view.nowMillis();
        if (byProfileKey.isEmpty()) {
            return List.of();
        }
        int free = freeGpus(view);
        scarce = view.pendingJobs() > free && waiting.getAsInt() > free;
        List<AdmissionEntry> moved = new ArrayList<>();
        for (ProfileMembers members : byProfileKey.values()) {
            boolean closed = isClosed(members);
            if (closed != members.closed) {
                members.closed = closed;
                moved.addAll(members.pending);
            }
        }
        return moved;
    }

    private static int freeGpus(View view) {
        int free = 0;
        for (int type = 0; type < view.topology().types().size(); type++) {
            free += view.capacity().available(type, Horizon.NOW);
        }
        return free;
    }

    private boolean isClosed(ProfileMembers members) {
        return scarce && (members.planned || waitEndsMillis(members) > nowMillis);
    }

    /** Until when the profiling run of a key is waited for. */
    private static long waitEndsMillis(ProfileMembers members) {
        AdmissionEntry first = members.first();
        return first == null ? Long.MIN_VALUE : first.jobView.startedMillis() + first.profileFirst.waitMillis();
    }

    boolean isOpen(AdmissionEntry entry) {
        ProfileMembers members = entry.profileFirst.isNone() ? null : byProfileKey.get(entry.profileFirst.profileKey());
        return members == null || !isClosed(members);
    }

    /** The job whose profile a job waits for, or null. */
    @Nullable
    JobView awaitedJob(AdmissionEntry entry) {
        ProfileMembers members = entry.profileFirst.isNone() ? null : byProfileKey.get(entry.profileFirst.profileKey());
        AdmissionEntry first = members == null || !isClosed(members) ? null : members.first();
        return first == null ? null : first.jobView;
    }

    /** A job with this key will run after this round; it is the only one if none runs yet and GPUs are scarce. */
    void addPlanned(AdmissionEntry entry) {
        ProfileMembers members = entry.profileFirst.isNone() ? null : byProfileKey.get(entry.profileFirst.profileKey());
        if (members != null && members.running.isEmpty()) {
            members.planned = true;
            touched.add(members);
        }
    }

    void clearPlans() {
        touched.forEach(members -> members.planned = false);
        touched.clear();
    }

    /** When the next wait is over without any event. */
    long nextMillis() {
        long next = Plan.NEVER;
        for (ProfileMembers members : byProfileKey.values()) {
            if (members.closed && !members.pending.isEmpty()) {
                next = Math.min(next, waitEndsMillis(members));
            }
        }
        return next > nowMillis ? next : Plan.NEVER;
    }
}
