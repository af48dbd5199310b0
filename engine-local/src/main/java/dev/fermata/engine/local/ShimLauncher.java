package dev.fermata.engine.local;

import dev.fermata.live.attempt.AttemptAccounting;
import dev.fermata.live.attempt.AttemptVariables;
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

/** Creates the folder of an attempt and starts its shim. */
final class ShimLauncher {
    private static final Set<PosixFilePermission> OWNER = PosixFilePermissions.fromString("rwx------");
    /** Other accounts may traverse, not list: a job of another user must reach its own files below. */
    private static final Set<PosixFilePermission> TRAVERSABLE = PosixFilePermissions.fromString("rwx--x--x");

    private static final Pattern ATTEMPT = Pattern.compile("[0-9]+");
    private static final Set<PosixFilePermission> FILE = PosixFilePermissions.fromString("rw-------");

    private final EngineServices services;
    private final Launch launch;
    private final OsAccount account;
    private final AttemptFolder folder;

    ShimLauncher(EngineServices services, Launch launch, OsAccount account, AttemptFolder folder) {
        this.services = services;
        this.launch = launch;
        this.account = account;
        this.folder = folder;
    }

    /** Everything that the shim and the job read. From here on, only the claim decides which process runs it. */
    void prepare(ControlGroup group, AttemptAccounting accounting) throws IOException {
        JobSpec spec = launch.spec();
        Path job = services.attemptsFolder().resolve(Long.toString(launch.jobId()));
        Set<PosixFilePermission> folderMode = account.switchesUser() ? TRAVERSABLE : OWNER;
        createDirectory(job, folderMode, false);
        createDirectory(folder.path(), folderMode, false);
        folder.prepare(new AttemptFolder.StartOrder(accounting.requestedMillis(), services.bootId()));
        Path workdir =
                spec.workdir().isEmpty() ? createDirectory(job.resolve("work"), OWNER, true) : Path.of(spec.workdir());
        Path script = folder.file("script");
        if (spec.run().startsWith("#!")) {
            writeOwnedFile(script, spec.run(), OWNER);
        }
        AttemptVariables.Folders folders =
                new AttemptVariables.Folders(folder.path(), checkpoints(job), services.python());
        Map<String, String> variables = JobEnvironment.variables(
                launch, account, folders, marker(), services.hardware().devices(), workdir, freePort());
        variables.putAll(accounting.reportVariables());
        writeOwnedFile(folder.file("env"), JobEnvironment.toShellFile(variables, workdir, launch, script), FILE);
        writeOwnedFile(folder.file("report"), "", FILE);
        createDirectory(folder.file("own"), OWNER, true);
        StringBuilder groups = new StringBuilder();
        group.folders().forEach(path -> groups.append(path).append('\n'));
        folder.write("cgroups", groups.toString());
    }

    /** Starts the shim, detached from the daemon's streams and signals; returns its process. */
    Process launch() throws IOException {
        LocalEngineSettings.LogLimits logs = services.settings().logs();
        boolean ownLimit = launch.memoryMib() > 0 && !services.groups().limits(ControlGroups.Controller.MEMORY);
        ProcessBuilder builder = new ProcessBuilder(List.of(
                "setsid",
                "/bin/sh",
                services.shim().toString(),
                folder.path().toString(),
                services.step().toString(),
                Integer.toString(launch.ranks()),
                account.switchesUser() ? Integer.toString(account.uid()) : "-",
                Integer.toString(account.gid()),
                Long.toString(ownLimit ? launch.memoryMib() * 1024 : 0),
                Integer.toString(logs.chunkBytes()),
                Integer.toString(logs.firstChunks()),
                Integer.toString(logs.lastChunks())));
        Map<String, String> environment = builder.environment();
        environment.clear(); // the daemon's environment is not for the job
        environment.put("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
        environment.put(AttemptMarkers.VARIABLE, marker());
        builder.directory(services.attemptsFolder().toFile());
        builder.redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()));
        builder.redirectError(folder.file("shim.log").toFile());
        return builder.start();
    }

    private String marker() {
        return services.markers().of(launch.jobId(), launch.attempt());
    }

    /**
     * The checkpoint folder. The daemon creates only the first level below the job's folder; the job's user creates the rest.
     */
    private Path checkpoints(Path job) throws IOException {
        String dir = launch.spec().checkpoint().dir();
        Path requested = job.resolve(dir.isEmpty() ? "checkpoints" : dir).normalize();
        if (!requested.startsWith(job) || requested.equals(job)) {
            return requested;
        }
        Path first = job.relativize(requested).getName(0);
        if (ATTEMPT.matcher(first.toString()).matches()) { // the name of a folder that only the daemon creates
            first = Path.of("checkpoints");
            requested = job.resolve(first).resolve(job.relativize(requested));
        }
        createDirectory(job.resolve(first), OWNER, true);
        return requested;
    }

    private Path createDirectory(Path path, Set<PosixFilePermission> mode, boolean ownedByJob) throws IOException {
        try {
            Files.createDirectory(path, PosixFilePermissions.asFileAttribute(mode));
            Files.setPosixFilePermissions(path, mode); // whatever the umask removed
            if (ownedByJob) {
                changeOwner(path);
            }
        } catch (FileAlreadyExistsException e) {
            boolean fine = Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS) && (ownedByJob || isOwnedByDaemon(path));
            if (!fine) {
                throw new IOException(path + " is in the way", e);
            }
            if (!ownedByJob) {
                Files.setPosixFilePermissions(
                        path, mode); // it may have been created under another umask, or for another account
            }
        }
        return path;
    }

    /** Whether no other account could have written into it. */
    private static boolean isOwnedByDaemon(Path folder) throws IOException {
        return Files.getAttribute(folder, "unix:uid", LinkOption.NOFOLLOW_LINKS)
                .equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
    }

    /** A file that belongs to the job's user and was never readable for others. */
    private void writeOwnedFile(Path path, String text, Set<PosixFilePermission> mode) throws IOException {
        Files.deleteIfExists(path);
        Files.createFile(path, PosixFilePermissions.asFileAttribute(mode));
        Files.writeString(path, text);
        changeOwner(path);
    }

    private void changeOwner(Path path) throws IOException {
        if (account.switchesUser()) {
            Files.setAttribute(path, "unix:gid", account.gid(), LinkOption.NOFOLLOW_LINKS);
            Files.setAttribute(path, "unix:uid", account.uid(), LinkOption.NOFOLLOW_LINKS);
        }
    }

    /** A port that is free at this moment, for the rendezvous of ranks. */
    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
