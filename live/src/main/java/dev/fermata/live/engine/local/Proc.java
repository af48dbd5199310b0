package dev.fermata.live.engine.local;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A process as {@code /proc} shows it. Pid and start time together name a process for as long as the machine is up: a pid alone
 * may belong to somebody else a moment later.
 *
 * @param start in clock ticks since the machine came up
 */
record Proc(int pid, long start, String name, char state, int parent, int group, int session) {
    private static final Path ROOT = Path.of("/proc");
    private static final long SELF = ProcessHandle.current().pid();
    private static final Set<String> SHELLS = Set.of("sh", "dash", "bash", "ash", "ksh", "zsh", "busybox", "fish");

    /** Everything that runs here, but for what is dead and only waits to be collected. */
    static List<Proc> all() {
        List<Proc> found = new ArrayList<>();
        try (var entries = Files.newDirectoryStream(ROOT, "[0-9]*")) {
            for (Path entry : entries) {
                Proc proc = of(Integer.parseInt(entry.getFileName().toString()));
                if (proc != null && proc.lives()) {
                    found.add(proc);
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            throw new IllegalStateException("cannot list the processes in /proc: " + e.getMessage(), e);
        }
        return found;
    }

    /** The process that has this pid now, or null. */
    static @Nullable Proc of(int pid) {
        try {
            return parse(pid, Files.readString(ROOT.resolve(pid + "/stat"), ISO_8859_1));
        } catch (IOException e) {
            return null; // gone
        }
    }

    /** Whether exactly this process is still there. */
    static boolean alive(int pid, long start) {
        Proc now = of(pid);
        return now != null && now.start == start && now.lives();
    }

    static @Nullable Proc parse(int pid, String stat) {
        int open = stat.indexOf('(');
        int close = stat.lastIndexOf(')'); // the name may hold brackets and spaces
        if (open < 0 || close < open) {
            return null;
        }
        String[] fields = stat.substring(close + 1).strip().split(" ");
        return fields.length < 20
                ? null
                : new Proc(
                        pid,
                        Long.parseLong(fields[19]),
                        stat.substring(open + 1, close),
                        fields[0].charAt(0),
                        Integer.parseInt(fields[1]),
                        Integer.parseInt(fields[2]),
                        Integer.parseInt(fields[3]));
    }

    boolean lives() {
        return state != 'Z' && state != 'X';
    }

    /** Whether it is this daemon. */
    boolean isSelf() {
        return pid == SELF;
    }

    /** Told by the program it runs: a script that is run by a shell has the script's name. */
    boolean isShell() {
        try {
            Path program = Files.readSymbolicLink(ROOT.resolve(pid + "/exe")).getFileName();
            return program != null && SHELLS.contains(program.toString());
        } catch (IOException e) {
            return SHELLS.contains(name);
        }
    }

    /** The value of a variable it was started with; null when there is none, or where this account may not look. */
    @Nullable
    String given(String variable) {
        String environment;
        try {
            environment = "\0" + new String(Files.readAllBytes(ROOT.resolve(pid + "/environ")), ISO_8859_1) + "\0";
        } catch (IOException e) {
            return null;
        }
        int at = environment.indexOf("\0" + variable + "=");
        if (at < 0) {
            return null;
        }
        int value = at + variable.length() + 2;
        return environment.substring(value, environment.indexOf('\0', value));
    }

    /** Whether it reads from nothing. */
    boolean readsNothing() {
        try {
            return Files.readSymbolicLink(ROOT.resolve(pid + "/fd/0")).equals(Path.of("/dev/null"));
        } catch (IOException e) {
            return true; // gone
        }
    }

    /** Whether it has a handler of its own for this signal. */
    boolean catches(Signal signal) {
        try {
            for (String line : Files.readAllLines(ROOT.resolve(pid + "/status"), ISO_8859_1)) {
                if (line.startsWith("SigCgt:")) {
                    long mask = Long.parseUnsignedLong(line.substring(7).strip(), 16);
                    return (mask >>> (signal.number() - 1) & 1) != 0;
                }
            }
        } catch (IOException e) {
            return false; // gone
        }
        return false;
    }

    /** Ends it at once; a process that took over its pid is not touched. */
    void kill() {
        ProcessHandle.of(pid).filter(handle -> alive(pid, start)).ifPresent(ProcessHandle::destroyForcibly);
    }
}
