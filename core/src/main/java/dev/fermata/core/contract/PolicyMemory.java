package dev.fermata.core.contract;

import java.util.List;

/**
 * What a policy remembers and no view shows again, for another instance that continues from here. Opaque: only the
 * policy that wrote it reads the values, and it ignores a version that it does not know.
 */
public record PolicyMemory(int version, List<Long> values) {
    /** The memory of a policy that remembers nothing. */
    public static final PolicyMemory NONE = new PolicyMemory(0, List.of());

    public PolicyMemory {
        values = List.copyOf(values);
    }
}
