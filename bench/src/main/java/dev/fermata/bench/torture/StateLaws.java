package dev.fermata.bench.torture;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.model.Dependency;
import dev.fermata.live.loop.SchedulerLoop;
import dev.fermata.live.loop.SchedulingCycle;
import dev.fermata.live.spec.SpecJson;
import dev.fermata.live.state.LiveJob;
import dev.fermata.live.store.AttemptRow;
import dev.fermata.live.store.JobRow;
import dev.fermata.live.store.SubmissionRow;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

/** Compares, after every step, the scheduler, the projections, the durable rows and the engine's own books. */
final class StateLaws {
    /** Reasons are words: to make all of them takes longer than everything else. */
    private static final int REASONS_EVERY = 8;

    private final DurableRows rows;
    private final SimulatedSite site;
    private final HistoryLaws history;
    private final Clients clients;
    private int checks;

    StateLaws(DurableRows rows, SimulatedSite site, HistoryLaws history, Clients clients) {
        this.rows = rows;
        this.site = site;
        this.history = history;
        this.clients = clients;
    }

    void check(SchedulerLoop loop) {
        if (loop.isCommitPending()) {
            return; // the state is ahead of the rows
        }
        checks++;
        history.checkProgress();
        SchedulingCycle cycle = loop.cycle();
        Set<Long> scheduled = new TreeSet<>();
        for (JobView job : cycle.scheduler.jobs()) {
            scheduled.add(job.id());
            LiveJob projected = cycle.liveJobs.find(job.id());
            BrokenLaw.require(projected != null, "every job has its projection", () -> job.id());
            checkJob(cycle, job, Objects.requireNonNull(projected));
        }
        Set<Long> stored = new TreeSet<>();
        rows.liveJobs().forEach(row -> stored.add(row.id()));
        BrokenLaw.require(
                scheduled.equals(stored),
                "rows agree with the scheduler",
                () -> "jobs " + scheduled + ", rows " + stored);
        BrokenLaw.require(
                stored.equals(new TreeSet<>(history.liveJobs())),
                "rows agree with the history",
                () -> "rows " + stored + ", history " + history.liveJobs());
        BrokenLaw.require(
                loop.status().gpus().equals(cycle.occupancy.gpuStates()),
                "published GPUs are those of the scheduler",
                () -> loop.status().gpus());
        site.liveAttempts().forEach(attempt -> checkHeld(attempt));
    }

    private void checkJob(SchedulingCycle cycle, JobView job, LiveJob projected) {
        JobRow row = rows.job(job.id()).orElse(null);
        BrokenLaw.require(
                projected.row().equals(row),
                "rows agree with the scheduler",
                () -> projected.row() + "\n  stored " + row);
        BrokenLaw.require(job.state() == projected.state(), "rows agree with the scheduler", () -> projected.row());
        if (job.state() == JobState.PENDING && checks % REASONS_EVERY == 0) {
            BrokenLaw.require(
                    cycle.scheduler.explain(job.id()) != null, "every pending job has a reason", () -> projected.row());
        }
        if (job.state().holdsGpus()) {
            AttemptRow attempt = Objects.requireNonNull(projected.liveAttempt).row();
            AttemptRow found = rows.latestAttempt(job.id()).orElse(null);
            BrokenLaw.require(
                    attempt.equals(found),
                    "rows of attempts agree with the scheduler",
                    () -> attempt + "\n  stored " + found);
        }
    }

    /** What runs at the site is known to the daemon, so its GPUs are not given to another. */
    private void checkHeld(SimulatedAttempt attempt) {
        boolean held = rows.job(attempt.jobId)
                .filter(row -> row.state().holdsGpus() && row.attempt() == attempt.attempt)
                .isPresent();
        BrokenLaw.require(
                held || site.isGivenUp(attempt),
                "whatever runs holds its GPUs in the scheduler",
                () -> attempt.name() + " runs, but " + rows.job(attempt.jobId));
    }

    /** When everything has ended. */
    void checkEnd() {
        Set<Long> submitted = new HashSet<>();
        for (SubmissionRow row : rows.submissions()) {
            for (long id = row.firstJob(); id < row.firstJob() + row.jobs(); id++) {
                BrokenLaw.require(submitted.add(id), "a job belongs to one submission", () -> row);
                BrokenLaw.require(history.isKnown(id), "nothing accepted is lost", () -> row);
            }
        }
        BrokenLaw.require(
                submitted.size() == rows.jobs().size(),
                "no job appears from nowhere",
                () -> submitted + " " + rows.jobs());
        for (Clients.Submission one : clients.submissions()) {
            List<SubmissionRow> stored = rows.submissions().stream()
                    .filter(row -> row.key().equals(one.key))
                    .toList();
            BrokenLaw.require(
                    one.ids.isEmpty() == stored.isEmpty(),
                    one.ids.isEmpty() ? "what was rejected is not accepted" : "nothing accepted is lost",
                    () -> one.key + " " + one.ids + " " + one.rejection + stored);
            BrokenLaw.require(
                    one.ids.isEmpty()
                            || (stored.get(0).firstJob() == one.ids.get(0)
                                    && stored.get(0).jobs() == one.ids.size()),
                    "the same key gets the same jobs",
                    () -> one.key + " " + one.ids + stored);
        }
        rows.jobs().forEach(this::checkEnded);
        BrokenLaw.require(site.liveAttempts().isEmpty(), "nothing is left running", () -> site.liveAttempts());
        BrokenLaw.require(site.suspended().isEmpty(), "nothing is left suspended", () -> site.suspended());
    }

    private void checkEnded(JobRow row) {
        BrokenLaw.require(row.state().isFinal(), "everything feasible ends", () -> row);
        BrokenLaw.require(
                row.state() != JobState.COMPLETED || site.hasCompleted(row.id()),
                "a job completes only where it has completed",
                () -> row);
        BrokenLaw.require(
                row.state() == JobState.COMPLETED
                        || !site.hasCompleted(row.id())
                        || clients.cancelled().contains(row.id()),
                "what has completed is completed",
                () -> row);
        boolean givenUp = !SpecJson.read(row.spec()).dependencies().isEmpty()
                || SpecJson.read(row.spec()).preempt().onPreempt().equals("cancel")
                || row.detail().contains("this cluster has changed");
        BrokenLaw.require(
                row.state() != JobState.CANCELLED
                        || givenUp
                        || clients.cancelRequested().contains(row.id()),
                "only what is cancelled ends as cancelled",
                () -> row);
        BrokenLaw.require(
                row.state() != JobState.FAILED
                        || site.hasFailed(row.id())
                        || row.detail().contains("could not be started"),
                "only what fails ends as failed",
                () -> row);
        for (Dependency dependency : SpecJson.read(row.spec()).dependencies()) {
            JobState end = rows.job(dependency.jobId()).orElseThrow().state();
            BrokenLaw.require(
                    row.attempt() == 0 || dependency.condition().isMetBy(end == JobState.COMPLETED),
                    "a job starts only when its dependencies are met",
                    () -> row + " after " + dependency + ", which ended as " + end);
        }
        for (AttemptRow attempt : rows.attempts(row.id())) {
            BrokenLaw.require(
                    !attempt.outcome().isEmpty() && attempt.endedMillis() >= attempt.startedMillis(),
                    "every attempt has its end",
                    () -> attempt);
        }
        BrokenLaw.require(
                rows.attempts(row.id()).size() == row.attempt(),
                "every attempt has its row",
                () -> row + " " + rows.attempts(row.id()));
    }
}
