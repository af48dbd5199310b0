package dev.fermata.core.policy;

import java.util.List;

/** JPS, the matching market. */
final class JpsEntries {
    static final List<PolicyInfo> ALL = List.of();

    private JpsEntries() {}
}
