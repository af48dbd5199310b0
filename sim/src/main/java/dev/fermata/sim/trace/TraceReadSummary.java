package dev.fermata.sim.trace;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Counts of what was read, kept and dropped.
 *
 * @param read records that are jobs, kept or not; blank rows and malformed records are none
 * @param multiAttemptJobs jobs kept whose run time is the sum of several attempts
 * @param firstMalformed the error of the first of them, empty when there is none
 */
public record TraceReadSummary(
        long read,
        Map<DropReason, Long> dropped,
        long multiAttemptJobs,
        long blankRows,
        long malformed,
        String firstMalformed) {
    public TraceReadSummary {
        dropped = Map.copyOf(dropped);
    }

    public long kept() {
        return read - dropped.values().stream().mapToLong(n -> n).sum();
    }

    /** Such as "8,152 jobs read, 6,203 kept; dropped: 1,088 without a GPU, 861 that never ran". */
    public String describe() {
        List<String> parts = new ArrayList<>();
        for (DropReason drop : DropReason.values()) {
            if (dropped.containsKey(drop)) {
                parts.add(count(dropped.getOrDefault(drop, 0L)) + " " + drop.label());
            }
        }
        if (blankRows > 0) {
            parts.add(count(blankRows) + (blankRows == 1 ? " blank row" : " blank rows"));
        }
        return count(read)
                + (read == 1 ? " job read" : " jobs read")
                + (kept() == read ? "" : ", " + count(kept()) + " kept")
                + (parts.isEmpty() ? "" : "; dropped: " + String.join(", ", parts))
                + (multiAttemptJobs == 0 ? "" : "; " + count(multiAttemptJobs) + " ran in several attempts");
    }

    private static String count(long value) {
        return String.format(Locale.ROOT, "%,d", value);
    }
}
