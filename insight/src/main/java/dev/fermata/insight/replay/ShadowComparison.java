package dev.fermata.insight.replay;

import dev.fermata.core.contract.Count;
import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.measure.JobResult;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.history.ObservedJob;
import dev.fermata.insight.exit.UserError;
import dev.fermata.insight.experiment.MeasuredRun;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * What another scheduler did with its jobs, and what Fermata would have done with them. Fermata decided when they came, without
 * knowing how long they run. The simulator decides again, with the run times that were seen.
 *
 * @param runs the other scheduler; Fermata, in the simulator; Fermata without any pause
 * @param unknown what this comparison does not know, one sentence each
 */
public record ShadowComparison(
        String policy,
        long fromMillis,
        JobCounts jobs,
        List<MeasuredRun> runs,
        LiveDecisions live,
        List<String> unknown) {
    /**
     * @param seen in all
     * @param measured those that were submitted and ended on their own while they were observed
     */
    public record JobCounts(int seen, int measured) {}

    /**
     * What was decided in shadow mode.
     *
     * @param earlier of the jobs that both started, those that Fermata decided to start more than a minute earlier
     */
    public record LiveDecisions(int started, int earlier, int later, int preemptions) {}

    private static final long SAME_MILLIS = 60_000;

    /** @param stop whether the user has interrupted it */
    public static ShadowComparison of(RecordedHistory shadow, BooleanSupplier stop) {
        if (shadow.observed().isEmpty()) {
            throw UserError.invalid("no job of another scheduler was observed. Run 'fermata up --shadow --engine slurm'"
                    + " next to it for a day, then this again");
        }
        ObservedHistory pausing = new ObservedHistory(shadow, true);
        if (pausing.measured().isEmpty()) {
            throw UserError.invalid(
                    "no job was submitted and ended while it was observed; there is nothing to compare yet");
        }
        PolicySpec policy = PolicySpec.parse(shadow.policy());
        ReplayRunner withPauses = runner(shadow, pausing, policy, stop);
        ReplayRunner withoutPauses = runner(shadow, new ObservedHistory(shadow, false), policy, stop);
        List<MeasuredRun> runs = new ArrayList<>();
        runs.add(withPauses.recorded(ReplayRunner.recordedPolicy(policy)));
        for (ReplayRunner runner : List.of(withPauses, withoutPauses)) {
            Optional<MeasuredRun> run = runner.replay(policy, ReplayEstimator.LIVE, () -> {});
            runs.add(run.orElseThrow(() -> UserError.interrupted("interrupted; nothing is shown")));
        }
        return new ShadowComparison(
                policy.text(),
                shadow.entries().isEmpty() ? 0 : shadow.entries().get(0).atMillis(),
                new JobCounts(pausing.jobs().size(), pausing.measured().size()),
                runs,
                live(shadow),
                unknown(shadow, pausing));
    }

    private static ReplayRunner runner(
            RecordedHistory shadow, ObservedHistory observed, PolicySpec policy, BooleanSupplier stop) {
        ReplayWindow window = ReplayWindow.of(observed.history(shadow), Long.MIN_VALUE, Long.MAX_VALUE);
        List<RecordedEntry> counted = window.recorded().stream()
                .filter(entry -> entry.record().jobId() < 0
                        || observed.measured().contains(entry.record().jobId()))
                .toList();
        return new ReplayRunner(
                window.measuringOnly(observed.measured()).withRecorded(counted),
                List.of(policy),
                Optional.empty(),
                stop);
    }

    /**
     * The jobs that completed in both runs, by how much longer they wait than they did.
     *
     * @param run index of {@link #runs}
     */
    public WaitChanges waitChanges(int run) {
        Map<Long, Long> waits = new HashMap<>();
        for (JobResult job : runs.get(0).result().jobs()) {
            if (job.state() == JobState.COMPLETED) {
                waits.put(job.id(), job.waitMillis());
            }
        }
        int shorter = 0;
        int longer = 0;
        for (JobResult job : runs.get(run).result().jobs()) {
            Long before = waits.get(job.id());
            if (before != null && job.state() == JobState.COMPLETED) {
                shorter += job.waitMillis() < before - SAME_MILLIS ? 1 : 0;
                longer += job.waitMillis() > before + SAME_MILLIS ? 1 : 0;
            }
        }
        return new WaitChanges(shorter, longer);
    }

    /** Jobs that wait more than a minute less, or more, than they did. */
    public record WaitChanges(int shorter, int longer) {}

    private static LiveDecisions live(RecordedHistory shadow) {
        Map<Long, ObservedJob> byShadow = new HashMap<>();
        shadow.observed().stream()
                .filter(seen -> seen.shadow() >= 0)
                .forEach(seen -> byShadow.put(seen.shadow(), seen.job()));
        Map<Long, Long> started = new HashMap<>();
        int preemptions = 0;
        for (RecordedEntry entry : shadow.entries()) {
            if (entry.record() instanceof HistoryRecord.Started
                    && byShadow.containsKey(entry.record().jobId())) {
                started.putIfAbsent(entry.record().jobId(), entry.atMillis());
            } else if (entry.record() instanceof HistoryRecord.Preempting) {
                preemptions++;
            }
        }
        int earlier = 0;
        int later = 0;
        for (Map.Entry<Long, Long> start : started.entrySet()) {
            ObservedJob job = byShadow.get(start.getKey());
            if (job != null && job.hasStarted()) {
                earlier += start.getValue() < job.run().startedMillis() - SAME_MILLIS ? 1 : 0;
                later += start.getValue() > job.run().startedMillis() + SAME_MILLIS ? 1 : 0;
            }
        }
        return new LiveDecisions(started.size(), earlier, later, preemptions);
    }

    private static List<String> unknown(RecordedHistory shadow, ObservedHistory observed) {
        List<String> unknown = new ArrayList<>();
        count(
                observed.jobs().values().stream().filter(job -> !job.hasEnded()).count(),
                "not ended yet: each takes part as if it ran as long again, or to its time limit, and is not compared",
                unknown);
        count(observed.earlierJobs(), "there before shadow mode began: each takes part and is not compared", unknown);
        count(
                observed.jobs().values().stream()
                        .filter(job -> job.run().result() == ObservedJob.Result.CANCELLED
                                || job.run().result() == ObservedJob.Result.UNKNOWN)
                        .count(),
                "cancelled, or gone between two looks: each ends at that time in every run, and is not compared",
                unknown);
        unknown.add(
                "What a pause costs is assumed: 5 s to save, 10 s to load. Jobs that the other scheduler may requeue are"
                        + " assumed to save their work. The row without pauses assumes none of that.");
        unknown.add("Limits, reservations, licences, partitions and node features of the other scheduler are not known"
                + " here: part of its waits may come from them.");
        Topology topology = shadow.cluster().topology();
        if (topology.types().size() > 1) {
            unknown.add("On another GPU type a job is assumed to run as much faster or slower as the type is.");
        }
        return unknown;
    }

    private static void count(long jobs, String what, List<String> unknown) {
        if (jobs > 0) {
            unknown.add(Count.of(jobs, "job") + " " + what + ".");
        }
    }
}
