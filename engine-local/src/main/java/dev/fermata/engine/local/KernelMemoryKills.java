package dev.fermata.engine.local;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Whether the kernel has killed a process of this machine for lack of memory since it was created. */
final class KernelMemoryKills {
    private static final Logger LOG = LoggerFactory.getLogger(KernelMemoryKills.class);

    private final long before = count();

    boolean happened() {
        return before >= 0 && count() > before;
    }

    /** Of the whole machine; -1 where the kernel does not report it. */
    private static long count() {
        try {
            for (String line : Files.readAllLines(Path.of("/proc/vmstat"))) {
                if (line.startsWith("oom_kill ")) {
                    return Long.parseLong(line.substring(9).strip());
                }
            }
        } catch (IOException | NumberFormatException e) {
            LOG.debug("/proc/vmstat cannot be read", e);
        }
        return -1;
    }
}
