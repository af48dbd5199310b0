package dev.fermata.core.contract;

import java.util.List;

/** Runs jobs. It takes orders and answers with events, at any later time. */
public interface Engine {
    void submit(long nowMillis, Order order);

    /** The present state as events; requested once after a restart. */
    List<Event> reconcile();
}
