package dev.fermata.live.engine;

/** What an attempt ran out of, as far as its end shows. */
public enum ExhaustedResource {
    NONE,
    /** GPU memory. */
    GPU_MEMORY,
    /** Memory of its machine, or of its limit. */
    HOST_MEMORY
}
