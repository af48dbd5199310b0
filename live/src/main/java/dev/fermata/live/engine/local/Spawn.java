package dev.fermata.live.engine.local;

import dev.fermata.live.engine.Launch;
import dev.fermata.live.spec.JobSpec;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** Lays out the folder of an attempt and starts its shim. */
final class Spawn {
    private static final Set<PosixFilePermission> OWNER = PosixFilePermissions.fromString("rwx------");
    /** Others may pass, not look: a job that runs as somebody else must reach its own files below. */
    private static final Set<PosixFilePermission> PASSABLE = PosixFilePermissions.fromString("rwx--x--x");

    private static final Pattern ATTEMPT = Pattern.compile("[0-9]+");
    private static final Set<PosixFilePermission> FILE = PosixFilePermissions.fromString("rw-------");

    private final Shop shop;
    private final Launch launch;
    private final Account account;
    private final RunFolder folder;

    Spawn(Shop shop, Launch launch, Account account, RunFolder folder) {
        this.shop = shop;
        this.launch = launch;
        this.account = account;
        this.folder = folder;
    }

    /** Everything the shim and the job will look for. Once this is done, only a claim decides who runs it. */
    void prepare(ControlGroup group, long orderedMillis) throws IOException {
        JobSpec spec = launch.spec();
        Path job = shop.runs().resolve(Long.toString(launch.jobId()));
        Set<PosixFilePermission> ours = account.switched() ? PASSABLE : OWNER;
        directory(job, ours, false);
        directory(folder.path(), ours, false);
        folder.prepare(new RunFolder.Order(orderedMillis, shop.boot()));
        Path workdir = spec.workdir().isEmpty() ? directory(job.resolve("work"), OWNER, true) : Path.of(spec.workdir());
        Path script = folder.file("script");
        if (spec.run().startsWith("#!")) {
            ownedFile(script, spec.run(), OWNER);
        }
        JobEnvironment.Places places = new JobEnvironment.Places(folder.path(), checkpoints(job), shop.python());
        Map<String, String> variables = JobEnvironment.variables(
                launch, account, places, runId(), shop.hardware().devices(), freePort());
        ownedFile(folder.file("env"), JobEnvironment.file(variables, workdir, spec.run(), script), FILE);
        ownedFile(folder.file("report"), "", FILE);
        directory(folder.file("own"), OWNER, true);
        StringBuilder groups = new StringBuilder();
        group.folders().forEach(path -> groups.append(path).append('\n'));
        folder.write("cgroups", groups.toString());
    }

    /** The shim, listening to nobody but its own protocol; the answer is the process that watches. */
    Process shim() throws IOException {
        LocalSettings.Logs logs = shop.settings().logs();
        boolean ownLimit = launch.memoryMib() > 0 && !shop.groups().limitsMemory();
        ProcessBuilder builder = new ProcessBuilder(List.of(
                "setsid",
                "/bin/sh",
                shop.shim().toString(),
                folder.path().toString(),
                shop.step().toString(),
                Integer.toString(launch.ranks()),
                account.switched() ? Integer.toString(account.uid()) : "-",
                Integer.toString(account.gid()),
                Long.toString(ownLimit ? launch.memoryMib() * 1024 : 0),
                Integer.toString(logs.chunkBytes()),
                Integer.toString(logs.firstChunks()),
                Integer.toString(logs.lastChunks())));
        Map<String, String> environment = builder.environment();
        environment.clear(); // what the daemon knows is none of the job's business
        environment.put("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
        environment.put(RunIds.VARIABLE, runId());
        builder.directory(shop.runs().toFile());
        builder.redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()));
        builder.redirectError(folder.file("shim.log").toFile());
        return builder.start();
    }

    private String runId() {
        return shop.ids().of(launch.jobId(), launch.attempt());
    }

    /** Where checkpoints go. Ours is only the first folder below the job's; what is below that, the job's user makes. */
    private Path checkpoints(Path job) throws IOException {
        String dir = launch.spec().checkpoint().dir();
        Path wanted = job.resolve(dir.isEmpty() ? "checkpoints" : dir).normalize();
        if (!wanted.startsWith(job) || wanted.equals(job)) {
            return wanted;
        }
        Path first = job.relativize(wanted).getName(0);
        if (ATTEMPT.matcher(first.toString()).matches()) { // the name of a folder that only we may make
            first = Path.of("checkpoints");
            wanted = job.resolve(first).resolve(job.relativize(wanted));
        }
        directory(job.resolve(first), OWNER, true);
        return wanted;
    }

    private Path directory(Path path, Set<PosixFilePermission> mode, boolean theirs) throws IOException {
        try {
            Files.createDirectory(path, PosixFilePermissions.asFileAttribute(mode));
            Files.setPosixFilePermissions(path, mode); // whatever the umask took away
            if (theirs) {
                give(path);
            }
        } catch (FileAlreadyExistsException e) {
            boolean fine = Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS) && (theirs || ours(path));
            if (!fine) {
                throw new IOException(path + " is in the way", e);
            }
            if (!theirs) {
                Files.setPosixFilePermissions(
                        path, mode); // it may have been made under another umask, or for another account
            }
        }
        return path;
    }

    /** Whether nobody else could have put something into it. */
    private static boolean ours(Path folder) throws IOException {
        return Files.getAttribute(folder, "unix:uid", LinkOption.NOFOLLOW_LINKS)
                .equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
    }

    /** A file that belongs to the job's user and was never anybody else's to read. */
    private void ownedFile(Path path, String text, Set<PosixFilePermission> mode) throws IOException {
        Files.deleteIfExists(path);
        Files.createFile(path, PosixFilePermissions.asFileAttribute(mode));
        Files.writeString(path, text);
        give(path);
    }

    private void give(Path path) throws IOException {
        if (account.switched()) {
            Files.setAttribute(path, "unix:gid", account.gid(), LinkOption.NOFOLLOW_LINKS);
            Files.setAttribute(path, "unix:uid", account.uid(), LinkOption.NOFOLLOW_LINKS);
        }
    }

    /** A port that nobody uses at this moment, for ranks that want to meet. */
    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
