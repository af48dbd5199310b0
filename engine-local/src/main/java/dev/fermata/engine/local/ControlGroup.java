package dev.fermata.engine.local;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The control groups of one attempt: one folder in each hierarchy in use, none where the system permits none. */
record ControlGroup(List<Path> folders) {
    private static final Logger LOG = LoggerFactory.getLogger(ControlGroup.class);
    static final ControlGroup NONE = new ControlGroup(List.of());

    ControlGroup {
        folders = List.copyOf(folders);
    }

    /** The pids in it. */
    Set<Integer> processes() {
        Set<Integer> found = new HashSet<>();
        for (Path folder : folders) {
            for (String line : lines(folder.resolve("cgroup.procs"))) {
                found.add(Integer.parseInt(line));
            }
        }
        return found;
    }

    /** Kills all of its processes atomically, where the kernel supports it: not even a forking process escapes. */
    void kill() {
        for (Path folder : folders) {
            Path kill = folder.resolve("cgroup.kill");
            if (Files.exists(kill)) {
                try {
                    Files.writeString(kill, "1");
                } catch (IOException e) {
                    LOG.debug("control group: cannot use {}; its processes are killed one by one", kill);
                }
            }
        }
    }

    /** How many of its processes the kernel killed because its memory was used up. */
    long outOfMemoryKills() {
        long kills = 0;
        for (Path folder : folders) {
            for (String file : List.of("memory.events", "memory.oom_control")) {
                for (String line : lines(folder.resolve(file))) {
                    if (line.startsWith("oom_kill ")) {
                        kills += Long.parseLong(line.substring(9).strip());
                    }
                }
            }
        }
        return kills;
    }

    /** Removes it; only an empty group can be removed. */
    void remove() {
        for (Path folder : folders) {
            try {
                Files.deleteIfExists(folder);
            } catch (IOException e) {
                LOG.debug("control group {}: still in use; removed later", folder);
            }
        }
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException e) {
            return List.of(); // not in this hierarchy, or gone
        }
    }
}
