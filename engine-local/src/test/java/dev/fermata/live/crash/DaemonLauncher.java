package dev.fermata.live.crash;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;

/**
 * Starts daemons with half the CPU time of a plain start: their classes come from an archive, which the first of them writes
 * when it ends. An archive takes classes of jars only, so folders of the class path become jars.
 */
final class DaemonLauncher {
    private static final List<String> JAVA = List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-XX:-UsePerfData",
            "-Xlog:disable", // a JVM without the archive starts all the same
            "-Xmx160m");

    private final Path folder;
    private final String classPath;

    private DaemonLauncher(Path folder) throws IOException {
        this.folder = folder;
        this.classPath = classPathOfJars();
    }

    /** A launcher with its archive in this folder, where one may be already. */
    static DaemonLauncher in(Path folder) throws IOException, InterruptedException {
        DaemonLauncher launcher = new DaemonLauncher(Files.createDirectories(folder));
        Path data = Files.createDirectories(folder.resolve("data"));
        Process first = launcher.start("-XX:ArchiveClassesAtExit=" + launcher.archive(), data, "sqlite");
        try {
            first.getOutputStream().close(); // it stops as soon as it is ready
            if (!first.waitFor(5, TimeUnit.MINUTES) || first.exitValue() != 0) {
                throw new IOException("no archive of classes: " + first);
            }
        } finally {
            first.destroyForcibly();
        }
        return launcher;
    }

    /** A daemon on this data folder; its log is a file next to that. */
    Process start(Path data, String store) throws IOException {
        return start("-XX:SharedArchiveFile=" + archive(), data, store);
    }

    private Path archive() {
        return folder.resolve("daemon.jsa");
    }

    private Process start(String option, Path data, String store) throws IOException {
        List<String> command = new ArrayList<>(JAVA);
        command.addAll(
                List.of(option, "-cp", classPath, CrashingDaemonProcess.class.getName(), data.toString(), store));
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.appendTo(
                        data.resolveSibling("daemon.log").toFile()))
                .start();
    }

    private String classPathOfJars() throws IOException {
        List<String> jars = new ArrayList<>();
        for (String part : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            Path path = Path.of(part);
            if (Files.isDirectory(path)) {
                Path jar = folder.resolve("classes" + jars.size() + ".jar");
                pack(path, jar);
                jars.add(jar.toString());
            } else if (Files.exists(path)) {
                jars.add(part);
            }
        }
        return String.join(File.pathSeparator, jars);
    }

    private static void pack(Path classes, Path jar) throws IOException {
        try (OutputStream file = Files.newOutputStream(jar);
                JarOutputStream out = new JarOutputStream(file);
                Stream<Path> all = Files.walk(classes)) {
            all.filter(Files::isRegularFile).sorted().forEach(path -> {
                try {
                    out.putNextEntry(
                            new ZipEntry(classes.relativize(path).toString().replace(File.separatorChar, '/')));
                    Files.copy(path, out);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }
    }
}
