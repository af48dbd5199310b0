package dev.fermata.core.contract;

import java.util.List;

/** The result of one scheduling cycle: orders for the engine, records for the history, and when to run the next cycle. */
public record Decision(
        List<Order> orders, List<HistoryRecord> records, List<PendingReason> pendingReasons, long wakeAtMillis) {}
