package dev.fermata.engine.local;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A process as {@code /proc} shows it. Pid and start time together identify it until the machine is rebooted: a pid alone may
 * be reused at any moment.
 *
 * @param start in clock ticks since the boot
 */
record Proc(int pid, long start, String name, char state, int parent, int group, int session) {
    private static final Path ROOT = Path.of("/proc");
    private static final long SELF = ProcessHandle.current().pid();
    private static final Set<String> LAUNCHERS = Set.of(
            "torchrun", "torch.distributed.", "accelerate", "deepspeed", "mpirun", "mpiexec", "horovodrun", "srun");

    private static final Set<String> SHELLS = Set.of("sh", "dash", "bash", "ash", "ksh", "zsh", "busybox", "fish");

    /** All processes, except zombies. */
    static List<Proc> listAll() {
        List<Proc> found = new ArrayList<>();
        try (var entries = Files.newDirectoryStream(ROOT, "[0-9]*")) {
            for (Path entry : entries) {
                Proc proc = find(Integer.parseInt(entry.getFileName().toString()));
                if (proc != null && proc.isAlive()) {
                    found.add(proc);
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            throw new IllegalStateException("cannot list the processes in /proc: " + e.getMessage(), e);
        }
        return found;
    }

    /** The process that has this pid now, or null. */
    static @Nullable Proc find(int pid) {
        try {
            return parse(pid, Files.readString(ROOT.resolve(pid + "/stat"), ISO_8859_1));
        } catch (IOException e) {
            return null; // gone
        }
    }

    /** Whether exactly this process still exists. */
    static boolean alive(int pid, long start) {
        Proc now = find(pid);
        return now != null && now.start == start && now.isAlive();
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

    boolean isAlive() {
        return state != 'Z' && state != 'X';
    }

    /** Whether it is this daemon. */
    boolean isSelf() {
        return pid == SELF;
    }

    /** Decided by the program it runs: a script run by a shell has the script's name. */
    boolean isShell() {
        try {
            Path program = Files.readSymbolicLink(ROOT.resolve(pid + "/exe")).getFileName();
            return program != null && SHELLS.contains(program.toString());
        } catch (IOException e) {
            return SHELLS.contains(name);
        }
    }

    /** Whether it starts the processes of a distributed training: it handles signals, but saves nothing. */
    boolean isLauncher() {
        try {
            String command = new String(Files.readAllBytes(ROOT.resolve(pid + "/cmdline")), ISO_8859_1);
            String[] words = command.split("\0", 5);
            return Arrays.stream(words, 0, Math.min(4, words.length))
                    .anyMatch(
                            word -> LAUNCHERS.stream().anyMatch(word.substring(word.lastIndexOf('/') + 1)::startsWith));
        } catch (IOException e) {
            return false; // gone
        }
    }

    /** The first of these variables in its initial environment; null for none, or where this account may not read it. */
    @Nullable
    String environmentVariable(String... variables) {
        String environment;
        try {
            environment = "\0" + new String(Files.readAllBytes(ROOT.resolve(pid + "/environ")), ISO_8859_1) + "\0";
        } catch (IOException e) {
            return null;
        }
        for (String variable : variables) {
            int at = environment.indexOf("\0" + variable + "=");
            if (at >= 0) {
                int value = at + variable.length() + 2;
                return environment.substring(value, environment.indexOf('\0', value));
            }
        }
        return null;
    }

    /** Whether its standard input is {@code /dev/null}. */
    boolean hasNoInput() {
        try {
            return Files.readSymbolicLink(ROOT.resolve(pid + "/fd/0")).equals(Path.of("/dev/null"));
        } catch (IOException e) {
            return true; // gone
        }
    }

    /** Whether it has a handler of its own for this signal. */
    boolean handles(Signal signal) {
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

    /** Kills it; a process that reuses its pid is not touched. */
    void kill() {
        ProcessHandle.of(pid).filter(handle -> alive(pid, start)).ifPresent(ProcessHandle::destroyForcibly);
    }
}
