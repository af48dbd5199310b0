package dev.fermata.live.foresee;

import dev.fermata.core.contract.Outlook;
import dev.fermata.core.model.Costs;
import org.jspecify.annotations.Nullable;

/**
 * What is thought of one job: the work it has done, the work it has left (as likely more as less; less than {@code p10Millis} and more
 * than {@code p90Millis} with a chance of one in ten each), what its estimator knows beyond that, and what pausing and loading it takes.
 * Work is in milliseconds on the reference GPU.
 */
public record Guess(
        long doneMillis,
        long remainingMillis,
        long p10Millis,
        long p90Millis,
        @Nullable Outlook outlook,
        Costs costs) {}
