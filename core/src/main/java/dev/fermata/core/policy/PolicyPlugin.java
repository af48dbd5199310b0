package dev.fermata.core.policy;

import java.util.List;

/** Policies that another jar adds to the catalogue. Found by {@link java.util.ServiceLoader}, outside of core. */
public interface PolicyPlugin {
    List<PolicyInfo> policies();
}
