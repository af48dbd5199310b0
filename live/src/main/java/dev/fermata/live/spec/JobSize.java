package dev.fermata.live.spec;

import java.util.Map;

/** How many bytes a job needs in the store and in memory, roughly. A budget, not an account: it counts what a user can make large. */
public final class JobSize {
    /** What every job has. */
    private static final int JOB = 1024;

    private static final int DEPENDENCY = 64;

    private JobSize() {}

    public static long bytes(JobSpec spec) {
        long bytes = (long) JOB + spec.run().length() + spec.workdir().length();
        for (Map.Entry<String, String> variable : spec.env().entrySet()) {
            bytes += variable.getKey().length() + variable.getValue().length();
        }
        for (String text : spec.command().secrets()) {
            bytes += text.length();
        }
        for (String text : spec.accelerators()) {
            bytes += text.length();
        }
        return bytes + (long) DEPENDENCY * spec.dependencies().size();
    }
}
