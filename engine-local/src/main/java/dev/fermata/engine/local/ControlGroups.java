package dev.fermata.engine.local;

import dev.fermata.live.engine.Launch;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Limits the CPUs, RAM and processes of jobs and finds all of their processes, even hidden ones. It uses version 2 where available,
 * version 1 for limits that only it has, and none where this account may not.
 */
final class ControlGroups {
    private static final Logger LOG = LoggerFactory.getLogger(ControlGroups.class);
    private static final long PERIOD_MICROS = 100_000;
    /** The hierarchy of version 2, next to the names of version 1. */
    private static final String UNIFIED = "";

    /** What can be limited. */
    enum Controller {
        MEMORY("memory.max", "memory.limit_in_bytes"),
        CPU("cpu.max", "cpu.cfs_quota_us"),
        PIDS("pids.max", "pids.max");

        /** Its file for a limit in version 2. */
        private final String unifiedFile;

        private final String file;

        Controller(String unifiedFile, String file) {
            this.unifiedFile = unifiedFile;
            this.file = file;
        }

        String label() {
            return name().toLowerCase(Locale.ROOT);
        }

        String file(boolean unified) {
            return unified ? unifiedFile : file;
        }
    }

    /** The daemon's folder in one hierarchy, and what can be limited below it. */
    record BaseGroup(Path folder, Set<Controller> controllers, boolean unified) {
        BaseGroup {
            controllers = Set.copyOf(controllers);
        }

        /** It exists only while a job is in it, so that a killed daemon leaves nothing behind. */
        void ensureExists() throws IOException {
            if (!Files.exists(folder)) {
                create(folder);
                if (unified) {
                    enableAll(folder);
                }
            }
        }
    }

    /**
     * Limits of a job that asks for none.
     *
     * @param memoryMib 0 for no limit
     * @param processes processes and threads together, whatever a job asks for
     */
    record DefaultLimits(long memoryMib, int processes) {}

    private final List<BaseGroup> bases;
    private final DefaultLimits defaults;

    ControlGroups(List<BaseGroup> bases, DefaultLimits defaults) {
        this.bases = List.copyOf(bases);
        this.defaults = defaults;
    }

    static ControlGroups none() {
        return new ControlGroups(List.of(), new DefaultLimits(0, 0));
    }

    /** Finds usable hierarchies by trying them. */
    static ControlGroups discover(String name, DefaultLimits defaults) throws InterruptedException {
        Map<String, Path> mounts = new LinkedHashMap<>();
        Map<String, String> own = new LinkedHashMap<>();
        try {
            for (String line : Files.readAllLines(Path.of("/proc/self/mounts"))) {
                String[] parts = line.split(" ");
                if (parts.length > 3 && parts[2].equals("cgroup2")) {
                    mounts.put(UNIFIED, Path.of(parts[1]));
                } else if (parts.length > 3 && parts[2].equals("cgroup")) {
                    for (String controller : parts[3].split(",")) {
                        mounts.putIfAbsent(controller, Path.of(parts[1]));
                    }
                }
            }
            for (String line : Files.readAllLines(Path.of("/proc/self/cgroup"))) {
                String[] parts = line.split(":", 3);
                for (String controller : parts[1].split(",")) {
                    own.put(controller, parts[2]);
                }
            }
        } catch (IOException e) {
            return none();
        }
        List<BaseGroup> bases = new ArrayList<>();
        Set<String> limited = new HashSet<>();
        for (String type : List.of(UNIFIED, "memory", "cpu", "pids")) {
            Path mount = mounts.get(type);
            if (mount == null || limited.contains(type)) {
                continue;
            }
            BaseGroup base = findUsable(mount, own.getOrDefault(type, "/"), name, type);
            if (base != null) {
                delete(base.folder());
                bases.add(base);
                base.controllers().forEach(controller -> limited.add(controller.label()));
            }
        }
        return new ControlGroups(bases, defaults);
    }

    /**
     * The daemon's own group is the natural parent; in version 2 only the root can have both processes and limited children.
     */
    private static @Nullable BaseGroup findUsable(Path mount, String own, String name, String type)
            throws InterruptedException {
        BaseGroup found = null;
        Set<Path> parents = new LinkedHashSet<>(List.of(Path.of(mount + own).normalize(), mount));
        for (Path parent : parents) {
            BaseGroup base = Files.isWritable(parent) ? probe(parent, name, type) : null;
            if (base != null
                    && (found == null
                            || base.controllers().size() > found.controllers().size())) {
                if (found != null) {
                    delete(found.folder());
                }
                found = base;
            } else if (base != null) {
                delete(base.folder());
            }
        }
        return found;
    }

    private static @Nullable BaseGroup probe(Path parent, String name, String type) throws InterruptedException {
        Path folder = parent.resolve("fermata-" + name);
        Path probe = folder.resolve("probe");
        try {
            create(folder);
            boolean unified = type.equals(UNIFIED);
            if (unified) {
                enableAll(parent);
                enableAll(folder);
            }
            create(probe);
            Set<Controller> controllers = EnumSet.noneOf(Controller.class);
            for (Controller controller : Controller.values()) {
                if (Files.exists(probe.resolve(controller.file(unified)))) {
                    controllers.add(controller);
                }
            }
            boolean canJoin = canJoin(probe);
            delete(probe);
            if (canJoin) {
                return new BaseGroup(folder, controllers, unified);
            }
            delete(folder);
        } catch (IOException e) {
            LOG.debug("control groups below {}: not usable: {}", parent, e.getMessage());
            delete(probe);
            delete(folder);
        }
        return null;
    }

