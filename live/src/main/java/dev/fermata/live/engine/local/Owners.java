package dev.fermata.live.engine.local;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Which run a process belongs to: found out once for each process, by its environment or that of those who started it. */
final class Owners {
    private static final int MOST_KNOWN = 4096;
    private static final int DEEPEST = 64;
    private static final String NOBODY = "";

    private record Owned(long start, String run) {}

    private final String prefix;
    private final Map<Integer, Owned> known = new HashMap<>();

    Owners(RunIds ids) {
        this.prefix = ids.prefix();
    }

    /** The id of its run, null when it belongs to none of ours. */
    @Nullable
    String runOf(int pid) {
        Proc proc = Proc.of(pid);
        if (proc == null) {
            return null;
        }
        Owned owned = known.get(pid);
        if (owned == null || owned.start() != proc.start()) {
            if (known.size() >= MOST_KNOWN) {
                known.clear();
            }
            owned = new Owned(proc.start(), find(proc));
            known.put(pid, owned);
        }
        return owned.run().equals(NOBODY) ? null : owned.run();
    }

    private String find(Proc proc) {
        @Nullable Proc at = proc;
        for (int i = 0; at != null && i < DEEPEST; i++) {
            String run = at.given(RunIds.VARIABLE);
            if (run != null && run.startsWith(prefix)) {
                return run;
            }
            at = at.parent() > 1 ? Proc.of(at.parent()) : null;
        }
        return NOBODY;
    }
}
