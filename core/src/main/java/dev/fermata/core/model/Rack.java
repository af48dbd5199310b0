package dev.fermata.core.model;

/** Neighbouring nodes behind one switch: nodes {@code firstNode .. firstNode + nodes - 1}. */
public record Rack(int index, String name, int firstNode, int nodes) {
    public int endNode() {
        return firstNode + nodes;
    }
}
