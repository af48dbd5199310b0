package dev.fermata.app.cli;

import dev.fermata.sim.profile.ModelCatalogue;
import java.util.ArrayList;

/** For shells that complete names. */
final class ModelNames extends ArrayList<String> {
    private static final long serialVersionUID = 1;

    ModelNames() {
        super(ModelCatalogue.names());
    }
}
