package dev.fermata.live.loop;

/** Is notified by a scheduler loop on its thread: every method returns at once. */
public interface LoopListener {
    /** A job entered the queue, and the cycle is durable. */
    void jobsArrived();

    /** The loop was closed. */
    void closed();
}
