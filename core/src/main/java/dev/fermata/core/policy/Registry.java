package dev.fermata.core.policy;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Things that users call by name: the product's own, and those of plugins after them. */
public final class Registry<T> {
    private final String noun;
    private final Function<T, String> nameOf;
    private final List<T> own;
    private volatile List<T> all;

    /** @param noun of one thing, for messages */
    public Registry(String noun, Function<T, String> nameOf, List<T> own) {
        this.noun = noun;
        this.nameOf = nameOf;
        this.own = List.copyOf(own);
        this.all = this.own;
    }

    /** Adds those of plugins, in place of those installed before. Called once, before any name is looked up. */
    public void install(List<T> plugins) {
        List<T> joined = new ArrayList<>(own);
        for (T plugin : plugins) {
            String name = nameOf.apply(plugin);
            if (joined.stream().anyMatch(known -> nameOf.apply(known).equals(name))) {
                throw new IllegalArgumentException("there is a " + noun + " '" + name + "' already");
            }
            joined.add(plugin);
        }
        all = List.copyOf(joined);
    }

    public List<T> all() {
        return all;
    }

    public List<String> names() {
        return all.stream().map(nameOf).toList();
    }

    public Optional<T> find(String name) {
        return all.stream().filter(known -> nameOf.apply(known).equals(name)).findFirst();
    }
}
