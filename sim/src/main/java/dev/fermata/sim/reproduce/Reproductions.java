package dev.fermata.sim.reproduce;

import dev.fermata.sim.reproduce.dally.DallyReproduction;
import java.util.List;

/** Every reproduction by name. */
public final class Reproductions {
    private static final List<Reproduction> ALL = List.of(new DallyReproduction());

    private Reproductions() {}

    public static List<Reproduction> all() {
        return ALL;
    }
}
