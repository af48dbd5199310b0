package dev.fermata.core.contract;

/** Which GPUs count as available: those free now, or also those being vacated and promised to nobody. */
public enum Horizon {
    NOW,
    SOON
}
