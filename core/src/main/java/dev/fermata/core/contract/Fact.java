package dev.fermata.core.contract;

import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.QueueRule;
import java.util.List;

/**
 * One line of the history: something the ledger took as true. Measures, reports, replay and audit read these and nothing
 * else, so a simulated run and a live one are judged by the same code.
 */
public sealed interface Fact {
    long jobId();

    record Submitted(Job job) implements Fact {
        @Override
        public long jobId() {
            return job.id();
        }
    }

    /** Refused at the door: it can never run here. */
    record Refused(Job job, Verdict verdict) implements Fact {
        @Override
        public long jobId() {
            return job.id();
        }
    }

    record Started(long jobId, int attempt, Allocation allocation, boolean resumed) implements Fact {}

    record Running(long jobId, int attempt, long paceMicro) implements Fact {}

    /** The attempt now progresses at another pace. */
    record Paced(long jobId, int attempt, long paceMicro) implements Fact {}

    /** Not to be started until released. */
    record Held(long jobId) implements Fact {}

    record Released(long jobId) implements Fact {}

    /** The job is described anew. */
    record Changed(Job job) implements Fact {
        @Override
        public long jobId() {
            return job.id();
        }
    }

    /** These rules hold for the queues from now on. {@code jobId} is -1. */
    record QueuesSet(List<QueueRule> rules) implements Fact {
        public QueuesSet {
            rules = List.copyOf(rules);
        }

        @Override
        public long jobId() {
            return -1;
        }
    }

    /** GPUs are kept for a pending job until those who leave them are gone. */
    record Promised(long jobId, Allocation allocation) implements Fact {}

    /** The promise fell through (its hardware failed, or the job was cancelled). */
    record Unpromised(long jobId) implements Fact {}

    /** Asked to leave for the sake of {@code beneficiary}; gain and cost as the policy estimated them. */
    record Pausing(long jobId, int attempt, long beneficiary, long gainMillis, long costMillis) implements Fact {}

    /**
     * Room could have been made for a waiting job by pausing so many others, and the policy declined: gain and cost as it estimated
     * them. A line when it first declines in a wait, and again, a minute later at the earliest, when they are quite different.
     */
    record Refrained(long jobId, int victims, long gainMillis, long costMillis) implements Fact {
        /** Less than this is the same. */
        private static final long HARDLY_MILLIS = 1000;

        /** Whether gain or cost has doubled or halved. */
        public boolean weighsOtherwiseThan(Refrained before) {
            return unlike(gainMillis, before.gainMillis) || unlike(costMillis, before.costMillis);
        }

        private static boolean unlike(long one, long other) {
            return Math.max(one, other) >= 2 * Math.min(one, other) && Math.abs(one - other) >= HARDLY_MILLIS;
        }
    }

    /** Asked to leave, since it has shown what its kind needs; with that it will be ordered and placed anew. No pause for others. */
    record Profiled(long jobId, int attempt) implements Fact {}

    /** Asked to leave for good: somebody cancelled the job while it was on GPUs. */
    record Cancelling(long jobId, int attempt) implements Fact {}

    /** The attempt left; {@code next} is PENDING when the job is back in the queue, else its final state. */
    record Left(long jobId, int attempt, Outcome outcome, Usage usage, JobState next) implements Fact {}

    /** A job ended without an attempt on GPUs: cancelled while pending. */
    record Ended(long jobId, JobState state) implements Fact {}

    /** A node or a GPU went down or came back; {@code gpusUp} is what is left. {@code jobId} is -1. */
    record Capacity(boolean isNode, int index, boolean up, int gpusUp) implements Fact {
        @Override
        public long jobId() {
            return -1;
        }
    }

    /** The guard did not let an action through: a bug in a policy, kept for whoever hunts it. */
    record Rejected(long jobId, String action, String rule) implements Fact {}
}
