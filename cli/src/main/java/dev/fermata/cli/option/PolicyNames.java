package dev.fermata.cli.option;

import dev.fermata.core.policy.PolicyCatalogue;
import java.util.ArrayList;

/** The names of policies, for shell completion. */
public final class PolicyNames extends ArrayList<String> {
    private static final long serialVersionUID = 1;

    public PolicyNames() {
        super(PolicyCatalogue.names());
    }
}
