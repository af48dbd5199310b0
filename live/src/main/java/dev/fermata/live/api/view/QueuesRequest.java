package dev.fermata.live.api.view;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The rules of all queues: they replace those in force. */
public record QueuesRequest(List<QueueRequest> queues) {
    /** One queue; the defaults are guarantee 0, no limit and weight 1. */
    public record QueueRequest(
            String path,
            @Nullable Integer guarantee,
            @Nullable Integer limit,
            @Nullable Double weight) {}
}
