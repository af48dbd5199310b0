package dev.fermata.live.api.view;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The rules for all queues: they replace those in force. */
public record QueuesRequest(List<Rule> queues) {
    /** One queue; absent are a guarantee of 0, no limit and weight 1. */
    public record Rule(
            String path,
            @Nullable Integer guarantee,
            @Nullable Integer limit,
            @Nullable Double weight) {}
}
