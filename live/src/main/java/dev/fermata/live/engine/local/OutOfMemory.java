package dev.fermata.live.engine.local;

import dev.fermata.live.engine.Shortage;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Whether a program that failed ran out of memory, told by its last words. A program may have mentioned memory all along, tried again
 * with less and failed for another reason in the end: so only the last traceback counts, and of that only what was raised, not the
 * lines of source around it; without a traceback the last few lines.
 */
final class OutOfMemory {
    private static final String TRACEBACK = "Traceback (most recent call last)";
    /** A launcher fails because the process that it started did; why that failed is in the traceback before. */
    private static final String LAUNCHER = "ChildFailedError";

    private static final int LAST_LINES = 5;

    private static final Pattern GPU = Pattern.compile("CUDA out of memory|HIP out of memory|cuda\\.OutOfMemoryError"
            + "|torch\\.OutOfMemoryError|CUDA error: out of memory|CUDA_ERROR_OUT_OF_MEMORY|cudaErrorMemoryAllocation"
            + "|CUBLAS_STATUS_ALLOC_FAILED|CUDNN_STATUS_ALLOC_FAILED|RESOURCE_EXHAUSTED: Out of memory"
            + "|OOM when allocating");
    private static final Pattern HOST = Pattern.compile("^(\\S*\\.)?_?(Array)?MemoryError\\b|std::bad_alloc"
            + "|DefaultCPUAllocator: (can't|not enough)|\\[Errno 12\\] Cannot allocate memory|by allocator cpu");

    private OutOfMemory() {}

    /** @param end the last part of what it printed */
    static Shortage said(String end) {
        List<String> lines = end.lines().filter(line -> !line.isBlank()).toList();
        Shortage found = Shortage.NONE;
        for (String line : raised(lines)) {
            if (HOST.matcher(line).find()) {
                return Shortage.MEMORY; // a GPU framework may name its own allocator beside it
            }
            found = GPU.matcher(line).find() ? Shortage.GPU_MEMORY : found;
        }
        return found;
    }

    private static List<String> raised(List<String> lines) {
        int until = lines.size();
        for (int i = lines.size() - 1; i >= 0; i--) {
            if (lines.get(i).contains(TRACEBACK)) {
                List<String> raised = new ArrayList<>();
                for (String line : lines.subList(i + 1, until)) {
                    if (!Character.isWhitespace(line.charAt(0))) {
                        raised.add(line);
                    }
                }
                if (raised.stream().noneMatch(line -> line.contains(LAUNCHER))) {
                    return raised;
                }
                until = i;
            }
        }
        return lines.subList(Math.max(0, until - LAST_LINES), until);
    }
}
