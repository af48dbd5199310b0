package dev.fermata.core.policy;

import java.util.List;

/** Dally. */
final class DallyEntries {
    static final List<PolicyInfo> ALL = List.of();

    private DallyEntries() {}
}
