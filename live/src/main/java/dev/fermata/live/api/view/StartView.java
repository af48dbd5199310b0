package dev.fermata.live.api.view;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * When a waiting job is expected to start, by simulation of the jobs that are there at {@code asOf}.
 *
 * @param p50 by then as likely as not; absent when that cannot be said
 * @param p90 by then nine times out of ten
 * @param scenarios how many futures were simulated
 * @param pauses jobs that would be paused for it, in at least half of the futures in which somebody is
 * @param pauseChance in which share of the futures somebody is
 * @param note why less than everything is said; empty when all is
 */
public record StartView(
        @Nullable Instant p50,
        @Nullable Instant p90,
        Instant asOf,
        int scenarios,
        List<Long> pauses,
        double pauseChance,
        double gainSeconds,
        double costSeconds,
        String note) {}
