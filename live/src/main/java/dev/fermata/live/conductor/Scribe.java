package dev.fermata.live.conductor;

import dev.fermata.core.contract.Fact;
import dev.fermata.core.contract.JobState;
import dev.fermata.live.engine.News;
import dev.fermata.live.learn.Learned;
import dev.fermata.live.learn.Measured;
import dev.fermata.live.spec.Mask;
import dev.fermata.live.store.Line;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Turns facts into lines of the history, and into what the rows of jobs and attempts say. */
final class Scribe {
    private static final Logger LOG = LoggerFactory.getLogger(Scribe.class);
    private final Roster roster;
    private final Floor floor;
    private final Reports reports;
    private final Pacing pacing;
    private final FactLines facts;
    /** Who decides: {@code policy}, or {@code shadow} where nothing comes of it. */
    private final String decider;

    /** What it is called, for lines that tell how it weighed. */
    private final String policy;

    private long nextSeq;

    Scribe(
            Roster roster,
            Floor floor,
            Reports reports,
            Pacing pacing,
            FactLines facts,
            String decider,
            String policy,
            long nextSeq) {
        this.roster = roster;
        this.floor = floor;
        this.reports = reports;
        this.pacing = pacing;
        this.facts = facts;
        this.decider = decider;
        this.policy = policy;
        this.nextSeq = nextSeq;
    }

    long lastSeq() {
        return nextSeq - 1;
    }

    void write(Fact fact, Turn turn) {
        Map<String, Object> remarks = remarks(fact, turn);
        int attempt = apply(fact, turn);
        turn.lines.add(new Line(
                nextSeq++,
                turn.nowMillis,
                fact.jobId(),
                attempt,
                actor(fact, turn),
                FactLines.kind(fact),
                facts.body(fact, remarks)));
    }

    /** A line that is no fact of the ledger. */
    void write(Turn.Remark remark, Turn turn) {
        turn.lines.add(new Line(
                nextSeq++,
                turn.nowMillis,
                remark.jobId(),
                0,
                remark.actor(),
                remark.kind(),
                facts.json().write(remark.body())));
    }

    private String actor(Fact fact, Turn turn) {
        if (fact instanceof Fact.Started
                || fact instanceof Fact.Promised
                || fact instanceof Fact.Pausing
                || fact instanceof Fact.Profiled
                || fact instanceof Fact.Refrained
                || fact instanceof Fact.Rejected) {
            return decider;
        }
        if (fact instanceof Fact.Running || fact instanceof Fact.Left) {
            return "engine";
        }
        String asked = turn.actors.get(fact.jobId());
        return asked != null ? asked : fact instanceof Fact.Capacity ? "engine" : "daemon";
    }

    private Map<String, Object> remarks(Fact fact, Turn turn) {
        Map<String, Object> remarks = new LinkedHashMap<>();
        if (fact instanceof Fact.Pausing || fact instanceof Fact.Refrained) {
            remarks.put("policy", policy);
        } else if (fact instanceof Fact.Left left) {
            News.Exit exit = turn.exits.get(left.jobId());
            if (exit != null) {
                remarks.put("exit", exit);
            }
            Measured measured = turn.measured.get(left.jobId());
            if (measured != null) {
                remarks.put("measured", measured);
            }
            Learned learned = turn.learned.get(left.jobId());
            if (learned != null) {
                remarks.put("learned", learned);
            }
            Progress progress = reports.progress(left.jobId());
            if (progress != null && progress.attempt() == left.attempt()) {
                remarks.put("progress", progress);
            }
        }
        return remarks;
    }

    /** Brings rows and counts up to date; answers with the attempt that the fact is about. */
    private int apply(Fact fact, Turn turn) {
        if (fact instanceof Fact.Submitted f) {
            LiveJob job = Objects.requireNonNull(turn.arriving.remove(f.jobId()));
            roster.add(job);
            turn.jobs.add(job);
            turn.arrived = true;
            return 0;
        } else if (fact instanceof Fact.Refused f) {
            LiveJob job = Objects.requireNonNull(turn.arriving.remove(f.jobId()));
            job.enter(JobState.UNSATISFIABLE, turn.nowMillis);
            job.detail = f.verdict().message();
            turn.jobs.add(job);
            return 0;
        } else if (fact instanceof Fact.Capacity f) {
            floor.fault(f);
            return 0;
        } else if (fact instanceof Fact.Rejected f) {
            LOG.warn("the guard refused {} of job {}: {}", f.action(), f.jobId(), f.rule());
            return 0;
        } else if (fact instanceof Fact.Refrained f) {
            return Objects.requireNonNull(roster.find(f.jobId())).attempt; // nothing of its row has changed
        }
        LiveJob job = roster.find(fact.jobId());
        if (job == null) {
            return 0; // about the cluster, or about a job that has just ended
        }
        roster.change(job, j -> apply(fact, j, turn));
        turn.jobs.add(job);
        return job.attempt;
    }

