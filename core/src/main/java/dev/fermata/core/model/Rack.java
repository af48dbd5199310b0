package dev.fermata.core.model;

/**
 * Neighbouring nodes behind one switch. They are numbered between {@code firstNode} and {@code endNode}; where nodes were added
 * later, others lie in between, so ask {@link Node#rack()}.
 *
 * @param endNode the number after its last node
 * @param nodes how many it has
 */
public record Rack(int index, String name, int firstNode, int endNode, int nodes) {}
