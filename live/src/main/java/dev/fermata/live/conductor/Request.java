package dev.fermata.live.conductor;

import dev.fermata.core.model.QueueRule;
import dev.fermata.live.foresee.ExpectedStart;
import dev.fermata.live.learn.Kind;
import dev.fermata.live.learn.KindNotes;
import dev.fermata.live.spec.JobPatch;
import dev.fermata.live.spec.JobSpec;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Something asked of the conductor, and the future that waits for its answer. */
sealed interface Request {
    CompletableFuture<?> answer();

    record Submit(
            Actor who, List<JobSpec> jobs, @Nullable String key, String digest, CompletableFuture<List<Long>> answer)
            implements Request {}

    /** @param verb what is asked, as the audit trail calls it */
    record OfJob(Actor who, Verb verb, long job, CompletableFuture<Void> answer) implements Request {}

    /** What may be asked of a live job without another word. */
    enum Verb {
        CANCEL,
        HOLD,
        RELEASE
    }

    record Update(Actor who, long job, JobPatch patch, CompletableFuture<Void> answer) implements Request {}

    record Drain(Actor who, int node, boolean drained, CompletableFuture<Void> answer) implements Request {}

    record SetQueues(Actor who, List<QueueRule> rules, CompletableFuture<Void> answer) implements Request {}

    /** Something else is known of kinds of jobs, because a person says so. */
    record Retell(Actor who, String action, Map<Kind, UnaryOperator<KindNotes>> changes, CompletableFuture<Void> answer)
            implements Request {
        /** All that is known of them goes, also of them beside others. */
        static final String FORGET = "forget";

        boolean forgets() {
            return action.equals(FORGET);
        }
    }

    /** A row for the audit trail about something that did not reach the conductor. */
    record Note(Actor who, String action, String target, String result, CompletableFuture<Void> answer)
            implements Request {}

    /** What was expected of these jobs is to be kept, so that it can be held against what happens. */
    record Foresaw(Map<Long, ExpectedStart> starts, CompletableFuture<Void> answer) implements Request {}

    /** A question that only the conductor's thread can answer; it is asked after the cycle is durable, and changes nothing. */
    record Ask<T>(Supplier<T> question, CompletableFuture<T> answer) implements Request {
        void put() {
            try {
                answer.complete(question.get());
            } catch (RuntimeException e) {
                answer.completeExceptionally(e);
            }
        }
    }
}
