package dev.fermata.engine.local;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Maps processes to attempts: determined once per process, by its environment or that of its ancestors. */
final class ProcessOwners {
    private static final int MAX_KNOWN = 4096;
    private static final int MAX_DEPTH = 64;
    private static final String NO_OWNER = "";

    private record CachedOwner(long start, String marker) {}

    private final String prefix;
    private final Map<Integer, CachedOwner> known = new HashMap<>();

    ProcessOwners(AttemptMarkers markers) {
        this.prefix = markers.prefix();
    }

    /** Its run id, null when it belongs to no attempt. */
    @Nullable
    String markerOf(int pid) {
        Proc proc = Proc.find(pid);
        if (proc == null) {
            return null;
        }
        CachedOwner owned = known.get(pid);
        if (owned == null || owned.start() != proc.start()) {
            if (known.size() >= MAX_KNOWN) {
                known.clear();
            }
            owned = new CachedOwner(proc.start(), find(proc));
            known.put(pid, owned);
        }
        return owned.marker().equals(NO_OWNER) ? null : owned.marker();
    }

    private String find(Proc proc) {
        @Nullable Proc at = proc;
        for (int i = 0; at != null && i < MAX_DEPTH; i++) {
            String run = AttemptMarkers.of(at);
            if (run != null && run.startsWith(prefix)) {
                return run;
            }
            at = at.parent() > 1 ? Proc.find(at.parent()) : null;
        }
        return NO_OWNER;
    }
}
