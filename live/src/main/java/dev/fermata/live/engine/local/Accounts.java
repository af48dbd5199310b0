package dev.fermata.live.engine.local;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** As which account of this machine a job runs. A job never runs as root for somebody who is not root, unless that was asked for. */
final class Accounts {
    /** No job of this user can run here; the message says why, and the way out. */
    static final class Closed extends IOException {
        private static final long serialVersionUID = 1;

        Closed(String message) {
            super(message);
        }
    }

    private record Looked(Optional<Account> found, long untilNanos) {}

    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_.-]{0,63}");
    private static final long REMEMBER_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final RunAs policy;
    private final Path runs;
    private final Account own;
    private final Map<String, Looked> looked = new ConcurrentHashMap<>();

    Accounts(RunAs policy, Path runs) throws IOException {
        this.policy = policy;
        this.runs = runs;
        int uid = (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        int gid = (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:gid");
        String shell =
                lookUp(System.getProperty("user.name")).map(Account::shell).orElse("/bin/sh");
        own = new Account(System.getProperty("user.name"), uid, gid, System.getProperty("user.home"), shell, false);
    }

    /** Whether jobs of others may run as themselves. */
    boolean switches() {
        return own.uid() == 0 && policy == RunAs.AUTO;
    }

    Account of(String user) throws Closed {
        if (!switches() || user.equals(own.name())) {
            return own;
        }
        Account account = lookUp(user)
                .orElseThrow(() -> new Closed("user (" + OneLine.of(user, 64)
                        + ") has no account on this machine, and jobs run as their users. Make the account, or start with"
                        + " --run-as daemon"));
        if (account.uid() == 0) {
            throw new Closed("user (" + user + ") is another name of root, which runs nobody's jobs but its own");
        }
        Path closed = closed();
        if (closed != null) {
            throw new Closed("folder (" + closed + ") is closed to other accounts, so that jobs of " + user
                    + " cannot reach their files. Choose another one with --data, or start with --run-as daemon");
        }
        if (!Files.isExecutable(Path.of("/usr/bin/setpriv")) && !Files.isExecutable(Path.of("/bin/setpriv"))) {
            throw new Closed("setpriv (of util-linux) is missing here, without which no job can run as " + user
                    + ". Install it, or start with --run-as daemon");
        }
        return account;
    }

    List<String> remarks() {
        if (policy == RunAs.DAEMON) {
            return List.of("All jobs run as " + own.name() + " (--run-as daemon), whoever submitted them.");
        }
        if (own.uid() != 0) {
            return List.of("Jobs of others run as " + own.name() + ", because the daemon is not root.");
        }
        Path closed = closed();
        return closed == null
                ? List.of()
                : List.of("Only jobs of " + own.name() + " can run: " + closed
                        + " is closed to other accounts. Choose another folder with --data.");
    }

    /** The first folder on the way to the runs that others may not pass. */
    private @Nullable Path closed() {
        for (Path folder = runs; folder != null; folder = folder.getParent()) {
            try {
                if (!Files.getPosixFilePermissions(folder).contains(PosixFilePermission.OTHERS_EXECUTE)) {
                    return folder;
                }
            } catch (IOException e) {
                return folder;
            }
        }
        return null;
    }

    private Optional<Account> lookUp(String name) {
        if (!NAME.matcher(name).matches()) {
            return Optional.empty();
        }
        Looked before = looked.get(name);
        if (before != null && before.untilNanos() - System.nanoTime() > 0) {
            return before.found();
        }
        Optional<Account> found = inFile(name).or(() -> byGetent(name));
        if (looked.size() > 10_000) {
            looked.clear();
        }
        looked.put(name, new Looked(found, System.nanoTime() + REMEMBER_NANOS));
        return found;
    }

    private static Optional<Account> inFile(String name) {
        try (var lines = Files.lines(Path.of("/etc/passwd"), UTF_8)) {
            return lines.filter(line -> line.startsWith(name + ":")).findFirst().flatMap(line -> parse(line, name));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** Accounts that a directory service knows. */
    private static Optional<Account> byGetent(String name) {
        try {
            Process getent = new ProcessBuilder("getent", "passwd", name)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            getent.getOutputStream().close();
            if (!getent.waitFor(3, TimeUnit.SECONDS)) {
                getent.destroyForcibly();
                return Optional.empty();
            }
            try (InputStream out = getent.getInputStream()) {
                String line = new String(out.readNBytes(4096), UTF_8)
                        .lines()
                        .findFirst()
                        .orElse("");
                return parse(line, name);
            }
        } catch (IOException e) {
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    /** {@code name:password:uid:gid:gecos:home:shell}. */
    static Optional<Account> parse(String line, String name) {
        String[] parts = line.split(":", -1);
        if (parts.length != 7
                || !parts[0].equals(name)
                || !parts[2].matches("[0-9]{1,10}")
                || !parts[3].matches("[0-9]{1,10}")) {
            return Optional.empty();
        }
        String shell =
                parts[6].isEmpty() || parts[6].endsWith("nologin") || parts[6].endsWith("false") ? "/bin/sh" : parts[6];
        return Optional.of(new Account(
                name,
                Integer.parseUnsignedInt(parts[2]),
                Integer.parseUnsignedInt(parts[3]),
                parts[5].isEmpty() ? "/" : parts[5],
                shell,
                true));
    }

    /** Makes a folder of ours one that others may pass through, where jobs of others run below it. */
    void open(Path folder) throws IOException {
        if (switches()) {
            var mode = Files.getPosixFilePermissions(folder, LinkOption.NOFOLLOW_LINKS);
            if (mode.add(PosixFilePermission.OTHERS_EXECUTE)) {
                Files.setPosixFilePermissions(folder, mode);
            }
        }
    }
}
