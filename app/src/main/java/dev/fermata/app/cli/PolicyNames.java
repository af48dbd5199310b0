package dev.fermata.app.cli;

import dev.fermata.core.policy.Catalogue;
import java.util.ArrayList;

/** The catalogue, for shell completion. */
public final class PolicyNames extends ArrayList<String> {
    private static final long serialVersionUID = 1;

    public PolicyNames() {
        super(Catalogue.names());
    }
}
