package dev.fermata.bench.seeded;

import dev.fermata.bench.torture.TortureRun;
import dev.fermata.core.scheduler.Scheduler;
import dev.fermata.history.HistoryCodec;
import dev.fermata.live.loop.SchedulerLoop;
import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** The classes of Fermata once more, one of them with a bug. Libraries are shared with the rest of the JVM. */
final class PlantedClasses extends URLClassLoader {
    private static final String OURS = "dev.fermata.";
    /** One class of each module that torture runs. */
    private static final List<Class<?>> MODULES =
            List.of(TortureRun.class, SchedulerLoop.class, HistoryCodec.class, Scheduler.class);

    private PlantedClasses(List<URL> places, ClassLoader libraries) {
        super(places.toArray(new URL[0]), libraries);
    }

    /**
     * Compiles the file of the bug into a folder.
     *
     * @param root of the source tree
     */
    static PlantedClasses plant(SeededBug bug, Path root, Path folder) throws IOException {
        Path source = folder.resolve(bug.file());
        Files.createDirectories(Objects.requireNonNull(source.getParent()));
        Files.writeString(source, bug.plantedIn(root));
        Path classes = Files.createDirectories(folder.resolve("classes"));
        compile(source, classes);
        List<URL> places = new ArrayList<>();
        places.add(classes.toUri().toURL());
        for (Path place : places()) {
            places.add(place.toUri().toURL());
        }
        return new PlantedClasses(places, Objects.requireNonNull(PlantedClasses.class.getClassLoader()));
    }

    /** Where the classes of Fermata are: folders or jars. */
    private static Set<Path> places() throws MalformedURLException {
        Set<Path> places = new LinkedHashSet<>();
        for (Class<?> one : MODULES) {
            CodeSource from = one.getProtectionDomain().getCodeSource();
            places.add(Path.of(from.getLocation().getPath()));
        }
        return places;
    }

    private static void compile(Path source, Path classes) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        if (compiler == null) {
            throw new IllegalStateException("this Java has no compiler; run it with a JDK");
        }
        StringBuilder classPath = new StringBuilder(System.getProperty("java.class.path"));
        places().forEach(place -> classPath.append(File.pathSeparator).append(place));
        List<String> options = List.of(
                "-proc:none", "-nowarn", "-g", "-parameters", "-cp", classPath.toString(), "-d", classes.toString());
        StringWriter problems = new StringWriter();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            boolean compiled = compiler.getTask(problems, files, null, options, null, files.getJavaFileObjects(source))
                    .call();
            if (!compiled) {
                throw new IllegalStateException(problems.toString());
            }
        }
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith(OURS)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> known = findLoadedClass(name);
            return known != null ? known : findClass(name);
        }
    }

    @Override
    public URL getResource(String name) {
        URL own = findResource(name);
        return own != null ? own : super.getResource(name);
    }
}
