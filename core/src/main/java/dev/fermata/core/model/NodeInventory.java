package dev.fermata.core.model;

import java.util.HashSet;
import java.util.List;

/**
 * The identity of a node and of its GPUs. An id never means another machine or device later, whereas numbers are given
 * by the cluster that counts them.
 *
 * @param id of the machine, such as its machine id or host name
 * @param gpuIds of its GPUs in their order, such as UUIDs; empty where a GPU is known by the node's id and its position
 * @param missing positions of GPUs that the node has lost, ascending; their numbers stay theirs in case they return
 */
public record NodeInventory(String id, List<String> gpuIds, List<Integer> missing) {
    public NodeInventory {
        gpuIds = List.copyOf(gpuIds);
        missing = List.copyOf(missing);
        Require.that(!id.isBlank(), "the id of a node must not be blank");
        Require.that(
                new HashSet<>(gpuIds).size() == gpuIds.size(),
                "two GPUs of node (%s) have the same id: %s",
                id,
                gpuIds);
    }

    /** A node with this id whose GPUs have no ids of their own; none is missing. */
    public static NodeInventory of(String id) {
        return new NodeInventory(id, List.of(), List.of());
    }

    /** The id of the GPU at this position of the node. */
    public String gpuId(int position) {
        return gpuIds.isEmpty() ? id + "/" + position : gpuIds.get(position);
    }
}
