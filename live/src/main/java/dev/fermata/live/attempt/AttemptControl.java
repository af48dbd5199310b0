package dev.fermata.live.attempt;

import org.jspecify.annotations.Nullable;

/** What an engine does to one attempt on request. The accounting decides when; the engine never does. Called from any thread. */
public interface AttemptControl {
    /** The request to exit that the attempt has, null for none. */
    @Nullable
    TerminationRequest terminationRequest();

    /** Whether one of its processes has a handler for the signal to save; launchers that only pass signals on do not count. */
    default boolean handlesSignal() {
        return false;
    }

    /** Signals the attempt now and kills what is left after the grace time. Nothing happens when it has ended. */
    void terminate(TerminationCause cause, long graceMillis);
}
