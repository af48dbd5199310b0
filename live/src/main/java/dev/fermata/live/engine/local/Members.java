package dev.fermata.live.engine.local;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Which processes belong to an attempt: those that were started with its run id, those of its ranks' sessions and groups, those in its
 * control group, and whatever they started. The shim and the processes that write the logs are not among them: they
 * share the shim's own session, which no process of the job can enter.
 */
final class Members {
    private static final int KERNEL_THREADS = 2;

    private final RunFolder folder;
    private final String runId;
    private final ControlGroup group;
    /** Seen before; a process that hides afterwards is still known. */
    private final Set<RunFolder.Known> seen = new HashSet<>();

    Members(RunFolder folder, String runId, ControlGroup group) {
        this.folder = folder;
        this.runId = runId;
        this.group = group;
    }

    /** Who is there now. */
    synchronized List<Proc> now() {
        List<Proc> all = Proc.all();
        RunFolder.Known shim = folder.shim();
        Set<Integer> leaders = new HashSet<>();
        for (RunFolder.Known rank : folder.ranks()) {
            Proc leader = Proc.of(rank.pid());
            if (leader != null && leader.start() == rank.start()) {
                leaders.add(rank.pid()); // only then are session and group of this number certainly ours
            }
        }
        Set<Integer> grouped = group.processes();
        Map<Integer, List<Proc>> children = new HashMap<>();
        Set<Proc> found = new LinkedHashSet<>();
        for (Proc proc : all) {
            if (outsider(proc) || (shim != null && proc.session() == shim.pid())) {
                continue;
            }
            children.computeIfAbsent(proc.parent(), p -> new ArrayList<>()).add(proc);
            if (grouped.contains(proc.pid())
                    || leaders.contains(proc.session())
                    || leaders.contains(proc.group())
                    || seen.contains(new RunFolder.Known(proc.pid(), proc.start()))
                    || runId.equals(proc.given(RunIds.VARIABLE))) {
                found.add(proc);
            }
        }
        List<Proc> open = new ArrayList<>(found);
        while (!open.isEmpty()) {
            for (Proc child : children.getOrDefault(open.remove(open.size() - 1).pid(), List.of())) {
                if (found.add(child)) {
                    open.add(child);
                }
            }
        }
        found.forEach(proc -> seen.add(new RunFolder.Known(proc.pid(), proc.start())));
        return List.copyOf(found);
    }

    /** The shim, if it lives, and those that write the logs. */
    List<Proc> attendants() {
        RunFolder.Known shim = folder.shim();
        if (shim == null) {
            return List.of();
        }
        return Proc.all().stream()
                .filter(proc -> proc.session() == shim.pid() && !outsider(proc))
                .filter(proc -> proc.pid() == shim.pid()
                        ? proc.start() == shim.start()
                        : runId.equals(proc.given(RunIds.VARIABLE)))
                .toList();
    }

    private static boolean outsider(Proc proc) {
        return proc.isSelf() || proc.pid() == 1 || proc.pid() == KERNEL_THREADS || proc.parent() == KERNEL_THREADS;
    }

    /**
     * Whom to ask with a signal. If anybody listens to it: the listeners and the shells around them, but nobody below a
     * listener that is no shell (it looks after its own workers, which would die of the signal), and no bystander such as a
     * {@code tee}. If nobody listens: everybody.
     */
    static List<Proc> toAsk(List<Proc> members, Set<Proc> listeners) {
        if (listeners.isEmpty()) {
            return members;
        }
        Map<Integer, Proc> byPid = new HashMap<>();
        members.forEach(proc -> byPid.put(proc.pid(), proc));
        return members.stream()
                .filter(proc -> listeners.contains(proc) || proc.isShell())
                .filter(proc -> !sheltered(proc, byPid, listeners))
                .toList();
    }

    private static boolean sheltered(Proc proc, Map<Integer, Proc> byPid, Set<Proc> listeners) {
        Set<Integer> passed = new HashSet<>();
        Proc above = byPid.get(proc.parent());
        while (above != null && passed.add(above.pid())) {
            if (listeners.contains(above) && !above.isShell()) {
                return true;
            }
            above = byPid.get(above.parent());
        }
        return false;
    }
}
