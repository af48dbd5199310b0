package dev.fermata.live.api.view;

import dev.fermata.core.contract.JobState;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Why a job is where it is. {@code expectedStart} and {@code position} are absent when it does not wait.
 *
 * @param preemptions the latest decisions to pause it, to pause others for it, or not to; newest first
 */
public record ExplainView(
        long job,
        JobState state,
        String reason,
        String message,
        Map<String, Object> evidence,
        String unblockedBy,
        @Nullable StartView expectedStart,
        @Nullable Integer position,
        List<PreemptionView> preemptions) {}
