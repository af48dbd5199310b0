package dev.fermata.research;

/** What a finding is compared with. Only findings with a published figure are counted. */
public enum FindingKind {
    /** A figure of the paper. */
    PUBLISHED,
    /** Another policy on the same jobs: a paired difference. */
    DIFFERENCE,
    /** Nothing: a number of ours. */
    MEASUREMENT
}