    private static void enableAll(Path folder) {
        for (Controller controller : Controller.values()) {
            enable(folder, controller.label());
        }
    }

    private static void enable(Path folder, String controller) {
        try {
            Files.writeString(folder.resolve("cgroup.subtree_control"), "+" + controller);
        } catch (IOException e) {
            LOG.debug("control groups: {} cannot be limited below {}", controller, folder);
        }
    }

    private static boolean canJoin(Path group) throws IOException, InterruptedException {
        Process shell = new ProcessBuilder("/bin/sh", "-c", "echo 0 >\"$1\"", "sh", group + "/cgroup.procs")
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        return shell.waitFor(5, TimeUnit.SECONDS) && shell.exitValue() == 0;
    }

    boolean limits(Controller controller) {
        return bases.stream().anyMatch(base -> base.controllers().contains(controller));
    }

    boolean canTrack() {
        return !bases.isEmpty();
    }

    /** Creates the groups of an attempt, with its requested limits. */
    synchronized ControlGroup create(String attempt, Launch launch) throws IOException {
        ControlGroup group = forAttempt(attempt);
        for (BaseGroup base : bases) {
            Path folder = base.folder().resolve(attempt);
            base.ensureExists();
            create(folder);
            long memory = memoryMib(launch);
            if (base.controllers().contains(Controller.MEMORY) && memory > 0) {
                limit(base, folder, Controller.MEMORY, Long.toString(memory << 20));
            }
            if (base.controllers().contains(Controller.PIDS) && defaults.processes() > 0) {
                limit(base, folder, Controller.PIDS, Integer.toString(defaults.processes()));
            }
            if (base.controllers().contains(Controller.CPU) && launch.cpuMilli() > 0) {
                String quota = Long.toString(Math.max(1_000, launch.cpuMilli() * PERIOD_MICROS / 1000));
                if (base.unified()) {
                    Files.writeString(folder.resolve("cpu.max"), quota + " " + PERIOD_MICROS);
                } else {
                    Files.writeString(folder.resolve("cpu.cfs_period_us"), Long.toString(PERIOD_MICROS));
                    Files.writeString(folder.resolve("cpu.cfs_quota_us"), quota);
                }
            }
        }
        return group;
    }

    /** 0 for no limit. */
    private long memoryMib(Launch launch) {
        return launch.memoryMib() > 0 ? launch.memoryMib() : defaults.memoryMib();
    }

    /** Suspended processes hold the memory of their GPUs too, and take no more: they have no limit until they go on. */
    void liftMemoryLimit(ControlGroup group) throws IOException {
        setMemoryLimit(group, 0);
    }

    void restoreMemoryLimit(ControlGroup group, Launch launch) throws IOException {
        setMemoryLimit(group, memoryMib(launch));
    }

    private void setMemoryLimit(ControlGroup group, long mib) throws IOException {
        for (Path folder : group.folders()) {
            for (BaseGroup base : bases) {
                Path file = folder.resolve(Controller.MEMORY.file(base.unified()));
                if (folder.startsWith(base.folder()) && Files.isWritable(file)) {
                    String none = base.unified() ? "max" : "-1";
                    Files.writeString(file, mib > 0 ? Long.toString(mib << 20) : none);
                }
            }
        }
    }

    private static void limit(BaseGroup base, Path folder, Controller controller, String value) throws IOException {
        Files.writeString(folder.resolve(controller.file(base.unified())), value);
    }

    /** The existing groups of an attempt. */
    ControlGroup forAttempt(String attempt) {
        return new ControlGroup(
                bases.stream().map(base -> base.folder().resolve(attempt)).toList());
    }

    List<String> notices() {
        List<String> notices = new ArrayList<>();
        if (!canTrack()) {
            notices.add("Control groups are not available: a process that clears its environment and leaves its session"
                    + " can outlive its job undetected.");
        }
        if (!limits(Controller.PIDS)) {
            notices.add("The number of processes of a job is not limited: one job can keep others from starting any.");
        }
        if (!limits(Controller.MEMORY)) {
            notices.add("The memory of a job is limited for each of its processes (ulimit -d), not for all together.");
        }
        if (!limits(Controller.CPU)) {
            notices.add("The CPUs of a job count for its placement, but are not enforced.");
        }
        return notices;
    }

    /** Removes the groups of an ended attempt. */
    synchronized void release(ControlGroup group) {
        group.remove();
        removeUnusedBases();
    }

    /** Removes the groups of ended attempts. */
    synchronized void removeStale(Set<String> alive) {
        for (BaseGroup base : bases) {
            if (!Files.exists(base.folder())) {
                continue;
            }
            try (var groups = Files.newDirectoryStream(base.folder(), Files::isDirectory)) {
                for (Path group : groups) {
                    if (!alive.contains(group.getFileName().toString())) {
                        delete(group);
                    }
                }
            } catch (IOException e) {
                LOG.debug("control groups: cannot list {}", base.folder());
            }
        }
        removeUnusedBases();
    }

    /** Removes the daemon's folders that hold no job. */
    private void removeUnusedBases() {
        bases.forEach(base -> delete(base.folder()));
    }

    private static void create(Path folder) throws IOException {
        try {
            Files.createDirectory(folder);
        } catch (FileAlreadyExistsException e) {
            LOG.debug("control group {}: already exists", folder);
        }
    }

    private static void delete(Path folder) {
        try {
            Files.deleteIfExists(folder);
        } catch (DirectoryNotEmptyException e) {
            LOG.debug("control group {}: in use", folder);
        } catch (IOException e) {
            LOG.debug("control group {}: in use ({})", folder, e.getMessage());
        }
    }
}
