package dev.fermata.live.engine;

/** What an attempt ran out of, as far as anybody can tell from how it ended. */
public enum Shortage {
    NONE,
    /** Memory of its GPUs. */
    GPU_MEMORY,
    /** Memory of its machine, or what it may use of it. */
    MEMORY
}
