package dev.fermata.core.policy;

import java.util.List;

/** Xonar. */
final class XonarEntries {
    static final List<PolicyInfo> ALL = List.of();

    private XonarEntries() {}
}
