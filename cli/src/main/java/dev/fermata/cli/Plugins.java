package dev.fermata.cli;

import dev.fermata.cli.option.Invocation;
import dev.fermata.core.policy.PolicyCatalogue;
import dev.fermata.core.policy.PolicyPlugin;
import dev.fermata.insight.exit.UserError;
import dev.fermata.live.engine.EngineProvider;
import dev.fermata.live.engine.EngineProviders;
import dev.fermata.sim.trace.TraceFormat;
import dev.fermata.sim.trace.read.TraceFormats;
import dev.fermata.sim.workload.WorkloadGenerator;
import dev.fermata.sim.workload.WorkloadSpec;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The loader of plugins: policies, generators, trace formats, engines and commands in other jars. Finds them by {@link ServiceLoader} on
 * the class path and in the folder of {@code --plugins DIR} or {@code FERMATA_PLUGINS}. Plugins run with all rights of the program.
 */
final class Plugins {
    static final String FLAG = "--plugins";
    private static final String VARIABLE = "FERMATA_PLUGINS";

    private Plugins() {}

    /**
     * Installs policies, generators, formats and engines, and returns the plugins that add commands. Runs before the command line is
     * parsed, because plugins change what can be parsed.
     */
    static List<CommandPlugin> load(Invocation invocation, String... args) {
        String folder = folder(invocation, args);
        ClassLoader own = Plugins.class.getClassLoader();
        try {
            ClassLoader loader = folder == null
                    ? own
                    : new URLClassLoader(jars(invocation.folder().resolve(folder)), own);
            List<PolicyPlugin> policies = found(PolicyPlugin.class, loader);
            List<WorkloadGenerator> generators = found(WorkloadGenerator.class, loader);
            List<TraceFormat> formats = found(TraceFormat.class, loader);
            List<EngineProvider> engines = found(EngineProvider.class, loader);
            List<CommandPlugin> commands = found(CommandPlugin.class, loader);
            PolicyCatalogue.install(policies.stream()
                    .flatMap(plugin -> plugin.policies().stream())
                    .toList());
            WorkloadSpec.install(generators);
            TraceFormats.install(formats);
            EngineProviders.install(engines);
            return commands;
        } catch (ServiceConfigurationError | LinkageError | IllegalArgumentException e) {
            throw UserError.invalid((folder == null ? "a plugin" : FLAG + " (" + folder + "): a plugin")
                    + " cannot be used: " + e.getMessage());
        }
    }

    private static @Nullable String folder(Invocation invocation, String... args) {
        for (int i = 0; i < args.length && !args[i].equals("--"); i++) {
            if (args[i].startsWith(FLAG + "=")) {
                return args[i].substring(FLAG.length() + 1);
            }
            if (args[i].equals(FLAG) && i + 1 < args.length) {
                return args[i + 1];
            }
        }
        String value = invocation.environment().get(VARIABLE);
        return value == null || value.isEmpty() ? null : value;
    }

    private static URL[] jars(Path folder) {
        try (Stream<Path> files = Files.list(folder)) {
            List<URL> jars = new ArrayList<>();
            for (Path file : files.filter(file -> file.toString().endsWith(".jar"))
                    .sorted()
                    .toList()) {
                jars.add(file.toUri().toURL());
            }
            if (jars.isEmpty()) {
                throw UserError.invalid(FLAG + " (" + folder + ") holds no jar");
            }
            return jars.toArray(URL[]::new);
        } catch (MalformedURLException e) {
            throw new IllegalStateException(e);
        } catch (IOException e) {
            throw UserError.invalid(FLAG + " (" + folder + ") is no folder that can be read");
        }
    }

    private static <T> List<T> found(Class<T> service, ClassLoader loader) {
        return ServiceLoader.load(service, loader).stream()
                .map(ServiceLoader.Provider::get)
                .toList();
    }
}
