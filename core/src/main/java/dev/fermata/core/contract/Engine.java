package dev.fermata.core.contract;

import java.util.List;

/** The outside that runs jobs. It takes commands and answers, sooner or later, with events. */
public interface Engine {
    void submit(long nowMillis, Command command);

    /** What is true outside right now, told as events: asked once after a restart. */
    List<Event> reconcile();
}
