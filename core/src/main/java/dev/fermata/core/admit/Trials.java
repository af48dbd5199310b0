package dev.fermata.core.admit;

import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.Trial;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Of a kind that nobody has seen yet one job runs first, and the others wait until its profile is known (then they carry no
 * {@link Trial} any more) or until it has run for as long as they would wait for it. While there are GPUs for everybody who waits,
 * nobody has to: the profile is of use only where GPUs are short.
 */
final class Trials {
    private static final class Members {
        /** Those who wait. */
        private final Set<Applicant> pending = new LinkedHashSet<>();
        /** Those on GPUs. */
        private final Set<Applicant> running = new LinkedHashSet<>();

        private boolean planned;
        /** Whether those who wait were last found to have to. */
        private boolean closed;

        /** The one that runs for longest. */
        @Nullable
        Applicant first() {
            Applicant first = null;
            for (Applicant one : running) {
                boolean earlier = first == null || one.view.startedMillis() < first.view.startedMillis();
                first = earlier ? one : first;
            }
            return first;
        }
    }

    private final Map<Long, Members> byKind = new TreeMap<>();
    private final List<Members> touched = new ArrayList<>();
    private long nowMillis;
    /** Whether more jobs wait than GPUs are free. */
    private boolean scarce;

    /** Takes in whether a job's kind is unknown and whether it runs. */
    void note(Applicant applicant, boolean lives) {
        Members before = byKind.get(applicant.trial.kind());
        if (before != null) {
            before.pending.remove(applicant);
            before.running.remove(applicant);
            if (before.pending.isEmpty() && before.running.isEmpty()) {
                byKind.remove(applicant.trial.kind());
            }
        }
        applicant.trial = lives ? applicant.view.job().trial() : Trial.NONE;
        if (!applicant.trial.isNone()) {
            Members members = byKind.computeIfAbsent(applicant.trial.kind(), kind -> new Members());
            if (Roll.runs(applicant.view)) {
                members.running.add(applicant);
            } else if (applicant.pending()) {
                members.pending.add(applicant);
            }
        }
    }

    /**
     * Those whose gate may have moved, by what was noted or by time.
     *
     * @param waiting how many jobs wait that nothing else keeps back
     */
    List<Applicant> moved(View view, IntSupplier waiting) {
        nowMillis = view.nowMillis();
        if (byKind.isEmpty()) {
            return List.of();
        }
        int free = free(view);
        scarce = view.pendingJobs() > free && waiting.getAsInt() > free;
        List<Applicant> moved = new ArrayList<>();
        for (Members members : byKind.values()) {
            boolean closed = closed(members);
            if (closed != members.closed) {
                members.closed = closed;
                moved.addAll(members.pending);
            }
        }
        return moved;
    }

    private static int free(View view) {
        int free = 0;
        for (int type = 0; type < view.topology().types().size(); type++) {
            free += view.space().available(type, Horizon.NOW);
        }
        return free;
    }

    private boolean closed(Members members) {
        return scarce && (members.planned || endsMillis(members) > nowMillis);
    }

    /** Until when the first of a kind is waited for. */
    private static long endsMillis(Members members) {
        Applicant first = members.first();
        return first == null ? Long.MIN_VALUE : first.view.startedMillis() + first.trial.waitMillis();
    }

    boolean open(Applicant applicant) {
        Members members = applicant.trial.isNone() ? null : byKind.get(applicant.trial.kind());
        return members == null || !closed(members);
    }

    /** The job whose profile a job waits for, or null. */
    @Nullable
    JobView awaited(Applicant applicant) {
        Members members = applicant.trial.isNone() ? null : byKind.get(applicant.trial.kind());
        Applicant first = members == null || !closed(members) ? null : members.first();
        return first == null ? null : first.view;
    }

    /** A job of this kind will run when this round is over; it is the only one if nobody runs yet and GPUs are short. */
    void plan(Applicant applicant) {
        Members members = applicant.trial.isNone() ? null : byKind.get(applicant.trial.kind());
        if (members != null && members.running.isEmpty()) {
            members.planned = true;
            touched.add(members);
        }
    }

    void forgetPlans() {
        touched.forEach(members -> members.planned = false);
        touched.clear();
    }

    /** When somebody will have waited long enough, though nothing happens. */
    long nextMillis() {
        long next = Plan.NEVER;
        for (Members members : byKind.values()) {
            if (members.closed && !members.pending.isEmpty()) {
                next = Math.min(next, endsMillis(members));
            }
        }
        return next > nowMillis ? next : Plan.NEVER;
    }
}
