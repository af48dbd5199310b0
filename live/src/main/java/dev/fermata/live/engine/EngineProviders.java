package dev.fermata.live.engine;

import dev.fermata.core.policy.Registry;
import java.util.Comparator;
import java.util.List;
import java.util.ServiceLoader;
import java.util.stream.Collectors;

/** The engines that can be chosen by name: those on the class path, then those of plugins. */
public final class EngineProviders {
    private static final Registry<EngineProvider> PROVIDERS =
            new Registry<>("job engine", EngineProvider::name, onClassPath());

    private EngineProviders() {}

    private static List<EngineProvider> onClassPath() {
        return ServiceLoader.load(EngineProvider.class, EngineProvider.class.getClassLoader()).stream()
                .map(ServiceLoader.Provider::get)
                .sorted(Comparator.comparing(EngineProvider::name))
                .toList();
    }

    /**
     * Adds the engines of plugins, in place of those installed before. Called once, before any name is looked up.
     *
     * @param found what the loader of plugins finds; those on the class path may be among them
     */
    public static void install(List<EngineProvider> found) {
        List<Class<?>> known =
                onClassPath().stream().<Class<?>>map(Object::getClass).toList();
        PROVIDERS.install(found.stream()
                .filter(provider -> !known.contains(provider.getClass()))
                .toList());
    }

    public static List<String> names() {
        return PROVIDERS.names();
    }

    /** The message for an unknown name has the known ones. */
    public static EngineProvider named(String name) {
        return PROVIDERS
                .find(name)
                .orElseThrow(() -> new IllegalArgumentException("unknown engine '" + name + "'. Known: "
                        + PROVIDERS.all().stream()
                                .map(provider -> provider.name() + " (" + provider.description() + ")")
                                .collect(Collectors.joining(", "))));
    }
}
