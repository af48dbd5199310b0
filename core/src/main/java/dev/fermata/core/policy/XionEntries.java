package dev.fermata.core.policy;

import java.util.List;

/** Xion and what it is measured against. */
final class XionEntries {
    static final List<PolicyInfo> ALL = List.of();

    private XionEntries() {}
}
