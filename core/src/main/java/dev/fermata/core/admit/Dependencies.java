package dev.fermata.core.admit;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.After;
import dev.fermata.core.model.LongMap;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Who waits for whose end. Only a job that lives and was submitted earlier can be waited for, so there are no circles; any
 * other that is named counts as ended the way that was wanted.
 */
final class Dependencies {
    private final LongMap<List<Applicant>> waitingFor = new LongMap<>();
    private final Map<Long, JobView> endedNow = new HashMap<>();
    private final List<Applicant> hopeless = new ArrayList<>();
    private final LongMap<List<After>> unmet = new LongMap<>();

    /** These jobs ended since the last round; told before anybody is asked about. */
    void ended(JobView job) {
        endedNow.put(job.id(), job);
    }

    /** A job came: from now on it waits for those it names. */
    void enter(Applicant applicant, View view) {
        List<After> open = new ArrayList<>();
        for (After after : applicant.view.job().after()) {
            JobView ended = endedNow.get(after.jobId());
            JobView other = ended != null ? ended : view.job(after.jobId());
            if (other == null || !earlier(other, applicant.view)) {
                continue;
            }
            if (other.state().isFinal()) {
                doom(applicant, after, other.state());
            } else {
                open.add(after);
                List<Applicant> others = waitingFor.get(after.jobId());
                if (others == null) {
                    others = new ArrayList<>();
                    waitingFor.put(after.jobId(), others);
                }
                others.add(applicant);
            }
        }
        if (!open.isEmpty()) {
            unmet.put(applicant.id(), open);
        }
    }

    private void doom(Applicant applicant, After after, JobState end) {
        if (!after.wanted().isMetBy(end == JobState.COMPLETED) && !applicant.doomed) {
            applicant.doomed = true;
            hopeless.add(applicant);
        }
    }

    private void doomThoseWaitingFor(long cancelled) {
        List<Applicant> dependents = waitingFor.get(cancelled);
        for (Applicant applicant : dependents == null ? List.<Applicant>of() : dependents) {
            List<After> open = unmet.get(applicant.id());
            for (After after : open == null ? List.<After>of() : open) {
                if (after.jobId() == cancelled) {
                    doom(applicant, after, JobState.CANCELLED);
                }
            }
        }
    }

    private static boolean earlier(JobView one, JobView other) {
        return one.submittedMillis() != other.submittedMillis()
                ? one.submittedMillis() < other.submittedMillis()
                : one.id() < other.id();
    }

    /** Lets go of those who waited for this job; answers the ones for whom something changed. */
    List<Applicant> release(JobView ended) {
        unmet.remove(ended.id());
        List<Applicant> dependents = waitingFor.remove(ended.id());
        if (dependents == null) {
            return List.of();
        }
        for (Applicant applicant : dependents) {
            List<After> open = unmet.get(applicant.id());
            if (open != null) {
                for (After after : open) {
                    if (after.jobId() == ended.id()) {
                        doom(applicant, after, ended.state());
                    }
                }
                open.removeIf(after -> after.jobId() == ended.id());
                if (open.isEmpty()) {
                    unmet.remove(applicant.id());
                }
            }
        }
        return dependents;
    }

    /** What a job still waits for, or null. */
    @Nullable
    List<After> unmet(Applicant applicant) {
        return unmet.get(applicant.id());
    }

    /**
     * Those who can never run since others ended otherwise than they wanted, each once; they are forgotten here. Who waits for
     * the success of one of them is among them, however long the chain: half of it would not survive a restart, as who has
     * ended is not remembered.
     */
    List<Applicant> takeHopeless() {
        endedNow.clear();
        for (int i = 0; i < hopeless.size(); i++) { // grows meanwhile
            doomThoseWaitingFor(hopeless.get(i).id());
        }
        if (hopeless.isEmpty()) {
            return List.of();
        }
        List<Applicant> all = List.copyOf(hopeless);
        hopeless.clear();
        return all;
    }
}
