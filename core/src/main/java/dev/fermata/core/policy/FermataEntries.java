package dev.fermata.core.policy;

import java.util.List;

/** All five papers in one policy. */
final class FermataEntries {
    static final List<PolicyInfo> ALL = List.of();

    private FermataEntries() {}
}
