package dev.fermata.core.contract;

/** Which GPUs count as available: free ones, or also those that are being vacated and not reserved. */
public enum Horizon {
    NOW,
    SOON
}
