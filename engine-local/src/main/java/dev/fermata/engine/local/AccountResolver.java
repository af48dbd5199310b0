package dev.fermata.engine.local;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.fermata.live.attempt.SingleLine;
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

/**
 * Resolves the account of this machine under which a job runs. A job of another user never runs as root, unless the operator
 * chose that.
 */
final class AccountResolver {
    /** No job of this user can run here; the message says why and what helps. */
    static final class AccountUnavailable extends IOException {
        private static final long serialVersionUID = 1;

        AccountUnavailable(String message) {
            super(message);
        }
    }

    private record CachedAccount(Optional<OsAccount> account, long expiresNanos) {}

    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_.-]{0,63}");
    private static final long CACHE_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final RunAs policy;
    private final Path attemptsFolder;
    private final OsAccount daemonAccount;
    private final Map<String, CachedAccount> lookups = new ConcurrentHashMap<>();

    AccountResolver(RunAs policy, Path runs) throws IOException {
        this.policy = policy;
        this.attemptsFolder = runs;
        int uid = (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        int gid = (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:gid");
        String shell =
                lookUp(System.getProperty("user.name")).map(OsAccount::shell).orElse("/bin/sh");
        daemonAccount =
                new OsAccount(System.getProperty("user.name"), uid, gid, System.getProperty("user.home"), shell, false);
    }

    /** Whether jobs of other users may run under their own accounts. */
    boolean canSwitchUser() {
        return daemonAccount.uid() == 0 && policy == RunAs.AUTO;
    }

    OsAccount resolve(String user) throws AccountUnavailable {
        if (policy == RunAs.DAEMON || user.equals(daemonAccount.name())) {
            return daemonAccount;
        }
        if (!canSwitchUser()) {
            throw new AccountUnavailable("jobs of " + SingleLine.of(user, 64) + " would run as " + daemonAccount.name()
                    + ", because the daemon is not root, and could do everything that the daemon can. Run the daemon as"
                    + " root, or start it with --run-as daemon if you trust every user");
        }
        OsAccount account = lookUp(user)
                .orElseThrow(() -> new AccountUnavailable("user (" + SingleLine.of(user, 64)
                        + ") has no account on this machine, and jobs run as their users. Create the account"));
        if (account.uid() == 0) {
            throw new AccountUnavailable("user (" + user + ") is another name of root, which runs only its own jobs");
        }
        Path closed = inaccessibleFolder();
        if (closed != null) {
            throw new AccountUnavailable("folder (" + closed + ") is closed to other accounts, so that jobs of " + user
                    + " cannot reach their files. Choose another one with --data");
        }
        if (!Files.isExecutable(Path.of("/usr/bin/setpriv")) && !Files.isExecutable(Path.of("/bin/setpriv"))) {
            throw new AccountUnavailable("setpriv (of util-linux) is missing here, without which no job can run as "
                    + user + ". Install it");
        }
        return account;
    }

    List<String> notices() {
        if (policy == RunAs.DAEMON) {
            return List.of(
                    "All jobs run as " + daemonAccount.name()
                            + " (--run-as daemon): everybody who may submit can do what the daemon can, and is an administrator.");
        }
        if (daemonAccount.uid() != 0) {
            return List.of("Only jobs of " + daemonAccount.name()
                    + " are accepted: the daemon is not root and cannot run others under their own accounts.");
        }
        Path closed = inaccessibleFolder();
        return closed == null
                ? List.of()
                : List.of("Only jobs of " + daemonAccount.name() + " can run: " + closed
                        + " is closed to other accounts. Choose another folder with --data.");
    }

    /** The first folder on the path to the attempts that other accounts cannot traverse. */
    private @Nullable Path inaccessibleFolder() {
        for (Path folder = attemptsFolder; folder != null; folder = folder.getParent()) {
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

    private Optional<OsAccount> lookUp(String name) {
        if (!NAME.matcher(name).matches()) {
            return Optional.empty();
        }
        CachedAccount before = lookups.get(name);
        if (before != null && before.expiresNanos() - System.nanoTime() > 0) {
            return before.account();
        }
        Optional<OsAccount> found = findInPasswd(name).or(() -> findByGetent(name));
        if (lookups.size() > 10_000) {
            lookups.clear();
        }
        lookups.put(name, new CachedAccount(found, System.nanoTime() + CACHE_NANOS));
        return found;
    }

    private static Optional<OsAccount> findInPasswd(String name) {
        try (var lines = Files.lines(Path.of("/etc/passwd"), UTF_8)) {
            return lines.filter(line -> line.startsWith(name + ":")).findFirst().flatMap(line -> parse(line, name));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** Accounts of a directory service. */
    private static Optional<OsAccount> findByGetent(String name) {
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
    static Optional<OsAccount> parse(String line, String name) {
        String[] parts = line.split(":", -1);
        if (parts.length != 7
                || !parts[0].equals(name)
                || !parts[2].matches("[0-9]{1,10}")
                || !parts[3].matches("[0-9]{1,10}")) {
            return Optional.empty();
        }
        String shell =
                parts[6].isEmpty() || parts[6].endsWith("nologin") || parts[6].endsWith("false") ? "/bin/sh" : parts[6];
        return Optional.of(new OsAccount(
                name,
                Integer.parseUnsignedInt(parts[2]),
                Integer.parseUnsignedInt(parts[3]),
                parts[5].isEmpty() ? "/" : parts[5],
                shell,
                true));
    }

    /** Lets other accounts traverse a folder of the daemon, where their jobs run below it. */
    void makeTraversable(Path folder) throws IOException {
        if (canSwitchUser()) {
            var mode = Files.getPosixFilePermissions(folder, LinkOption.NOFOLLOW_LINKS);
            if (mode.add(PosixFilePermission.OTHERS_EXECUTE)) {
                Files.setPosixFilePermissions(folder, mode);
            }
        }
    }
}
