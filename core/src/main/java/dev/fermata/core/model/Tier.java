package dev.fermata.core.model;

/** How far apart the GPUs of one placement are; the slowest link decides their bandwidth. */
public enum Tier {
    GPU,
    NODE,
    RACK,
    NETWORK
}
