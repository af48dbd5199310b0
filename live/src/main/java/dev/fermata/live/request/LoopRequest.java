package dev.fermata.live.request;

import dev.fermata.core.model.QueueRule;
import dev.fermata.history.ObservedJob;
import dev.fermata.live.prediction.StartPrediction;
import dev.fermata.live.profile.ProfileKey;
import dev.fermata.live.profile.ProfileSamples;
import dev.fermata.live.spec.JobPatch;
import dev.fermata.live.spec.JobSpec;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A request to the scheduler loop, with the future that receives its answer. */
public sealed interface LoopRequest {
    /** One constant for each type of request: a switch over it that forgets one does not compile. */
    enum Type {
        SUBMIT_JOBS,
        JOB_REQUEST,
        UPDATE_JOB,
        DRAIN_NODE,
        SET_QUEUES,
        UPDATE_PROFILES,
        RECORD_AUDIT,
        RECORD_PREDICTIONS,
        RECORD_OBSERVED,
        LOOP_QUERY
    }

    Type type();

    CompletableFuture<?> answer();

    record SubmitJobs(
            Actor actor, List<JobSpec> jobs, @Nullable String key, String digest, CompletableFuture<List<Long>> answer)
            implements LoopRequest {
        @Override
        public Type type() {
            return Type.SUBMIT_JOBS;
        }
    }

    record JobRequest(Actor actor, JobAction action, long job, CompletableFuture<Void> answer) implements LoopRequest {
        @Override
        public Type type() {
            return Type.JOB_REQUEST;
        }
    }

    /** Actions on a live job that take no parameters. */
    enum JobAction {
        CANCEL,
        HOLD,
        RELEASE,
        SUSPEND,
        RESUME
    }

    record UpdateJob(Actor actor, long job, JobPatch patch, CompletableFuture<Void> answer) implements LoopRequest {
        @Override
        public Type type() {
            return Type.UPDATE_JOB;
        }
    }

    record DrainNode(Actor actor, int node, boolean drained, String reason, CompletableFuture<Void> answer)
            implements LoopRequest {
        @Override
        public Type type() {
            return Type.DRAIN_NODE;
        }
    }

    record SetQueues(Actor actor, List<QueueRule> rules, CompletableFuture<Void> answer) implements LoopRequest {
        @Override
        public Type type() {
            return Type.SET_QUEUES;
        }
    }

    /**
     * A person changes learned profiles.
     *
     * @param action as the audit trail names it
     */
    record UpdateProfiles(
            Actor actor,
            String action,
            Map<ProfileKey, UnaryOperator<ProfileSamples>> changes,
            CompletableFuture<Void> answer)
            implements LoopRequest {
        /** Forgets the profiles and their co-run measurements. */
        static final String FORGET = "forget";

        public boolean isForget() {
            return action.equals(FORGET);
        }

        @Override
        public Type type() {
            return Type.UPDATE_PROFILES;
        }
    }

    /** Adds a row to the audit trail about a request that never reached the loop. */
    record RecordAudit(Actor actor, String action, String target, String result, CompletableFuture<Void> answer)
            implements LoopRequest {
        @Override
        public Type type() {
            return Type.RECORD_AUDIT;
        }
    }

    /** Adds predicted starts to the history, so that they can be compared with the actual starts. */
    record RecordPredictions(Map<Long, StartPrediction> starts, CompletableFuture<Void> answer) implements LoopRequest {
        @Override
        public Type type() {
            return Type.RECORD_PREDICTIONS;
        }
    }

    /**
     * Adds what was seen of a job of another scheduler to the history.
     *
     * @param shadow the job here that stands for it, -1 for none
     */
    record RecordObserved(long shadow, ObservedJob job, CompletableFuture<Void> answer) implements LoopRequest {
        @Override
        public Type type() {
            return Type.RECORD_OBSERVED;
        }
    }

    /** A query for the loop's thread. It runs after the cycle is durable and changes nothing. */
    record LoopQuery<T>(Supplier<T> query, CompletableFuture<T> answer) implements LoopRequest {
        @Override
        public Type type() {
            return Type.LOOP_QUERY;
        }

        public void run() {
            try {
                answer.complete(query.get());
            } catch (RuntimeException e) {
                answer.completeExceptionally(e);
            }
        }
    }
}
