package dev.fermata.core.contract;

import dev.fermata.core.model.Job;
import dev.fermata.core.model.QueueRule;
import java.util.List;

/** News from outside. Run news carries the attempt it is about, so that late news never touches the next attempt. */
public sealed interface Event {

    record Submitted(Job job) implements Event {}

    record CancelAsked(long jobId) implements Event {}

    /** Not to be started until released; an attempt that is on GPUs goes on. */
    record HoldAsked(long jobId) implements Event {}

    record ReleaseAsked(long jobId) implements Event {}

    /**
     * The job is now described so (priority, queue, declared time …). Its id stays, and so does its demand, but for the GPU
     * memory, which may become better known while the job waits.
     */
    record Changed(Job job) implements Event {}

    /** From now on these rules hold for the queues, and no others. */
    record QueuesSet(List<QueueRule> rules) implements Event {
        public QueuesSet {
            rules = List.copyOf(rules);
        }
    }

    /** Loading is over; the attempt makes progress at {@code paceMicro} (see {@link dev.fermata.core.model.Pace}). */
    record Running(long jobId, int attempt, long paceMicro) implements Event {}

    /** The attempt now progresses at another pace, for instance because a neighbour came or went. */
    record PaceChanged(long jobId, int attempt, long paceMicro) implements Event {}

    /** The attempt has shown what its kind needs: it leaves, and is decided upon anew with that knowledge. Nobody is paused for it. */
    record Profiled(long jobId, int attempt) implements Event {}

    /** The attempt is gone and its GPUs are vacated. */
    record Left(long jobId, int attempt, Outcome outcome, Usage usage) implements Event {}

    record NodeDown(int node) implements Event {}

    record NodeUp(int node) implements Event {}

    record GpuDown(int gpu) implements Event {}

    record GpuUp(int gpu) implements Event {}
}
