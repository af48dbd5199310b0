package dev.fermata.core.model;

import java.util.List;

/**
 * GPU types known by name. Memory is the common configuration. Speed is training throughput relative to the V100, the
 * reference: K80 and P100 are round figures within what Gavel's published throughputs give for image and language models
 * (0.1 to 0.5, and 0.5 to 1.2); the others are round figures too. All are only defaults: a cluster file can set others.
 */
public final class GpuCatalogue {
    /** A GPU of unknown type: reference speed. */
    public static final GpuType GENERIC = new GpuType("GPU", 32 * 1024, 1.0);

    private static final List<GpuType> KNOWN = List.of(
            new GpuType("K80", 12 * 1024, 0.20),
            new GpuType("P100", 16 * 1024, 0.65),
            new GpuType("V100", 32 * 1024, 1.0),
            new GpuType("V100M16", 16 * 1024, 1.0),
            new GpuType("V100M32", 32 * 1024, 1.0),
            new GpuType("T4", 16 * 1024, 0.40),
            new GpuType("RTX3090", 24 * 1024, 1.0),
            new GpuType("A10", 24 * 1024, 0.9),
            new GpuType("A100", 80 * 1024, 2.2),
            new GpuType("L40S", 48 * 1024, 2.0),
            new GpuType("H100", 80 * 1024, 4.0),
            new GpuType("H200", 141 * 1024, 4.5),
            new GpuType("B200", 180 * 1024, 8.0),
            GENERIC);

    private GpuCatalogue() {}

    /** The type of this name; an unknown name is a generic GPU under that name. */
    public static GpuType byName(String name) {
        for (GpuType type : KNOWN) {
            if (type.name().equalsIgnoreCase(name)) {
                return type;
            }
        }
        return new GpuType(name, GENERIC.memoryMib(), GENERIC.speed());
    }

    public static List<GpuType> known() {
        return KNOWN;
    }
}
