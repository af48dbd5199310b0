package dev.fermata.sim.reproduce;

import dev.fermata.sim.reproduce.dally.DallyReproduction;
import dev.fermata.sim.reproduce.fermata.FermataReproduction;
import dev.fermata.sim.reproduce.fitgpp.FitGppReproduction;
import dev.fermata.sim.reproduce.jps.JpsReproduction;
import dev.fermata.sim.reproduce.xion.XionReproduction;
import dev.fermata.sim.reproduce.xonar.XonarReproduction;
import java.util.List;

/** Every reproduction by name. */
public final class Reproductions {
    private static final List<Reproduction> ALL = List.of(
            new XionReproduction(),
            new FitGppReproduction(),
            new DallyReproduction(),
            new JpsReproduction(),
            new XonarReproduction(),
            new FermataReproduction());

    private Reproductions() {}

    public static List<Reproduction> all() {
        return ALL;
    }
}
