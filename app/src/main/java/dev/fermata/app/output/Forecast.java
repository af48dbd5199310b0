package dev.fermata.app.output;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

/**
 * How long runs will take, from what others have taken: policies differ by orders of magnitude, so each is measured by its own
 * time per job, and by everybody's as long as it has none. Not thread-safe.
 */
final class Forecast {
    /** Less of a run than this says nothing about the rest of it. */
    private static final double TELLING = 0.02;

    /** A run to be made: its policy, and how many jobs it is expected to have. */
    record Work(String policy, int jobs) {}

    /** A run under way. */
    record Underway(Work work, double share, double seconds) {
        private boolean telling() {
            return share >= TELLING;
        }
    }

    private record Taken(double seconds, double jobs) {
        static final Taken NOTHING = new Taken(0, 0);

        Taken and(double moreSeconds, double moreJobs) {
            return new Taken(seconds + moreSeconds, jobs + moreJobs);
        }

        double perJob() {
            return jobs > 0 ? seconds / jobs : Double.NaN;
        }
    }

    private final Map<String, Taken> byPolicy = new HashMap<>();
    private Taken all = Taken.NOTHING;

    void took(Work work, double seconds) {
        byPolicy.merge(work.policy, Taken.NOTHING.and(seconds, work.jobs), (a, b) -> a.and(b.seconds, b.jobs));
        all = all.and(seconds, work.jobs);
    }

    /** What a run of the policy takes; infinite as long as none has ended: it may be long. */
    double seconds(Work work) {
        Taken own = byPolicy.get(work.policy);
        return own == null ? Double.POSITIVE_INFINITY : own.perJob() * work.jobs;
    }

    /** Seconds until everything is done on so many threads; NaN while nothing is known. */
    double left(Collection<Work> waiting, Collection<Underway> running, int threads) {
        Map<String, Taken> known = new HashMap<>(byPolicy);
        Taken everybody = all;
        for (Underway run : running) {
            if (run.telling()) {
                double jobs = run.share * run.work.jobs;
                known.merge(run.work.policy, Taken.NOTHING.and(run.seconds, jobs), (a, b) -> a.and(b.seconds, b.jobs));
                everybody = everybody.and(run.seconds, jobs);
            }
        }
        double sum = 0;
        double longest = 0;
        for (Work work : waiting) {
            double seconds = known.getOrDefault(work.policy, everybody).perJob() * work.jobs;
            sum += seconds;
            longest = Math.max(longest, seconds);
        }
        for (Underway run : running) {
            double rest = known.getOrDefault(run.work.policy, everybody).perJob()
                    * run.work.jobs
                    * (1 - Math.min(1, run.share));
            sum += rest;
            longest = Math.max(longest, rest);
        }
        return Math.max(sum / threads, longest);
    }
}
