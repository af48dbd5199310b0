package dev.fermata.sim.reproduce;

import java.util.List;

/** Every reproduction by name. */
public final class Reproductions {
    private static final List<Reproduction> ALL = List.of();

    private Reproductions() {}

    public static List<Reproduction> all() {
        return ALL;
    }
}
