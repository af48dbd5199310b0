package dev.fermata.cli.option;

import dev.fermata.sim.profile.ModelCatalogue;
import java.util.ArrayList;

/** The names of models, for shell completion. */
public final class ModelNames extends ArrayList<String> {
    private static final long serialVersionUID = 1;

    ModelNames() {
        super(ModelCatalogue.names());
    }
}
