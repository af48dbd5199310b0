package dev.fermata.core.policy.whole;

import dev.fermata.core.contract.Action;
import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.Policy;
import dev.fermata.core.contract.Reason;
import dev.fermata.core.contract.Verdict;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.JobClass;
import dev.fermata.core.policy.loop.Whys;
import dev.fermata.core.policy.place.Placement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Trial jobs start at once, if need be on GPUs that batch jobs leave for them; batch jobs stand in one line and the first
 * that does not fit blocks those behind it. Who was paused returns to the line at the place of its submission, which is
 * the head unless others were paused too. Who leaves for a trial is up to a {@link VictimChoice}.
 *
 * <p>The frame of FitGpp (OpML 2019) and of the two policies it is compared with. A decision costs a look at the heads
 * of lines that capacity or new possible victims came for; a preemption O(nodes + running batch jobs).
 */
public final class TrialFirst implements Policy {
    private static final Comparator<Lines.Line> BY_HEAD = Comparator.comparing(Lines.Line::first, Lines.Waiter.ORDER);

    private final Placement placement;
    private final VictimChoice choice;
    private final Lines trials = new Lines(false);
    private final Lines batch = new Lines(true);
    private @Nullable Residents residents;

    public TrialFirst(Placement placement, VictimChoice choice) {
        this.placement = placement;
        this.choice = choice;
    }

    @Override
    public Plan decide(View view) {
        Residents running = residents(view);
        running.update(view);
        for (JobView job : view.changed()) {
            trials.remove(job.id());
            batch.remove(job.id());
            if (job.state() == JobState.PENDING && !job.promised()) {
                linesOf(job).add(job);
            }
        }
        long version = view.capacityVersion() + running.arrivals();
        List<Action> actions = new ArrayList<>();
        List<Verdict> verdicts = new ArrayList<>();
        serve(trials, version, view, actions, verdicts);
        serve(batch, version, view, actions, verdicts);
        return new Plan(actions, verdicts, trials.isEmpty() ? Plan.NEVER : running.nextMillis());
    }

    /** Serves the lines by their heads, each until its head has to wait. */
    private void serve(Lines lines, long version, View view, List<Action> actions, List<Verdict> verdicts) {
        List<Lines.Line> due = lines.due(version);
        if (due.isEmpty()) {
            return;
        }
        PriorityQueue<Lines.Line> turns = new PriorityQueue<>(due.size(), BY_HEAD);
        turns.addAll(due);
        for (Lines.Line line = turns.poll(); line != null; line = turns.poll()) {
            JobView head = line.head();
            Action action = tryServe(head, view);
            if (action != null) {
                actions.add(action);
                lines.remove(head.id());
                if (!line.isEmpty()) {
                    turns.add(line);
                }
            } else if (line.refuse(version, Whys.reason(head, view.draft().space()))) {
                verdicts.add(Whys.doesNotFit(head, view.draft().space()));
            }
        }
    }

    private @Nullable Action tryServe(JobView job, View view) {
        Allocation now = placement.place(view.draft().space(), job, Horizon.NOW);
        if (now != null) {
            view.draft().take(job, now);
            return new Action.Start(job.id(), now);
        }
        return job.job().jobClass() == JobClass.TRIAL
                ? new RoomSearch(view, residents(view), placement, job).run(choice)
                : null;
    }

    private Lines linesOf(JobView job) {
        return job.job().jobClass() == JobClass.TRIAL ? trials : batch;
    }

    private Residents residents(View view) {
        Residents current = residents;
        if (current == null) {
            current = new Residents(view.topology(), choice.budget());
            residents = current;
        }
        return current;
    }

    @Override
    public Verdict explain(View view, JobView job) {
        int ahead = linesOf(job).ahead(job.id());
        Verdict alone = Whys.doesNotFit(job, view.space());
        if (ahead == 0) {
            return alone;
        }
        int needed = job.job().demand().minGpus();
        return ahead < 0
                ? Verdict.of(job.id(), Reason.NOT_YET_CONSIDERED, needed, 0)
                : new Verdict(job.id(), Reason.PRIORITY, needed, Whys.mostAvailable(job, view.space()), ahead, -1);
    }
}
