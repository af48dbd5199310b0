package dev.fermata.core.admit;

import dev.fermata.core.contract.Draft;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Outlook;
import dev.fermata.core.contract.Space;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.QueueRule;
import dev.fermata.core.model.Topology;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The world as a gated policy sees it: jobs behind a closed gate are not in it. */
final class GatedView implements View {
    private final View real;
    private final Roll roll;
    private final Claims claims;
    private final List<JobView> changed;

    GatedView(View real, Roll roll, Claims claims) {
        this.real = real;
        this.roll = roll;
        this.claims = claims;
        this.changed = Collections.unmodifiableList(roll.news);
    }

    @Override
    public List<JobView> changed() {
        return changed;
    }

    /** Taken by itself: whether all victims of a job together may leave is found out when it is asked for. */
    @Override
    public boolean mayPause(JobView victim, JobView newcomer) {
        Applicant loser = roll.get(victim.id());
        Applicant winner = roll.get(newcomer.id());
        Queue from = loser == null ? null : loser.queue;
        Queue to = winner == null ? null : winner.queue;
        return loser == null
                || from == null
                || to == null
                || (!loser.displaced.contains(newcomer.id()) && from.spares(victim.gpus(), to, claims.entitles(to)));
    }

    /** GPUs that the policy took to be given away and that are not count as capacity that appeared. */
    @Override
    public long capacityVersion() {
        return real.capacityVersion() + roll.returned;
    }

    @Override
    public @Nullable JobView job(long id) {
        Applicant applicant = roll.get(id);
        return applicant == null || applicant.known ? real.job(id) : null;
    }

    @Override
    public List<JobView> live() {
        return real.live().stream().filter(job -> job(job.id()) != null).toList();
    }

    @Override
    public int pendingJobs() {
        return real.pendingJobs() - roll.hidden();
    }

    @Override
    public long nowMillis() {
        return real.nowMillis();
    }

    @Override
    public Topology topology() {
        return real.topology();
    }

    @Override
    public Space space() {
        return real.space();
    }

    @Override
    public int gpusUp() {
        return real.gpusUp();
    }

    @Override
    public int gpusUp(int type) {
        return real.gpusUp(type);
    }

    @Override
    public int runningJobs() {
        return real.runningJobs();
    }

    @Override
    public List<QueueRule> queueRules() {
        return real.queueRules();
    }

    @Override
    public long remainingMillis(JobView job) {
        return real.remainingMillis(job);
    }

    @Override
    public @Nullable Outlook outlook(JobView job) {
        return real.outlook(job);
    }

    @Override
    public long estimateVersion() {
        return real.estimateVersion();
    }

    @Override
    public Draft draft() {
        return real.draft();
    }
}
