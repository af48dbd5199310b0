package dev.fermata.core.policy;

import java.util.List;

/** FitGpp and the other ways to choose a victim for a trial job. */
final class FitGppEntries {
    static final List<PolicyInfo> ALL = List.of();

    private FitGppEntries() {}
}
