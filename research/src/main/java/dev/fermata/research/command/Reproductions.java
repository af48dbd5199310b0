package dev.fermata.research.command;

import dev.fermata.research.Reproduction;
import dev.fermata.research.dally.DallyReproduction;
import dev.fermata.research.fermata.FermataReproduction;
import dev.fermata.research.fitgpp.FitGppReproduction;
import dev.fermata.research.jps.JpsReproduction;
import dev.fermata.research.suspend.SuspendReproduction;
import dev.fermata.research.xion.XionReproduction;
import dev.fermata.research.xonar.XonarReproduction;
import java.util.List;

/** Every reproduction by name. */
public final class Reproductions {
    private static final List<Reproduction> ALL = List.of(
            new XionReproduction(),
            new FitGppReproduction(),
            new DallyReproduction(),
            new JpsReproduction(),
            new XonarReproduction(),
            new FermataReproduction(),
            new SuspendReproduction());

    private Reproductions() {}

    public static List<Reproduction> all() {
        return ALL;
    }
}
