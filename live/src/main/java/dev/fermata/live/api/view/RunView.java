package dev.fermata.live.api.view;

import dev.fermata.core.contract.Outcome;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One attempt of a job. Times are absent until they happen, {@code outcome} while it lives. */
public record RunView(
        String run,
        int attempt,
        List<Integer> gpuIds,
        Instant started,
        @Nullable Instant running,
        @Nullable Instant pausing,
        @Nullable Instant left,
        @Nullable Outcome outcome,
        @Nullable Integer exitCode,
        int signal,
        String detail,
        double loadSeconds,
        double usefulSeconds,
        double lostSeconds,
        double pauseSeconds,
        double savedWorkSeconds,
        @Nullable Long beneficiary,
        @Nullable Double gainSeconds,
        @Nullable Double costSeconds) {}