    private void apply(Fact fact, LiveJob job, Turn turn) {
        long now = turn.nowMillis;
        if (fact instanceof Fact.Started f) {
            job.enter(JobState.STARTING, now);
            job.attempt = f.attempt();
            job.firstStartMillis = job.firstStartMillis < 0 ? now : job.firstStartMillis;
            job.run = new LiveRun(job.id, f.attempt(), f.allocation(), now);
            turn.runs.add(job.run);
            floor.seat(job.id, f.allocation());
            reports.begin(job.id, f.attempt(), Mask.of(job.spec));
            reports.beside(job.id, f.attempt(), List.of(), now);
            noteCompany(job, job.run, now);
        } else if (fact instanceof Fact.Running) {
            job.enter(JobState.RUNNING, now);
            LiveRun run = run(job, turn);
            run.runningMillis = now;
            pacing.changed(run);
        } else if (fact instanceof Fact.Promised f) {
            floor.promise(job.id, f.allocation());
        } else if (fact instanceof Fact.Unpromised) {
            floor.unpromise(job.id);
        } else if (fact instanceof Fact.Pausing f) {
            job.enter(JobState.PAUSING, now);
            LiveRun run = run(job, turn);
            run.pausing(f, now);
            pacing.changed(run);
            job.preemptions += f.beneficiary() == job.id ? 0 : 1;
        } else if (fact instanceof Fact.Profiled) {
            job.enter(JobState.PAUSING, now);
            run(job, turn).profiled(now);
        } else if (fact instanceof Fact.Cancelling) {
            job.enter(JobState.PAUSING, now);
            LiveRun run = run(job, turn);
            run.pausingMillis = run.pausingMillis < 0 ? now : run.pausingMillis;
            pacing.changed(run);
        } else if (fact instanceof Fact.Left f) {
            left(f, job, turn);
        } else if (fact instanceof Fact.Ended f) {
            reports.forget(job.id);
            job.enter(f.state(), now);
        } else if (fact instanceof Fact.Held) {
            job.onHold = true;
        } else if (fact instanceof Fact.Released) {
            job.onHold = false;
        } else if (fact instanceof Fact.Changed) {
            job.change(turn.described.getOrDefault(job.id, job.spec));
        }
    }

    /** Whoever shares a GPU with this job has company from now on, and so has it. */
    private void noteCompany(LiveJob newcomer, LiveRun run, long nowMillis) {
        for (long id : floor.company(newcomer.id, run.allocation)) {
            LiveJob other = roster.find(id);
            if (other != null && other.run != null) {
                pacing.meet(run, other.run, nowMillis);
            }
        }
    }

    private void left(Fact.Left fact, LiveJob job, Turn turn) {
        News.Exit exit = turn.exits.get(job.id);
        LiveRun run = run(job, turn);
        floor.unseat(job.id, run.allocation);
        pacing.changed(run);
        Measured measured = turn.measured.get(job.id);
        reports.end(job.id);
        if (fact.next().isFinal()) {
            reports.forget(job.id);
        }
        long ended = fact.next().isFinal() ? ended(exit, job, turn.nowMillis) : turn.nowMillis;
        run.left(fact, exit, measured == null ? "" : facts.json().write(measured), ended);
        job.enter(fact.next(), ended);
        job.runMillis += run.unseenRunMillis(fact.usage(), ended);
        turn.arrived |= fact.next() == JobState.PENDING;
        job.exitCode = exit == null ? null : exit.code();
        job.detail = exit == null ? "" : exit.detail();
    }

    /** When it ended: what happened while no daemon was there did not happen when the next one came. */
    private static long ended(News.@Nullable Exit exit, LiveJob job, long nowMillis) {
        return exit == null || exit.endedMillis() < 0
                ? nowMillis
                : Math.min(nowMillis, Math.max(job.sinceMillis, exit.endedMillis()));
    }

    private static LiveRun run(LiveJob job, Turn turn) {
        LiveRun run = Objects.requireNonNull(job.run);
        turn.runs.add(run);
        return run;
    }
}
