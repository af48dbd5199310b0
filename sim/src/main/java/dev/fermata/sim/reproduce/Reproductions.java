package dev.fermata.sim.reproduce;

import dev.fermata.sim.reproduce.jps.JpsReproduction;
import java.util.List;

/** Every reproduction by name. */
public final class Reproductions {
    private static final List<Reproduction> ALL = List.of(new JpsReproduction());

    private Reproductions() {}

    public static List<Reproduction> all() {
        return ALL;
    }
}
