package dev.fermata.live.engine.local;

import dev.fermata.live.engine.Launch;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What control groups allow here: to hold a job to its CPUs and RAM, and to find every process of it, even one that hides. Version 2
 * is used where it is there, version 1 for limits that only it has, and neither where this account may not.
 */
final class ControlGroups {
    private static final Logger LOG = LoggerFactory.getLogger(ControlGroups.class);
    private static final long PERIOD_MICROS = 100_000;
    /** The hierarchy of version 2, beside the names of version 1's. */
    private static final String UNIFIED = "";

    /** A folder of ours in one hierarchy, and what can be limited below it. */
    record Base(Path folder, boolean memory, boolean cpu, boolean unified) {
        /** It is there only while a job is in it, so that a daemon which is killed leaves nothing behind. */
        void ready() throws IOException {
            if (!Files.exists(folder)) {
                make(folder);
                if (unified) {
                    enable(folder, "memory");
                    enable(folder, "cpu");
                }
            }
        }
    }

    private final List<Base> bases;

    ControlGroups(List<Base> bases) {
        this.bases = List.copyOf(bases);
    }

    static ControlGroups none() {
        return new ControlGroups(List.of());
    }

    /** Looks for what can really be used, by using it. */
    static ControlGroups discover(String name) throws InterruptedException {
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
        List<Base> bases = new ArrayList<>();
        boolean memory = false;
        boolean cpu = false;
        for (String kind : List.of(UNIFIED, "memory", "cpu")) {
            Path mount = mounts.get(kind);
            if (mount == null || (kind.equals("memory") && memory) || (kind.equals("cpu") && cpu)) {
                continue;
            }
            Base base = usable(mount, own.getOrDefault(kind, "/"), name, kind);
            if (base != null) {
                delete(base.folder());
                bases.add(base);
                memory |= base.memory();
                cpu |= base.cpu();
            }
        }
        return new ControlGroups(bases);
    }

    /** Our own group is the natural parent; in version 2 only the root can have both processes and limited children. */
    private static @Nullable Base usable(Path mount, String own, String name, String kind) throws InterruptedException {
        Base found = null;
        Set<Path> parents = new LinkedHashSet<>(List.of(Path.of(mount + own).normalize(), mount));
        for (Path parent : parents) {
            Base base = Files.isWritable(parent) ? probe(parent, name, kind) : null;
            if (base != null && (found == null || (base.memory() && !found.memory()))) {
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

    private static @Nullable Base probe(Path parent, String name, String kind) throws InterruptedException {
        Path folder = parent.resolve("fermata-" + name);
        Path trial = folder.resolve("trial");
        try {
            make(folder);
            boolean unified = kind.equals(UNIFIED);
            if (unified) {
                for (Path each : List.of(parent, folder)) {
                    enable(each, "memory");
                    enable(each, "cpu");
                }
            }
            make(trial);
            boolean memory = Files.exists(trial.resolve(unified ? "memory.max" : "memory.limit_in_bytes"));
            boolean cpu = Files.exists(trial.resolve(unified ? "cpu.max" : "cpu.cfs_quota_us"));
            boolean joins = joins(trial);
            delete(trial);
            if (joins) {
                return new Base(folder, memory, cpu, unified);
            }
            delete(folder);
        } catch (IOException e) {
            LOG.debug("control groups below {} cannot be used: {}", parent, e.getMessage());
            delete(trial);
            delete(folder);
        }
        return null;
    }

    private static void enable(Path folder, String controller) {
        try {
            Files.writeString(folder.resolve("cgroup.subtree_control"), "+" + controller);
        } catch (IOException e) {
            LOG.debug("{} cannot be limited below {}", controller, folder);
        }
    }

    private static boolean joins(Path group) throws IOException, InterruptedException {
        Process shell = new ProcessBuilder("/bin/sh", "-c", "echo 0 >\"$1\"", "sh", group + "/cgroup.procs")
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        return shell.waitFor(5, TimeUnit.SECONDS) && shell.exitValue() == 0;
    }

    boolean limitsMemory() {
        return bases.stream().anyMatch(Base::memory);
    }

    boolean limitsCpu() {
        return bases.stream().anyMatch(Base::cpu);
    }

    boolean tracks() {
        return !bases.isEmpty();
    }

    /** The groups of an attempt, with the limits that its user asked for. */
    synchronized ControlGroup make(String attempt, Launch launch) throws IOException {
        ControlGroup group = of(attempt);
        for (Base base : bases) {
            Path folder = base.folder().resolve(attempt);
            base.ready();
            make(folder);
            if (base.memory() && launch.memoryMib() > 0) {
                String bytes = Long.toString(launch.memoryMib() << 20);
                Files.writeString(folder.resolve(base.unified() ? "memory.max" : "memory.limit_in_bytes"), bytes);
            }
            if (base.cpu() && launch.cpuMilli() > 0) {
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

    /** The groups of an attempt as they were made. */
    ControlGroup of(String attempt) {
        return new ControlGroup(
                bases.stream().map(base -> base.folder().resolve(attempt)).toList());
    }

    List<String> remarks() {
        List<String> remarks = new ArrayList<>();
        if (!tracks()) {
            remarks.add(
                    "Control groups cannot be used here: a process that clears its environment and leaves its session"
                            + " outlives its job unseen.");
        }
        if (!limitsMemory()) {
            remarks.add("The memory of a job is limited for each of its processes (ulimit -d), not for all together.");
        }
        if (!limitsCpu()) {
            remarks.add("The CPUs of a job are counted when it is placed, but it is not held to them.");
        }
        return remarks;
    }

    /** The attempt is gone, and so are its groups. */
    synchronized void release(ControlGroup group) {
        group.remove();
        leave();
    }

    /** Removes the groups of attempts that are gone. */
    synchronized void clean(Set<String> alive) {
        for (Base base : bases) {
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
                LOG.debug("cannot look into {}", base.folder());
            }
        }
        leave();
    }

    /** Removes our folders where no job is in them. */
    private void leave() {
        bases.forEach(base -> delete(base.folder()));
    }

    private static void make(Path folder) throws IOException {
        try {
            Files.createDirectory(folder);
        } catch (FileAlreadyExistsException e) {
            LOG.debug("{} is there already", folder);
        }
    }

    private static void delete(Path folder) {
        try {
            Files.deleteIfExists(folder);
        } catch (DirectoryNotEmptyException e) {
            LOG.debug("{} is in use", folder);
        } catch (IOException e) {
            LOG.debug("{} is in use ({})", folder, e.getMessage());
        }
    }
}
