package dev.fermata.engine.local;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The processes of an attempt: those with its run id, those in its ranks' sessions and groups, those in its control group, and
 * their descendants. The shim and the log writers are not among them: they share the shim's session, which no process of the
 * job can enter.
 */
final class AttemptMembers {
    private static final int KERNEL_THREADS = 2;

    private final AttemptFolder folder;
    private final String marker;
    private final ControlGroup group;
    /** Seen before; a process that hides later is still known. */
    private final Set<AttemptFolder.ProcessRef> seen = new HashSet<>();

    AttemptMembers(AttemptFolder folder, String marker, ControlGroup group) {
        this.folder = folder;
        this.marker = marker;
        this.group = group;
    }

    /** The members now. */
    synchronized List<Proc> list() {
        List<Proc> all = Proc.listAll();
        AttemptFolder.ProcessRef shim = folder.shim();
        Set<Integer> leaders = new HashSet<>();
        for (AttemptFolder.ProcessRef rank : folder.ranks()) {
            Proc leader = Proc.find(rank.pid());
            if (leader != null && leader.start() == rank.start()) {
                leaders.add(rank.pid()); // only then are session and group of this number the attempt's
            }
        }
        Set<Integer> grouped = group.processes();
        Map<Integer, List<Proc>> children = new HashMap<>();
        Set<Proc> found = new LinkedHashSet<>();
        for (Proc proc : all) {
            if (isExcluded(proc) || (shim != null && proc.session() == shim.pid())) {
                continue;
            }
            children.computeIfAbsent(proc.parent(), p -> new ArrayList<>()).add(proc);
            if (grouped.contains(proc.pid())
                    || leaders.contains(proc.session())
                    || leaders.contains(proc.group())
                    || seen.contains(new AttemptFolder.ProcessRef(proc.pid(), proc.start()))
                    || marker.equals(AttemptMarkers.of(proc))) {
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
        found.forEach(proc -> seen.add(new AttemptFolder.ProcessRef(proc.pid(), proc.start())));
        return List.copyOf(found);
    }

    /** The shim, if it is alive, and the log writers. */
    List<Proc> shimProcesses() {
        AttemptFolder.ProcessRef shim = folder.shim();
        if (shim == null) {
            return List.of();
        }
        return Proc.listAll().stream()
                .filter(proc -> proc.session() == shim.pid() && !isExcluded(proc))
                .filter(proc -> proc.pid() == shim.pid()
                        ? proc.start() == shim.start()
                        : marker.equals(AttemptMarkers.of(proc)))
                .toList();
    }

    private static boolean isExcluded(Proc proc) {
        return proc.isSelf() || proc.pid() == 1 || proc.pid() == KERNEL_THREADS || proc.parent() == KERNEL_THREADS;
    }

    /**
     * The processes to signal. If any process handles the signal: the handlers and the shells around them. Processes below a
     * handler that is no shell get none, since it manages its own workers, and neither do others such as {@code tee}. If no
     * process handles it: all.
     */
    static List<Proc> signalTargets(List<Proc> members, Set<Proc> listeners) {
        if (listeners.isEmpty()) {
            return members;
        }
        Map<Integer, Proc> byPid = new HashMap<>();
        members.forEach(proc -> byPid.put(proc.pid(), proc));
        return members.stream()
                .filter(proc -> listeners.contains(proc) || proc.isShell())
                .filter(proc -> !isBelowListener(proc, byPid, listeners))
                .toList();
    }

    private static boolean isBelowListener(Proc proc, Map<Integer, Proc> byPid, Set<Proc> listeners) {
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
