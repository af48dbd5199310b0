package dev.fermata.cli.output;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

/**
 * Estimates how long runs will take. Policies differ by orders of magnitude, so each is measured by its own time per
 * job, and by that of all policies until it has one. Not thread-safe.
 */
final class TimeLeftEstimate {
    /** A smaller part of a run does not predict the rest. */
    private static final double MIN_SHARE = 0.02;

    /** A run to be made: its policy, and how many jobs it is expected to have. */
    record RunSize(String policy, int jobs) {}

    /** A run under way. */
    record ActiveRun(RunSize work, double share, double seconds) {
        private boolean isSignificant() {
            return share >= MIN_SHARE;
        }
    }

    private record TimeSpent(double seconds, double jobs) {
        static final TimeSpent NONE = new TimeSpent(0, 0);

        TimeSpent plus(double moreSeconds, double moreJobs) {
            return new TimeSpent(seconds + moreSeconds, jobs + moreJobs);
        }

        double perJob() {
            return jobs > 0 ? seconds / jobs : Double.NaN;
        }
    }

    private final Map<String, TimeSpent> byPolicy = new HashMap<>();
    private TimeSpent all = TimeSpent.NONE;

    void record(RunSize work, double seconds) {
        byPolicy.merge(work.policy, TimeSpent.NONE.plus(seconds, work.jobs), (a, b) -> a.plus(b.seconds, b.jobs));
        all = all.plus(seconds, work.jobs);
    }

    /** What a run of the policy takes; infinite as long as none has ended: it may be long. */
    double seconds(RunSize work) {
        TimeSpent own = byPolicy.get(work.policy);
        return own == null ? Double.POSITIVE_INFINITY : own.perJob() * work.jobs;
    }

    /** Seconds until everything is done on this many threads; NaN while nothing is known. */
    double secondsLeft(Collection<RunSize> waiting, Collection<ActiveRun> running, int threads) {
        Map<String, TimeSpent> known = new HashMap<>(byPolicy);
        TimeSpent overall = all;
        for (ActiveRun run : running) {
            if (run.isSignificant()) {
                double jobs = run.share * run.work.jobs;
                known.merge(
                        run.work.policy, TimeSpent.NONE.plus(run.seconds, jobs), (a, b) -> a.plus(b.seconds, b.jobs));
                overall = overall.plus(run.seconds, jobs);
            }
        }
        double sum = 0;
        double longest = 0;
        for (RunSize work : waiting) {
            double seconds = known.getOrDefault(work.policy, overall).perJob() * work.jobs;
            sum += seconds;
            longest = Math.max(longest, seconds);
        }
        for (ActiveRun run : running) {
            double rest = known.getOrDefault(run.work.policy, overall).perJob()
                    * run.work.jobs
                    * (1 - Math.min(1, run.share));
            sum += rest;
            longest = Math.max(longest, rest);
        }
        return Math.max(sum / threads, longest);
    }
}
