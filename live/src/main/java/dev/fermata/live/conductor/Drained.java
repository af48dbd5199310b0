package dev.fermata.live.conductor;

/** A line of the history: an operator took a node out of use, or gave it back. The ledger only knows that it is down. */
record Drained(int node, boolean drained) {
    static final String KIND = "Drained";
}
