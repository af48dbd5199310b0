package dev.fermata.core.admit;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.model.LongMap;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Every live job with what the policy has been told of it, and the list of what it will be told next. */
final class Roll {
    private final LongMap<Applicant> applicants = new LongMap<>();
    private final List<Applicant> listed = new ArrayList<>();
    /** What the policy reads as changed in this round. */
    final List<JobView> news = new ArrayList<>();
    /** Counts the rounds in which GPUs that the policy had given away came back. */
    long returned;

    private int hidden;

    /** Pending jobs that the policy does not know of. */
    int hidden() {
        return hidden;
    }

    /** Everybody, by id. */
    List<Applicant> all() {
        List<Applicant> all = new ArrayList<>(applicants.size());
        applicants.forEach(all::add);
        all.sort(Comparator.comparingLong(Applicant::id));
        return all;
    }

    int count(Predicate<Applicant> wanted) {
        int[] count = {0};
        applicants.forEach(applicant -> count[0] += wanted.test(applicant) ? 1 : 0);
        return count[0];
    }

    @Nullable
    Applicant get(long id) {
        return applicants.get(id);
    }

    Applicant enter(JobView job, boolean known) {
        Applicant applicant = applicants.get(job.id());
        if (applicant == null) {
            applicant = new Applicant(job);
            applicant.known = known;
            hidden += known ? 0 : 1;
            applicants.put(job.id(), applicant);
        }
        return applicant;
    }

    /** The job ended; if the policy knew of it, it hears so. */
    void leave(Applicant applicant) {
        applicants.remove(applicant.id());
        if (applicant.known) {
            news.add(applicant.view);
        } else {
            hidden--;
        }
    }

    void show(Applicant applicant) {
        hidden -= applicant.known ? 0 : 1;
        applicant.known = true;
        tell(applicant);
    }

    /** To the policy it is as if the job had ended. */
    void hide(Applicant applicant) {
        if (applicant.known) {
            applicant.known = false;
            hidden++;
            tell(applicant);
        }
    }

    /** The policy hears of this job in this round, as it is then. */
    void tell(Applicant applicant) {
        if (!applicant.listed) {
            applicant.listed = true;
            listed.add(applicant);
        }
    }

    /** Writes the list for this round. */
    void write() {
        for (Applicant applicant : listed) {
            applicant.listed = false;
            JobView job = applicant.view;
            if (!job.state().isFinal()) {
                news.add(applicant.known ? job : new Withdrawn(job));
            }
        }
        listed.clear();
    }

    void read() {
        news.clear();
    }

    static boolean runs(JobView job) {
        return job.state() != JobState.PENDING && !job.state().isFinal();
    }
}
