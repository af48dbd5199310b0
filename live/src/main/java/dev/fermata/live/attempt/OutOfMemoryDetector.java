package dev.fermata.live.attempt;

import dev.fermata.live.engine.ExhaustedResource;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Decides from the last output of a failed program whether it ran out of memory. A program may mention memory, retry with less
 * and fail for another reason. So only the exception of the last traceback counts; without a traceback, the last few lines.
 */
final class OutOfMemoryDetector {
    private static final String TRACEBACK = "Traceback (most recent call last)";
    /** A launcher fails because a process it started failed; the cause is in the traceback before. */
    private static final String LAUNCHER = "ChildFailedError";

    private static final int LAST_LINES = 5;

    private static final Pattern GPU = Pattern.compile("CUDA out of memory|HIP out of memory|cuda\\.OutOfMemoryError"
            + "|torch\\.OutOfMemoryError|CUDA error: out of memory|CUDA_ERROR_OUT_OF_MEMORY|cudaErrorMemoryAllocation"
            + "|CUBLAS_STATUS_ALLOC_FAILED|CUDNN_STATUS_ALLOC_FAILED|RESOURCE_EXHAUSTED: Out of memory"
            + "|OOM when allocating");
    private static final Pattern HOST = Pattern.compile("^(\\S*\\.)?_?(Array)?MemoryError\\b|std::bad_alloc"
            + "|DefaultCPUAllocator: (can't|not enough)|\\[Errno 12\\] Cannot allocate memory|by allocator cpu");

    private OutOfMemoryDetector() {}

    /** @param end the last part of its output */
    static ExhaustedResource detect(String end) {
        List<String> lines = end.lines().filter(line -> !line.isBlank()).toList();
        ExhaustedResource found = ExhaustedResource.NONE;
        for (String line : raisedLines(lines)) {
            if (HOST.matcher(line).find()) {
                return ExhaustedResource.HOST_MEMORY; // a GPU framework may also name its own allocator
            }
            found = GPU.matcher(line).find() ? ExhaustedResource.GPU_MEMORY : found;
        }
        return found;
    }

    private static List<String> raisedLines(List<String> lines) {
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
