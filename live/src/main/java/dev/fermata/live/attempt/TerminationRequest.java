package dev.fermata.live.attempt;

/**
 * A request to exit, as the engine carried it out.
 *
 * @param requestedMillis when the attempt was signalled
 * @param deadlineMillis when the rest of it is killed
 * @param signalHandled whether a process of the attempt handled the signal
 */
public record TerminationRequest(
        TerminationCause cause, long requestedMillis, long deadlineMillis, boolean signalHandled) {}
